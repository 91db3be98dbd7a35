package loads

import (
	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// loading matches what loads a native library or an object whose loading runs code,
// installs or unpacks something, or makes it executable: in any language, on the line
// of a name.
var loading = regexp.MustCompile(`(?i)\b(?:c?pickle|dill|joblib|cloudpickle|shelve|marshal)\b|\b(?:torch|keras|tf|np|numpy|models?)\.load|\bload_(?:model|library|weights|pickle|extension|module)|\bread_pickle\b|` +
	`\b(?:CDLL|WinDLL|OleDLL|PyDLL|dlopen|LoadLibrary\w*|DllImport|Add-Type|System\.load(?:Library)?|ffi\.load|Fiddle\.dlopen|Assembly\.Load\w*|LD_PRELOAD|DYLD_INSERT_LIBRARIES)\b|` +
	`\b(?:pip3?|pipx|uv|npm|pnpm|yarn|bun|gem|cargo|go|apt|apt-get|dnf|yum|apk|brew|choco|conda|mamba|code)\b[^|;&\n]*\s(?:i|install|add|get|--install-extension)\b|\b(?:dpkg|rpm|msiexec|installer|insmod|modprobe)\b|` +
	`(?:^|[\s"',])-(?:jar|javaagent|agentpath|cp|classpath)\b|\b(?:docker|podman)\s+(?:load|import)\b|\bchmod\b|` +
	`\b(?:unzip|bsdtar|7za?|unar|unpack\w*|extract\w*|ZipFile|ZipInputStream|JarFile|tarfile|Expand-Archive|decompress\w*|gunzip|zcat|unxz)\b|\btar\s+(?:-\S*\s+)*-?\w*x|\btar\b[^|;&\n]*--extract|` +
	`["'](?:file|link|portal):|@\s*file:|\b(?:instantiate|WebAssembly)\b|\b(?:exec\w*|spawn\w*|Popen|subprocess\.\w+|system|ProcessBuilder|Start-Process)\s*\(`)

// Loaded returns the files of an index that a text loads, installs, unpacks or starts
// other than by an interpreter, each with the line. There may be repetitions.
func Loaded(lang gate.Language, content []byte, files *Index) []Use {
	var out []Use
	text, seen := string(content), 0
	lines := newLineCounter(text)
	files.everyMention(text, func(m mention) bool {
		if seen++; seen > maxMentions {
			return false
		}
		before, after := around(text, m)
		if !loading.MatchString(before) && !loading.MatchString(after) {
			return true
		}
		for _, f := range m.files {
			out = append(out, Use{File: f, Language: lang, Line: lines.at(m.start)})
		}
		return len(out) < MaxUses
	})
	return out
}
