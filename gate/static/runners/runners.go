package runners

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of what is read of one text.
const (
	maxLines  = 20_000
	maxLine   = 4000   // bytes; longer lines are left out
	maxBody   = 300    // lines of one function
	maxRead   = 50_000 // lines of functions
	maxNames  = 30     // names of one function that hold what it is given
	MaxInText = 200    // runners of one text
)

// Runner is a function that runs a text that it is given, or a variable with which commands begin and
// that does; the name of the latter has a dollar sign in front.
type Runner struct {
	// Name is how other code calls it.
	Name string
	// First and Last are its lines, and At is the one that runs the text, 1-based.
	First, Last, At int
	// Evaluates says that it runs the text as code in its own language, else as a command.
	Evaluates bool
	// Bare says that it is a variable that holds nothing, so that what follows it is the command.
	Bare bool
}

var (
	// commands matches calls that have a text run as a command, up to the arguments.
	commands = compile(`(?:\bos\.(?:system|popen|execute|exec[lv]\w*)|\bsubprocess\.\w+|\bPopen|\bcheck_output|\bcheck_call|\bgetoutput|\bgetstatusoutput|\bcreate_subprocess_shell|\bsystem|\bpopen|\bshell_exec|\bpassthru|\bproc_open|`+
		`\b(?:child_process|cp)\.\w+|\bexec(?:Sync|File|FileSync|Command)|\bexecaCommand(?:Sync)?|\bexec\.Command(?:Context)?|\bProcessBuilder|\bgetRuntime\(\)\.exec|\bOpen3\.\w+|\bIO\.popen|\bProcess\.(?:Start|spawn))\s*(?:\(|\s)|%x[({]`+"|`#\\{", "exec", "system", "popen", "Popen", "subprocess.", "create_subprocess_shell", "check_", "getoutput", "getstatusoutput", "passthru", "proc_open", "child_process.", "cp.", "ProcessBuilder", "Open3.", "Process.", "%x", "`#{")
	// started is the same for names that say so only in a text that imports them.
	started = compile(`(?:^|[^\w.])(?:exec|spawn|spawnSync|run|call)\s*\(`, "exec", "spawn", "run", "call")
	imports = regexp.MustCompile(`child_process|subprocess`)
	// evaluating matches calls that have a text run as code.
	evaluating = compile(`(?:^|[^\w.]|\b(?:builtins|window|globalThis|vm)\.)(?:exec|eval|execfile|Function|runIn\w+|instance_eval|class_eval|assert)\s*\(`, "exec", "eval", "Function", "runIn", "assert")
	// shellRuns matches commands of a shell that run the arguments of a function.
	shellRuns  = regexp.MustCompile(`(?:\beval|\b(?:ba|da|z|k|a)?sh\s+(?:-\w+\s+)*-\w*c|<<<)\s+(?:--\s+)?["']?\$(?:[*@\d]|\{[*@\d])|["\s]\$(?:[*@\d]|\{[*@\d]\})["]?\s*\|\s*(?:sudo\s+)?(?:ba|da|z|k|a)?sh\b`)
	shellNamed = regexp.MustCompile(`(?:\beval|\b(?:ba|da|z|k|a)?sh\s+(?:-\w+\s+)*-\w*c)\s+["']?\$\{?(\w+)`)
	shellTakes = regexp.MustCompile(`\b(\w+)=["']?\$(?:[*@\d]|\{[*@\d])`)

	// held matches a name that gets a function that runs texts: NAME = os.system, { log: exec }.
	held = compile(`(?:^|[\s,{(.\["'])([A-Za-z_$][\w$]*)["']?\]?\s*(?::=|[:=])\s*(?:await\s+|promisify\()?((?:os|posix|subprocess|child_process|cp|builtins|globalThis|require\(\s*["'](?:node:)?child_process["']\s*\))\.(?:system|popen|run|call|check_output|check_call|getoutput|Popen|exec|execSync|eval)|exec|execSync|eval|system|popen|getoutput)\)?\s*(?:[,;})\n]|$|#|//)`, "exec", "eval", "system", "popen", "Popen", "getoutput", "check_", ".run", ".call")
	// renamed matches the same by an import or an export.
	renamed = regexp.MustCompile(`\b(?:system|popen|getoutput|execSync|exec|check_output)(?:\s+as|\s*:)\s+([A-Za-z_$][\w$]*)`)
	// table matches the beginning of a table, or of an entry of one.
	table      = compile(`(?:^|[\s.])([A-Za-z_$][\w$]*)\s*(?::\s*[\w.\[\], ]+)?\s*=\s*(?:dict\(|[{\[])|(?:^|[\s.])([A-Za-z_$][\w$]*)(?:\[[^\]]*\]|\.\w+)\s*=[^=]`, "=")
	dispatched = compile(`([A-Za-z_$][\w$]*)(?:\[[^\]]*\]|\.get\([^()]*\))\s*\(`, "[", ".get(")

	defined  = compile(`^\s*(?:export\s+|default\s+|pub\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|local\s+|final\s+)*(?:def|function|func(?:\s*\([^)]*\))?|sub|fn|fun)\s+(?:self\.|\w+[.:])?([A-Za-z_$][\w$?!]*)\s*(?:<[^>]*>)?\s*(?:\(([^{]*))?`, "def", "fun", "sub", "fn")
	arrowed  = compile(`(?:^|[\s.,{])([A-Za-z_$][\w$]*)\s*(?:=|:)\s*(?:async\s*)?(?:function\s*\w*\s*\(([^)]*)\)|\(([^()]*)\)\s*(?::\s*[\w<>\[\]. |]+)?\s*=>|([A-Za-z_$][\w$]*)\s*=>|lambda\s+([\w\s,*=]+):)`, "=>", "function", "lambda")
	method   = compile(`^\s*(?:async\s+|static\s+)*([A-Za-z_$][\w$]*)\s*\(([^()]*)\)\s*(?::\s*[\w<>\[\]. |]+)?\s*\{`, "{")
	shellDef = regexp.MustCompile(`^\s*(?:function\s+)?([A-Za-z_][\w-]*)\s*\(\s*\)\s*\{?|^\s*function\s+([A-Za-z_][\w-]*)\s*\{`)

	assigned = compile(`(?:^|[\s;{(])([A-Za-z_$][\w$]*)\s*(?::\s*[\w.]+)?\s*(?::=|=)([^=].*)`, "=")
	word     = regexp.MustCompile(`[A-Za-z_$@][\w$]*`)
	keyword  = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true, "function": true, "with": true}
)

