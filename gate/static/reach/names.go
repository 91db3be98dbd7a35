package reach

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

// Names are what the changed lines of a text newly refer to, each with its line.
type Names struct {
	// Modules are the names of modules as paths without an extension: "lib/a".
	Modules map[string]int
	// Calls are functions that are called, or named as a place to begin.
	Calls map[string]int
	// Switches are settings that get a value that is on or off.
	Switches map[string]int
	// Words are all words of the text, which say what it may have to do with.
	Words map[string]bool
	// Full says that there are more than are kept.
	Full bool
}

// MaxNames bounds how many names of one kind are kept.
const MaxNames = 20_000

var (
	imports = regexp.MustCompile(`^\s*(?:from\s+([\w.]+)\s+import\s+\(?([\w, \t*]+)|import\s+([\w.]+(?:\s*,\s*[\w.]+)*))|` +
		`\b(?:require|import|require_relative|load|autoload|import_module|__import__|importlib\.\w+|include|include_once|require_once)\b[\s(]*["']([^"'\n]+)["']|` +
		`\bfrom\s+["']([^"'\n]+)["']|^\s*(?:_\s+|\w+\s+)?"([\w./-]+)"\s*$|^\s*(?:pub\s+)?mod\s+(\w+)\s*;|^\s*use\s+([\w:]+)|python[\d.]*\s+(?:-\w+\s+)*-m\s+([\w.]+)`)
	// namedModule matches an import of Go under a name on a line of its own, and an attribute that
	// setuptools imports a module for.
	namedModule = regexp.MustCompile(`^\s*import\s+[\w.]+\s+"([\w./-]+)"|\battr\s*[:=]\s*["']?(\w+(?:\.\w+)*)\.\w+`)
	// listed matches a setting with a list of modules that a tool loads.
	listed     = regexp.MustCompile(`\b(?:pytest_plugins|INSTALLED_APPS|MIDDLEWARE|CELERY_IMPORTS|extensions|plugins)["']?\s*(?::\s*[\w\[\]., ]+)?\+?=\s*[\[("']|\bDJANGO_SETTINGS_MODULE["']?\s*[,:=]|(?:^|\s)-p[ =]?["']?[a-z_]\w*(?:\.\w+)+`)
	dottedName = regexp.MustCompile(`(?:["']|-p[ =]?["']?)([A-Za-z_]\w*(?:\.\w+)+)`)
	quotedPath = regexp.MustCompile(`"([\w./-]+)"`)
	calls      = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*(?:\(|\.(?:call|apply|delay|submit|start)\()|\.([A-Za-z_]\w*)\b`)
	command    = regexp.MustCompile(`(?:^|[;&|({]|\b(?:then|do|else|if|while|until|eval|trap)\s)\s*["']?([A-Za-z_][\w-]*)`)
	handed     = regexp.MustCompile(`[(,=]\s*([A-Za-z_]\w*)\s*[,)]`)
	entry      = regexp.MustCompile(`["'=\s]([\w./-]+):([A-Za-z_]\w*)\b`)
	// image matches a line that names an image: of a Dockerfile, or of Compose and Kubernetes.
	image    = regexp.MustCompile(`^\s*(?:FROM\s+(?:--\S+\s+)*[\w./:@${}-]+(?:\s+AS\s+[\w.-]+)?\s*$|COPY\s+(?:--\S+\s+)*--from=|(?:-\s+)?["']?image["']?\s*:\s*["']?[\w./:@${}-]+["']?\s*$)`)
	switched = regexp.MustCompile(`(?i)["']?([A-Za-z_][\w.-]*)["']?\s*(?::=|[:=]|\s(?:[a-z]+\s)?=)\s*["']?(?:true|false|1|0|yes|no|on|off|enabled?|disabled?|none|null|nil|y|n)\b`)
	// emptied matches a line that gives a setting nothing: what a script takes for off.
	emptied  = regexp.MustCompile(`^\s*(?:export\s+|set\s+|-\s+)?([A-Za-z_]\w*)\s*(?::=|\?=|=|:)\s*(?:""|'')?\s*$|^\s*unset\s+(?:-v\s+)?([A-Za-z_]\w*)\s*$`)
	fallback = regexp.MustCompile(`(?i)["']([A-Za-z_]\w*)["']\s*,\s*["']?(?:true|false|1|0|yes|no|on|off|none|null)\b|\$\{([A-Za-z_]\w*):?[-=](?:true|1|yes|on|y)\}`)
	word     = regexp.MustCompile(`[A-Za-z_][\w]*`)
)

// Read returns what the changed lines of a text refer to, and older, the text before
// the change, does not.
func Read(lang gate.Language, name string, content, older []byte, changed gate.LineSet) Names {
	n := Names{Modules: map[string]int{}, Calls: map[string]int{}, Switches: map[string]int{}, Words: map[string]bool{}}
	view, was := string(lex.Scan(lang, content).View(content)), string(older)
	before := map[string]bool{}
	for w := range words(was) {
		before[w] = true
	}
	for w := range words(view) {
		n.Words[w] = true
	}
	for text, at := range logical(view, content) {
		if line := at.touched(changed); line > 0 {
			n.modules(text, name, line)
			n.calls(lang, text, line, before)
			n.switches(text, line)
		}
	}
	n.Full = max(len(n.Modules), len(n.Calls), len(n.Switches)) >= MaxNames
	n.known(was, name)
	n.unswitched(view, was, content)
	n.removed(was, changed)
	return n
}

// span are the lines of a text that a logical line is on, 1-based.
type span struct{ first, last int }

// touched is the first of the lines that a change touches, 0 for none.
func (s span) touched(changed gate.LineSet) int {
	for line := s.first; line <= s.last; line++ {
		if changed.Touches(line, line) {
			return line
		}
	}
	return 0
}

// logical yields the logical lines of a text, as [lex.Text.View] has them, each with its lines
// in the text itself.
func logical(view string, content []byte) iter.Seq2[string, span] {
	return func(yield func(string, span) bool) {
		at, line := 0, 1
		for text := range strings.Lines(view) {
			s := span{first: line}
			line += bytes.Count(content[at:at+len(text)], []byte{'\n'})
			at += len(text)
			s.last = max(s.first, line-1)
			if !yield(text, s) {
				return
			}
		}
	}
}

// removed notes the settings that the older text gives a value that is on or off, and of which
// the text says nothing anymore.
func (n Names) removed(older string, changed gate.LineSet) {
	line := 1
	if r := changed.Ranges(); len(r) > 0 {
		line = r[0][0]
	}
	gone := func(w string) bool { return len(w) > 2 && !n.Words[w] }
	for text := range strings.Lines(older) {
		if !anyWord(text, gone) {
			continue
		}
		for _, m := range switched.FindAllStringSubmatch(text, -1) {
			if name := lastPart(m[1]); gone(name) {
				note(n.Switches, name, line)
			}
		}
	}
}

// words yields the words of a text.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); i++ {
			if !char.IsASCIIWord(text[i]) {
				continue
			}
			start := i
			for start < len(text) && text[start] >= '0' && text[start] <= '9' { // no word begins with a digit
				start++
			}
			for i = start; i < len(text) && char.IsASCIIWord(text[i]); i++ {
			}
			if i > start && !yield(text[start:i]) {
				return
			}
		}
	}
}

// anyWord reports whether one of the words of a text is of a kind.
func anyWord(text string, is func(string) bool) bool {
	for w := range words(text) {
		if is(w) {
			return true
		}
	}
	return false
}

// known drops the modules that the older text refers to, too. Only its lines on which an
// import may occur are read, and none where nothing is left to drop.
func (n Names) known(older, name string) {
	if len(n.Modules) == 0 {
		return
	}
	for text := range strings.Lines(older) {
		if !mayImport(text) && !mayEnter(text) && !mayList(text) {
			continue
		}
		old := Names{Modules: map[string]int{}}
		old.modules(text, name, 1)
		for m := range old.Modules {
			delete(n.Modules, m)
		}
	}
}

// mayImport reports whether the expression for imports can match in a line, and mayEnter
// that for places to begin, which are far more expensive to try.
func mayImport(text string) bool {
	return strings.HasSuffix(strings.TrimSpace(text), `"`) || slices.ContainsFunc(importing, func(w string) bool { return strings.Contains(text, w) })
}

func mayEnter(text string) bool {
	for {
		at := strings.IndexByte(text, ':')
		if at < 0 || at+1 == len(text) {
			return false
		}
		if text = text[at+1:]; char.IsNameStart(text[0]) {
			return true
		}
	}
}

// mayList reports whether the expression for lists of modules can match in a line.
func mayList(text string) bool {
	return slices.ContainsFunc([]string{"plugins", "APPS", "MIDDLEWARE", "IMPORTS", "extensions", "SETTINGS", "-p"}, func(w string) bool { return strings.Contains(text, w) })
}

// importing are words of which the expression for imports needs one.
var importing = []string{"import", "require", "load", "include", "from", "mod", "use", "python"}

// note keeps the first line of a name.
func note(names map[string]int, name string, line int) {
	if _, known := names[name]; !known && name != "" && len(names) < MaxNames {
		names[name] = line
	}
}

// modules notes what a line imports.
func (n Names) modules(text, name string, line int) {
	var found, entries [][]string
	if mayImport(text) {
		found = imports.FindAllStringSubmatch(text, -1)
	}
	if mayEnter(text) {
		entries = entriesOf(text)
	}
	if mayList(text) && listed.MatchString(text) {
		for _, m := range dottedName.FindAllStringSubmatch(text, -1) {
			note(n.Modules, dotted(m[1], name), line)
		}
	}
	if strings.HasPrefix(text, "import (") { // a block of Go, which is one logical line
		for _, q := range quotedPath.FindAllStringSubmatch(text, -1) {
			note(n.Modules, relative(q[1], name), line)
		}
	}
	for _, m := range found {
		if m[1] != "" { // from a import b
			base := dotted(m[1], name)
			note(n.Modules, base, line)
			for part := range strings.SplitSeq(m[2], ",") {
				if fields := strings.Fields(part); len(fields) > 0 {
					note(n.Modules, path.Join(base, fields[0]), line)
				}
			}
		}
		for part := range strings.SplitSeq(m[3], ",") {
			if part = strings.TrimSpace(part); part != "" {
				note(n.Modules, dotted(part, name), line)
			}
		}
		for _, quoted := range m[4:7] {
			note(n.Modules, relative(quoted, name), line)
		}
		note(n.Modules, m[7], line)
		note(n.Modules, strings.Trim(strings.NewReplacer("::", "/", "crate", "", "super", "").Replace(m[8]), "/"), line)
		note(n.Modules, strings.ReplaceAll(m[9], ".", "/"), line)
	}
	if strings.Contains(text, "attr") || strings.Contains(text, "import") {
		for _, m := range namedModule.FindAllStringSubmatch(text, -1) {
			note(n.Modules, m[1], line)
			note(n.Modules, dotted(m[2], name), line)
		}
	}
	for _, m := range entries {
		note(n.Modules, m[1], line) // so that the function that it names counts
		if strings.Contains(m[1], ".") {
			note(n.Modules, dotted(m[1], name), line)
		}
	}
}

// entriesOf are the places to begin that a line names, as module:function. An image and its tag
// look like one.
func entriesOf(text string) [][]string {
	if image.MatchString(text) {
		return nil
	}
	return entry.FindAllStringSubmatch(text, -1)
}

// dotted turns the name of a module with dots into a path. Leading dots mean folders
// above the one of the file that imports it.
func dotted(module, name string) string {
	bare := strings.TrimLeft(module, ".")
	rest := strings.ReplaceAll(bare, ".", "/")
	up := len(module) - len(bare)
	if up == 0 {
		return rest
	}
	folder := path.Dir(name)
	for range up - 1 {
		folder = path.Dir(folder)
	}
	return path.Join(folder, rest)
}

// relative turns the name of a module with slashes into a path without an extension.
func relative(module, name string) string {
	if module == "" {
		return ""
	}
	if strings.HasPrefix(module, ".") {
		module = path.Join(path.Dir(name), module)
	}
	if ext := path.Ext(module); len(ext) > 1 && len(ext) <= 5 {
		module = strings.TrimSuffix(module, ext)
	}
	return strings.Trim(module, "/")
}

// calls notes the functions that a line calls, hands on or names as a place to begin.
func (n Names) calls(lang gate.Language, text string, line int, before map[string]bool) {
	forms := []*regexp.Regexp{calls, handed, entry}
	if image.MatchString(text) {
		forms = forms[:2]
	}
	if lang == gate.LanguageShell {
		forms = append(forms, command)
	}
	for _, form := range forms {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			for _, name := range m[1:] {
				if !before[name] {
					note(n.Calls, name, line)
				}
			}
		}
	}
}

// switches notes the settings that a line gives a value that is on or off.
func (n Names) switches(text string, line int) {
	for _, form := range []*regexp.Regexp{switched, emptied, fallback} {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			for _, name := range m[1:] {
				if name = lastPart(name); len(name) > 2 {
					note(n.Switches, name, line)
				}
			}
		}
	}
}

