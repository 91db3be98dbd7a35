package loads

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// maxFolders bounds the folders of one text that are looked for in the index.
const maxFolders = 20

// onFolder is a command that runs what lies in a folder.
type onFolder struct {
	// words are such that the command has one of them.
	words []string
	// command matches the command up to the folder and with it, which is its first group.
	command *regexp.Regexp
	// base are names of the files that run; all with the extension run where there are none.
	base []string
	ext  string
	as   gate.Language
	// deep says that what lies in folders below runs as well.
	deep bool
}

// onFolders is compiled once and never changed.
var onFolders = sync.OnceValue(func() []onFolder {
	const (
		begins  = `(?m)(?:^|[\s;&|({"'@-])`
		options = `(?:\s+-[^\s"',]*)*`
		folder  = `\s+["']?((?:\.{0,2}/)?[\w@.][\w@./-]*)`
		below   = `\s+["']?(\.{1,2}(?:/[\w@.-]+)*/?)` // one that is no name of a package
	)
	at := func(command string) *regexp.Regexp { return regexp.MustCompile(begins + command) }
	return []onFolder{
		{[]string{"go run"}, at(`go +run` + options + folder), nil, ".go", gate.LanguageGo, false},
		// Where modules are looked for: an import finds them there.
		{words: []string{"PYTHONPATH"}, command: at(`PYTHONPATH["']?\s*(?::?=|:|\s)\s*["']?(?:[$\w{}()./-]+:)*(?:\$\{?PWD\}?/|\$\(CURDIR\)/|/app/)?((?:\./)?[\w@][\w@./-]*)`), ext: ".py", as: gate.LanguagePython},
		{words: []string{"sys.path"}, command: at(`sys\.path\.(?:insert\(\s*\d+\s*,|append\(|extend\(\s*\[)[^\n"']*["']((?:\.{0,2}/)?[\w@.][\w@./-]*)["']`), ext: ".py", as: gate.LanguagePython},
		{words: []string{"pythonpath"}, command: at(`pythonpath["']?\s*=\s*\[?\s*["']?((?:\./)?[\w@][\w@./-]*)`), ext: ".py", as: gate.LanguagePython},
		{words: []string{"NODE_PATH"}, command: at(`NODE_PATH["']?\s*(?::?=|:|\s)\s*["']?(?:[$\w{}()./-]+:)*((?:\./)?[\w@][\w@./-]*)`), ext: ".js", as: gate.LanguageJavaScript},
		{words: []string{`"paths"`, `"baseUrl"`}, command: at(`"[^"\n]+"\s*:\s*\[\s*"((?:\.{0,2}/)?[\w@.][\w@./-]*)/\*"`), ext: ".ts", as: gate.LanguageTypeScript, deep: true},
		{words: []string{`"baseUrl"`}, command: regexp.MustCompile(`"baseUrl"\s*:\s*"((?:\./)?[\w@][\w@./-]*)"`), ext: ".ts", as: gate.LanguageTypeScript, deep: true},
		{[]string{"python", "pypy"}, at(`(?:python|pypy)[\d.]*` + options + folder), []string{"__main__.py"}, "", gate.LanguagePython, false},
		{[]string{"node", "bun", "tsx"}, at(`(?:node|bun(?:\s+run)?|nodemon|tsx|ts-node)` + options + folder), []string{"index.js", "index.mjs", "index.ts", "index.cjs"}, "", gate.LanguageJavaScript, false},
		{[]string{"make"}, at(`(?:g|bsd)?make\b[^\n;&|]*\s(?:-C\s*|--directory[= ])["']?([\w@./-]+)`), []string{"Makefile", "makefile", "GNUmakefile"}, "", gate.LanguageMakefile, false},
		{[]string{"install"}, at(`(?:pip[\d.]*|uv\s+pip)\s+install` + options + below), []string{"setup.py"}, "", gate.LanguagePython, false},
		{[]string{"build", "bake"}, at(`(?:docker|podman|nerdctl)\s+(?:buildx\s+)?(?:build|bake)\b[^\n;&|]*` + below), []string{"Dockerfile", "Containerfile"}, "", gate.LanguageDockerfile, false},
		{[]string{"uses:"}, at(`uses:` + below), []string{"action.yml", "action.yaml"}, "", gate.LanguageWorkflow, false},
		{[]string{"working-directory:"}, at(`working-directory:` + folder), []string{"Makefile", "makefile", "GNUmakefile"}, "", gate.LanguageMakefile, false},
		{[]string{"plugins"}, at(`["']?(\./[\w@./-]+)["']?:`), []string{"hooks/command", "hooks/environment", "hooks/pre-command", "hooks/post-command", "hooks/checkout"}, "", gate.LanguageShell, false},
		{[]string{"file:", "link:", "portal:"}, at(`(?:file|link|portal):(\.{0,2}[\w@./-]+)`), []string{"package.json"}, "", gate.LanguageJSON, false},
		{[]string{"gem "}, at(`gem\s[^\n]*\bpath(?::|\s*=>)` + folder), nil, ".gemspec", gate.LanguageRuby, false},
		{[]string{"=>"}, at(`=>` + below), nil, ".go", gate.LanguageGo, false},
		{[]string{"use"}, regexp.MustCompile(`(?m)^\s*(?:use\s*\(?)?` + below + `\s*$`), nil, ".go", gate.LanguageGo, false},
		{[]string{"library", "_plugins"}, at(`(?:library|(?:action|callback|filter|lookup|vars|strategy|connection|inventory)_plugins|module_utils)\s*=\s*((?:\./)?[\w@./-]+)`), nil, ".py", gate.LanguagePython, false},
		{[]string{"loadTasks"}, at(`(?:\w+\.)?loadTasks\(` + `["']((?:\./)?[\w@./-]+)`), nil, ".js", gate.LanguageJavaScript, false},
		{[]string{"cargo"}, at(`cargo +(?:install|run)\b[^\n;&|]*\s--(?:path|manifest-path)[= ]["']?([\w@./-]+?)(?:/Cargo\.toml)?`), []string{"build.rs", "src/main.rs"}, "", gate.LanguageRust, false},
	}
})