// Knows reports whether functions of a language are read.
func Knows(l gate.Language) bool {
	switch l {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageShell,
		gate.LanguageRuby, gate.LanguagePHP, gate.LanguagePerl, gate.LanguageLua, gate.LanguageMakefile:
		return true
	}
	return hasVariables(l)
}

// In returns the functions of a text that run what they are given. full says that there is more
// than is looked at.
func In(lang gate.Language, content []byte) (out []Runner, full bool) {
	if !Knows(lang) {
		return nil, false
	}
	if hasVariables(lang) && lang != gate.LanguageShell {
		return words(string(content))
	}
	r := reader{lang: lang, lines: strings.SplitN(string(content), "\n", maxLines+1)}
	r.full = len(r.lines) > maxLines
	r.lines = r.lines[:min(len(r.lines), maxLines)]
	for i, l := range r.lines {
		if len(l) > maxLine {
			r.lines[i] = ""
		}
	}
	r.imports = imports.Match(content)
	if lang == gate.LanguageShell {
		r.shell()
		in, full := words(string(content))
		return append(r.out, in...), r.full || full
	}
	r.values()
	for n, l := range r.lines {
		name, parameters := definition(lang, l)
		if name != "" && !keyword[name] && len(r.out) < MaxInText {
			r.function(n, name, parameters)
		}
	}
	return r.out, r.full
}

type reader struct {
	lang    gate.Language
	lines   []string
	imports bool            // the text has to do with a module that starts programs
	tables  map[string]bool // names that hold a function that runs texts
	read    int             // lines of functions, with those that lie in several of them
	full    bool
	out     []Runner
}

// may reports whether one more line of a function may be read.
func (r *reader) may() bool {
	r.read++
	r.full = r.full || r.read > maxRead
	return r.read <= maxRead
}

// definition returns what a line defines, and the parameters.
func definition(lang gate.Language, line string) (name, parameters string) {
	if m := defined.groups(line); m != nil {
		if lang == gate.LanguagePerl {
			return m[1], "@_ $_ shift"
		}
		return m[1], m[2]
	}
	if m := arrowed.groups(line); m != nil {
		return m[1], m[2] + " " + m[3] + " " + m[4] + " " + m[5]
	}
	if lang == gate.LanguageJavaScript || lang == gate.LanguageTypeScript {
		if m := method.groups(line); m != nil {
			return m[1], m[2]
		}
	}
	return "", ""
}

