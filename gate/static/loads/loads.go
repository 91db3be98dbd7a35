package loads

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/interpreter"
)

// Use says that a text has a file run.
type Use struct {
	File     int // in the index
	Language gate.Language
	Line     int // where, 1-based
	// Started says that the file itself is the command, so that its first line and
	// its mode decide before the shell does.
	Started bool
	// Folder is how the text names the folder that the file lies in, where it names no file.
	Folder string
	// As is the place where the file is put, which says what it is there; empty for none.
	As string
}

// MaxUses bounds what one text gives.
const MaxUses = 200

// maxMentions bounds how many words of one text are looked at.
const maxMentions = 50_000

// aroundName is how much of a line is looked at on either side of a name.
const aroundName = 400 // bytes

// Find returns the files of an index that a text in that language, in a file of
// that name, has run, each with the language that it is run as. There may be
// repetitions.
func Find(name string, lang gate.Language, content []byte, files *Index) []Use {
	if lang == gate.LanguageJSON && path.Base(name) != "package.json" && !startsTools.Match(content) && !mapsModules(name) {
		return nil // data
	}
	if len(files.paths) == 0 {
		return nil // an editor's text has no files beside it
	}
	text := string(content)
	var out []Use
	if lang != gate.LanguageHTML {
		out = folders(name, text, files)
	}
	lines, seen := newLineCounter(text), 0
	elsewhere := sync.OnceValue(func() bool { return moves.MatchString(text) })
	run := &running{text: text}
	files = files.with(copies(text, files))
	files.everyMention(text, func(m mention) bool {
		if seen++; seen > maxMentions {
			return false
		}
		l, started := language(lang, text, m, run)
		as := ""
		if l == gate.LanguageUnknown {
			if as = installed(text, m); as == "" || lang == gate.LanguageHTML {
				return true
			}
			l = gate.LanguageText
		}
		for _, f := range files.nearest(name, text[m.start:m.end], m.files, elsewhere()) {
			out = append(out, Use{File: f, Language: l, Line: lines.at(m.start), Started: started, As: as})
		}
		return len(out) < MaxUses
	})
	return out
}

// startsTools matches a variable by which an interpreter is given a file, in settings of an editor
// or an agent.
var startsTools = regexp.MustCompile(`"(?:NODE_OPTIONS|BASH_ENV|PYTHONSTARTUP|RUBYOPT|PERL5OPT)"\s*:`)