// folders returns the files that commands of a text run by the folder that they lie in.
func folders(name, text string, files *Index) []Use {
	var out []Use
	looked, lines := 0, newLineCounter(text)
	for _, c := range onFolders() {
		if !c.hasFiles(files) || !slices.ContainsFunc(c.words, func(w string) bool { return strings.Contains(text, w) }) {
			continue
		}
		for _, m := range c.command.FindAllStringSubmatchIndex(text, maxFolders) {
			if looked++; looked > maxFolders || len(out) >= MaxUses {
				return out
			}
			line := lines.at(m[2])
			for _, f := range c.files(name, strings.TrimRight(text[m[2]:m[3]], "/"), files) {
				out = append(out, Use{File: f, Language: c.as, Line: line, Folder: text[m[2]:m[3]]})
			}
		}
	}
	return out
}

// hasFiles reports whether an index has files of the kind that the command runs.
func (c onFolder) hasFiles(files *Index) bool {
	return c.ext != "" && files.ext[c.ext] || slices.ContainsFunc(c.base, func(base string) bool { return len(files.byBase[path.Base(base)]) > 0 })
}

// files are those of the index that run where a text in a file names a folder, from its own folder
// or from the root.
func (c onFolder) files(by, folder string, files *Index) []int {
	places := []string{path.Clean(folder), path.Join(path.Dir(by), folder)}
	var out []int
	add := func(i int) {
		if len(out) < MaxUses && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for _, base := range c.base {
		for _, i := range files.byBase[path.Base(base)] {
			if slices.ContainsFunc(places, func(p string) bool { return files.paths[i] == path.Join(p, base) }) {
				add(i)
			}
		}
	}
	if c.ext == "" {
		return out
	}
	for i, p := range files.paths {
		in := func(place string) bool { return path.Dir(p) == place || c.deep && strings.HasPrefix(p, place+"/") }
		if strings.HasSuffix(p, c.ext) && !strings.HasSuffix(p, "_test.go") && slices.ContainsFunc(places, in) {
			add(i)
		}
	}
	return out
}