// values notes names that hold functions that run texts, and tables of them.
func (r *reader) values() {
	r.tables = map[string]bool{}
	open := ""
	for n, l := range r.lines {
		if m := table.groups(l); m != nil {
			open = m[1] + m[2]
		}
		for _, m := range held.all(l, 10) {
			if !strings.Contains(m[2], ".") && !r.imports && !r.builtin(m[2]) {
				continue
			}
			r.add(Runner{Name: m[1], First: n + 1, Last: n + 1, At: n + 1, Evaluates: strings.HasSuffix(m[2], "eval") || m[2] == "exec" && r.lang == gate.LanguagePython || strings.HasPrefix(m[2], "builtins.")})
			if open != "" && len(r.tables) < MaxInText {
				r.tables[open] = true
			}
		}
		if strings.Contains(l, "import") || strings.Contains(l, "export") {
			for _, m := range renamed.FindAllStringSubmatch(l, 10) {
				r.add(Runner{Name: m[1], First: n + 1, Last: n + 1, At: n + 1})
			}
		}
		if strings.ContainsAny(l, "}])") && !strings.ContainsAny(l, "{[(") {
			open = ""
		}
	}
}

// builtin reports whether a name runs texts without an import.
func (r *reader) builtin(name string) bool {
	return name == "eval" || name == "exec" && r.lang == gate.LanguagePython || name == "system" && r.lang != gate.LanguageJavaScript && r.lang != gate.LanguageTypeScript
}

func (r *reader) add(x Runner) {
	if len(r.out) < MaxInText && len(x.Name) > 1 {
		r.out = append(r.out, x)
	}
}

// function looks whether a function runs what it is given.
func (r *reader) function(at int, name, parameters string) {
	names := map[string]bool{}
	for _, w := range word.FindAllString(parameters, maxNames) {
		names[strings.TrimLeft(w, "$")] = true
	}
	if len(names) == 0 {
		return
	}
	last := r.end(at)
	for n := at; n <= last && r.may(); n++ {
		l := r.lines[n]
		if n == at {
			l = body(l)
		}
		if m := assigned.groups(l); m != nil && len(names) < maxNames && mentions(m[2], names) {
			names[strings.TrimLeft(m[1], "$")] = true
		}
		runs, evaluates := r.runs(l, names)
		if runs {
			r.add(Runner{Name: name, First: at + 1, Last: last + 1, At: n + 1, Evaluates: evaluates})
			return
		}
	}
}

// body is what follows the parameters on the line of a definition.
func body(line string) string {
	for _, mark := range []string{"=>", "{", "):", ":"} {
		if _, rest, ok := strings.Cut(line, mark); ok {
			return rest
		}
	}
	return ""
}

// runs reports whether a line gives one of some names to what runs it.
func (r *reader) runs(line string, names map[string]bool) (runs, evaluates bool) {
	given := func(e expression) bool {
		at := e.find(line)
		return at != nil && mentions(line[at[1]:], names)
	}
	if given(commands) || r.imports && given(started) {
		return true, false
	}
	if given(evaluating) {
		return true, true
	}
	if len(r.tables) == 0 {
		return false, false
	}
	if m := dispatched.find(line); m != nil && r.tables[line[m[2]:m[3]]] && mentions(line[m[1]:], names) {
		return true, false
	}
	return false, false
}

// mentions reports whether a text has one of some names.
func mentions(text string, names map[string]bool) bool {
	for _, w := range word.FindAllString(text, 60) {
		if names[strings.TrimLeft(w, "$")] {
			return true
		}
	}
	return false
}

// end is the last line of a function that begins on a line: by its braces, else by its indentation.
func (r *reader) end(at int) int {
	last := min(at+maxBody, len(r.lines)-1)
	indented := r.lang == gate.LanguagePython || r.lang == gate.LanguageRuby || r.lang == gate.LanguageLua
	depth, opened := 0, false
	margin := indent(r.lines[at])
	for n := at; n <= last; n++ {
		l := r.lines[n]
		if indented {
			if n > at && strings.TrimSpace(l) != "" && indent(l) <= margin && !strings.HasPrefix(strings.TrimSpace(l), ")") {
				return n - 1
			}
			continue
		}
		depth += strings.Count(l, "{") - strings.Count(l, "}")
		opened = opened || strings.Contains(l, "{")
		if depth <= 0 && (opened || n > at) {
			return n
		}
	}
	return last
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// shell looks at the functions of a script.
func (r *reader) shell() {
	for n, l := range r.lines {
		m := shellDef.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		last := r.end(n)
		names := map[string]bool{}
		for i := n; i <= last && r.may(); i++ {
			if t := shellTakes.FindStringSubmatch(r.lines[i]); t != nil {
				names[t[1]] = true
			}
			t := shellNamed.FindStringSubmatch(r.lines[i])
			if shellRuns.MatchString(r.lines[i]) || t != nil && names[t[1]] {
				r.add(Runner{Name: m[1] + m[2], First: n + 1, Last: last + 1, At: i + 1})
				break
			}
		}
	}
}