// mapsModules reports whether a file of that name tells TypeScript where modules are.
func mapsModules(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(base, ".json") && (strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jsconfig"))
}

// lineCounter counts the lines of a text up to offsets that mostly grow.
type lineCounter struct {
	text          string
	line, counted int
}

func newLineCounter(text string) *lineCounter { return &lineCounter{text: text, line: 1} }

// at returns the line of an offset, 1-based.
func (c *lineCounter) at(offset int) int {
	if offset < c.counted {
		c.line, c.counted = 1, 0
	}
	c.line += strings.Count(c.text[c.counted:offset], "\n")
	c.counted = offset
	return c.line
}

// moves matches what makes a program look for files in another folder.
var moves = regexp.MustCompile(`\b(?:cd|pushd|chdir|Set-Location|working-directory|cwd)\b| -C\b`)

// language is what a text has the file run as that it mentions, empty where it
// does not; started says that the file is the command itself.
func language(lang gate.Language, text string, m mention, run *running) (l gate.Language, itself bool) {
	before, after := around(text, m)
	if l := configured(lang, before); l != gate.LanguageUnknown {
		return l, false
	}
	if lang == gate.LanguageHTML {
		return gate.LanguageUnknown, false // what is prose there names commands that nothing runs
	}
	if l := told(before); l != gate.LanguageUnknown {
		return l, false
	}
	if l, ok := argument(before); ok {
		return l, false
	}
	if l, ok := piped(after); ok {
		return l, false
	}
	if l := handed(lang, text, m); l != gate.LanguageUnknown {
		return l, false
	}
	switch lang {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePHP, gate.LanguagePowerShell:
		if run.holds(before, after) || loader(lang).MatchString(before) && !isParsed(text[m.start:m.end]) {
			return lang, false
		}
	case gate.LanguageJSON:
		if entry.MatchString(before) {
			return gate.LanguageJavaScript, false
		}
	case gate.LanguageShell:
		if substituted.MatchString(before) {
			return gate.LanguageShell, false
		}
		if started(before, text[m.start:m.end]) {
			return gate.LanguageShell, true
		}
		if run.loops(before) {
			return gate.LanguageShell, false
		}
	default:
		if ownLoader.MatchString(before) && lang.Generic() {
			return lang, false
		}
	}
	return gate.LanguageUnknown, false
}

// around returns what is on the line of a name, on either side. A line that ends
// with a backslash goes on.
func around(text string, m mention) (before, after string) {
	before = text[max(0, m.start-aroundName):m.start]
	for end := len(before); ; {
		i := strings.LastIndexByte(before[:end], '\n')
		if i < 0 {
			break
		}
		if i == 0 || before[i-1] != '\\' {
			before = before[i+1:]
			break
		}
		end = i
	}
	after = text[m.end:min(len(text), m.end+aroundName)]
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	return strings.NewReplacer("\\\n", " ", "\r", " ").Replace(before), after
}

var (
	entry       = regexp.MustCompile(`"(?:main|module|browser|import|require|node|default|bin|#[^"]*|\.(?:/[^"]*)?|moduleNameMapper|testEnvironment|testRunner|globalSetup|globalTeardown|resolver)"\s*:\s*"[^"]*$|"(?:setupFiles\w*|reporters|transform|moduleNameMapper|snapshotSerializers|_moduleAliases|alias)"\s*:\s*[\[{][^\]}]*"[^"]*$|"browser"\s*:\s*\{[^}]*:\s*"[^"]*$`)
	substituted = regexp.MustCompile("\\b(?:eval|source|\\.|(?:ba|da|z|k)?sh\\s+-\\w*c)\\s[^;|&]*(?:\\$\\(\\s*(?:cat\\s|<)|`\\s*cat\\s|<\\(\\s*cat\\s)[^;|&)]*$")
	stdin       = regexp.MustCompile(`^[^\n;&]*\|\s*([^|;&\n)"'` + "`" + `]+)`)
	variable    = regexp.MustCompile(`(?:\b(?:const|let|var|my)\s+)?([A-Za-z_$][\w$]*)\s*(?::\s*\w+)?\s*:?=[^=]`)
	named       = regexp.MustCompile(`\bas\s+(\w+)`)
	runsText    = `\b(?:exec|eval|compile|execfile|Function|runIn\w+|_compile|instance_eval|class_eval|Invoke-Expression|iex)\b[^\n]{0,80}`
)

// isParsed reports whether Node parses a file of that name instead of running it.
func isParsed(name string) bool { return strings.EqualFold(path.Ext(name), ".json") }

// loader matches what runs a file that is named behind it on the line.
func loader(l gate.Language) *regexp.Regexp {
	switch l {
	case gate.LanguagePython:
		return pythonLoader
	case gate.LanguageRuby:
		return rubyLoader
	case gate.LanguagePerl:
		return perlLoader
	case gate.LanguagePHP:
		return phpLoader
	case gate.LanguagePowerShell:
		return powershellLoader
	}
	return scriptLoader
}

var (
	pythonLoader = regexp.MustCompile(`(?:(?:^|[^\w.]|\b_*builtins_*\.)compile|\b(?:exec|eval|execfile|run_path|SourceFileLoader|SourcelessFileLoader|spec_from_file_location|load_source|execute_file|magic))\s*\(`)
	scriptLoader = regexp.MustCompile(`\b(?:require|import|importScripts|Worker|SharedWorker|fork|eval|Function|runIn\w+|Script|register|createRequire\([^)]*\))\s*\([^;]*$|\b(?:import|from|export)\b[^;"']*["'][^"']*$|\.src\s*=\s*["'][^"']*$`)
	rubyLoader   = regexp.MustCompile(`\b(?:load|require|require_relative|eval|instance_eval|class_eval|autoload)\b[^;]*$`)
	perlLoader   = regexp.MustCompile(`\b(?:do|require|eval)\b[^;]*$`)
	phpLoader    = regexp.MustCompile(`(?i)\b(?:include|include_once|require|require_once|eval|auto_prepend_file)\b[^;]*$`)

	powershellLoader = regexp.MustCompile(`(?i)(?:^|[;|{(])\s*(?:\.|&)\s+[^;]*$|\b(?:iex|invoke-expression|import-module|-file)\b[^;]*$`)
)

// splits are what ends a command on a line, and what is around words of lists.
var splits = strings.NewReplacer(`\"`, " ", `"`, " ", "'", " ", ",", " ", "[", " ", "]", " ", "`", " ; ", "$(", " ; ", "(", " ; ", ")", " ", "{", " ; ", "}", " ", ";", " ; ", "&", " ; ", "|", " ; ", "=", " = ")

// argument returns the language of the interpreter that the words before a name
// give it to as a program: sh -e NAME, ["python3", "NAME"], node < NAME.
func argument(before string) (gate.Language, bool) {
	if open := strings.Trim(before, ` "'`+"`"); open != "" && strings.HasSuffix(open, "<") && !strings.HasSuffix(open, "<<") {
		before = strings.TrimSuffix(open, "<")
		// Only an interpreter without a program reads one from its input.
		words := strings.Fields(splits.Replace(before))
		if len(words) == 0 {
			return "", false
		}
		for i := len(words) - 1; i >= 0 && words[i] != ";"; i-- {
			if words[i][0] == '-' {
				continue
			}
			p, ok := interpreter.Of(words[i])
			return p.Language, ok && p.Language != gate.LanguageUnknown
		}
		return "", false
	}
	before = trimFolder(before)
	if before != "" && isName(before[len(before)-1]) && before[len(before)-1] != '=' {
		return "", false // the end of a longer word
	}
	words := strings.Fields(splits.Replace(before))
	options := "" // those between the interpreter and the name
	for i, w := range slices.Backward(words) {
		if w == ";" {
			return "", false
		}
		if w == "." || w == "source" {
			return gate.LanguageShell, i == len(words)-1
		}
		if p, ok := interpreter.Of(w); ok && !p.Starts && w[0] != '-' {
			if p.Language == gate.LanguageMakefile {
				return p.Language, i+1 < len(words) && (words[i+1] == "-f" || strings.HasPrefix(words[i+1], "--"))
			}
			return p.Language, p.Language != gate.LanguageUnknown && !programGiven(p.Language, options)
		}
		if w[0] == '-' || w == "=" {
			options += " " + w
			continue
		}
		if i > 0 && takesValue(words[i-1]) {
			continue
		}
		return "", false
	}
	return "", false
}

// programGiven reports whether one of the options of an interpreter is followed by
// the program itself, or names it in another way than by a file.
func programGiven(l gate.Language, options string) bool {
	letters := "eEp"
	switch l {
	case gate.LanguageShell:
		letters = "c"
	case gate.LanguagePython:
		letters = "cm"
	case gate.LanguagePHP:
		letters = "rBRE"
	}
	for o := range strings.FieldsSeq(options) {
		if strings.HasPrefix(o, "--eval") || strings.HasPrefix(o, "--print") || !strings.HasPrefix(o, "--") && strings.ContainsAny(o, letters) {
			return true
		}
	}
	return false
}

// trimFolder leaves out the folder that a variable or a call holds: "$DIR/".
func trimFolder(before string) string {
	return folder.ReplaceAllString(before, "")
}

var folder = regexp.MustCompile(`(?:\$\{?\w+\}?|\$\{[\w.]+\}|\{\w+\}|\$\([\w.]+\)|\$\(\w*(?:location|path)s?\s+(?:[\w@./-]*:)?|\$\{\{[^}]*\}\}|"?\$\([^()]*(?:\$0|BASH_SOURCE)[^()]*\)"?|__dirname\s*\+|os\.path\.join\([^()]*,|path\.(?:join|resolve)\([^()]*,)\s*["']?$`)

// takesValue reports whether an option of an interpreter takes the next word.
func takesValue(option string) bool {
	switch option {
	case "-W", "-X", "-r", "--require", "--import", "--loader", "-I", "-o", "-O", "--rcfile", "--init-file", "-d", "-u", "-n", "=":
		return true
	}
	return false
}

// piped returns the language of an interpreter that gets what a name is written
// before, and has no program of its own: NAME | sudo sh -s.
func piped(after string) (gate.Language, bool) {
	rest := after
	for range 8 {
		m := stdin.FindStringSubmatchIndex(rest)
		if m == nil {
			return "", false
		}
		command := rest[m[2]:m[3]]
		rest = rest[m[3]:]
		words := strings.Fields(command)
		for i, w := range words {
			p, ok := interpreter.Of(w)
			if !ok && i > 0 && (w[0] == '-' || strings.Contains(w, "=")) {
				continue
			}
			if !ok {
				break
			}
			if p.Starts && i+1 < len(words) {
				continue
			}
			alone := true
			for _, next := range words[i+1:] {
				alone = alone && (next[0] == '-' && next != "-c" && next != "-e" && next != "-m" && next != "-n" && next != "-ne" && next != "-pe")
			}
			if alone && p.Language != gate.LanguageUnknown && p.Language != gate.LanguageMakefile {
				return p.Language, true
			}
			break
		}
	}
	return "", false
}

// running knows which variables of a text hold code that it runs.
type running struct {
	text  string
	known map[string]bool // by the name of a variable
	tried int
}

// opens matches what reads a file, and dynamic what runs a text.
var (
	opens   = regexp.MustCompile(`(?i)\b(?:open|read\w*|path|slurp|file_get_contents|cat|get-content)\b`)
	dynamic = regexp.MustCompile(runsText)
)

// Bounds of what a text is searched for.
const (
	maxTried = 40 // variables of one text
	maxNames = 6  // variables that one value goes through
	maxRuns  = 50 // calls that run a text
)

// holds reports whether the text of a file that is opened on the line is kept in a
// variable that is run later.
func (r *running) holds(before, after string) bool {
	if !opens.MatchString(before) {
		return false
	}
	var names []string
	if m := variable.FindStringSubmatch(before); m != nil {
		names = append(names, m[1])
	}
	if m := named.FindStringSubmatch(after); m != nil {
		names = append(names, m[1])
	}
	for at := 0; at < len(names) && at < maxNames; at++ {
		run, next := r.of(names[at])
		if run {
			return true
		}
		names = append(names, next...)
	}
	return false
}

// of says whether a variable is run, and which ones it is handed on to.
func (r *running) of(name string) (run bool, next []string) {
	if known, ok := r.known[name]; ok {
		return known, nil
	}
	if r.known == nil {
		r.known = map[string]bool{}
	}
	if r.tried++; r.tried > maxTried {
		return false, nil
	}
	word, err := regexp.Compile(`(?:^|[^\w$.])` + regexp.QuoteMeta(name) + `(?:[^\w$]|$)`)
	if err != nil {
		return false, nil
	}
	for _, call := range dynamic.FindAllString(r.text, maxRuns) {
		run = run || word.MatchString(call)
	}
	r.known[name] = run
	if run {
		return true, nil
	}
	for _, at := range word.FindAllStringIndex(r.text, maxRuns) {
		start := strings.LastIndexByte(r.text[:at[0]+1], '\n') + 1
		if m := variable.FindStringSubmatch(r.text[start:at[1]]); m != nil && m[1] != name { // code = f.read()
			next = append(next, m[1])
		}
	}
	return false, next
}

// started reports whether a name is a command itself: ./x at the beginning of one.
func started(before, name string) bool {
	if !strings.Contains(name, "/") || strings.Contains(path.Base(name), "=") {
		return false
	}
	if t := strings.TrimRight(before, " \t"); strings.HasSuffix(t, ">") || strings.HasSuffix(t, "<") {
		return false
	}
	words := strings.Fields(splits.Replace(strings.TrimLeft(before, " \t-@+")))
	for _, w := range slices.Backward(words) {
		switch p, ok := interpreter.Of(w); {
		case w == ";", w == "then", w == "do", w == "else", w == "RUN", w == "run:", w == "!":
			return true
		case ok && p.Starts, w[0] == '-':
		default:
			return false
		}
	}
	return true
}