// unswitched drops the settings that the older text gives the same value.
func (n Names) unswitched(view, older string, content []byte) {
	if len(n.Switches) == 0 {
		return
	}
	at := map[int][]string{} // the switches of each line
	for name, line := range n.Switches {
		at[line] = append(at[line], name)
	}
	given := map[string][]string{} // the names that a text gives a value
	for text, where := range logical(view, content) {
		var here []string
		for line := where.first; line <= where.last; line++ {
			here = append(here, at[line]...)
		}
		if len(here) == 0 {
			continue
		}
		for _, m := range append(switched.FindAllStringSubmatch(text, -1), emptied.FindAllStringSubmatch(text, -1)...) {
			if name := lastPart(strings.Join(m[1:], "")); slices.Contains(here, name) {
				given[squeezed(m[0])] = append(given[squeezed(m[0])], name)
			}
		}
	}
	if len(given) == 0 {
		return
	}
	for text := range strings.Lines(older) {
		if !anyWord(text, func(w string) bool { return n.Switches[w] > 0 }) {
			continue
		}
		for _, m := range append(switched.FindAllString(text, -1), emptied.FindAllString(text, -1)...) {
			for _, name := range given[squeezed(m)] {
				delete(n.Switches, name)
			}
		}
	}
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

// lastPart is the name of a setting without what it is part of.
func lastPart(name string) string { return name[strings.LastIndexAny(name, ".-")+1:] }

// Empty reports whether nothing is referred to.
func (n Names) Empty() bool { return len(n.Modules)+len(n.Calls)+len(n.Switches) == 0 }

// Stem is the path of a file without its extension; that of the file that stands for
// a folder is the folder's.
func Stem(name string) string {
	stem := strings.TrimSuffix(name, path.Ext(name))
	switch path.Base(stem) {
	case "__init__", "__main__", "index", "mod":
		return path.Dir(stem)
	}
	return stem
}
