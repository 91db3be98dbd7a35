package loads

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/embedded"
)

// Ran says that a text runs values that it reads from a file.
type Ran struct {
	File int // in the index
	Line int // where, 1-based
	embedded.Run
	// Templates are the commands that its rows go into.
	Templates []embedded.Template
}

// Bounds of what is followed in one text.
const (
	maxValueFiles = 40     // files that are followed
	maxListed     = 20     // those of them that are text without keys
	maxValueLines = 20_000 // lines
	maxWords      = 200    // words of one line
	maxValueNames = 60     // names that one file's values have
	maxValueSteps = 4000   // lines that are looked at for one file
)

var (
	// starting matches calls that start what they are given, up to the arguments.
	starting = regexp.MustCompile(`\b(?:os\.(?:system|popen|exec\w+|spawn\w+|startfile)|subprocess\.\w+|Popen|check_output|check_call|getoutput|getstatusoutput|create_subprocess_\w+|pexpect\.\w+|system|popen|shell_exec|passthru|proc_open|pcntl_exec|` +
		`exec(?:Sync|File|FileSync|Command)?|spawn(?:Sync)?|execa\w*|exec\.Command(?:Context)?|ProcessBuilder|(?:getRuntime\(\)|[rR]untime)\.exec|Open3\.\w+|IO\.popen|Process\.(?:Start|spawn)|Start-Process|Invoke-Expression|iex|run_?[cC]ommand|run_?[sS]hell|(?:c|ctx|conn|client)\.(?:run|local|sudo|exec_command))\s*\(`)
	startingRun = regexp.MustCompile(`(?:^|[^\w.])(?:run|call)\s*\(`) // where they are imported from subprocess
	evaluating  = regexp.MustCompile(`(?:^|[^\w.]|\b(?:builtins|vm|window|globalThis)\.)(?:exec|eval|execfile|compile|Function|runIn\w+|instance_eval|class_eval|create_function|setTimeout|setInterval)\s*\(`)
	calling     = regexp.MustCompile(`\b(?:getattr|import_module|__import__|attrgetter|methodcaller|locate|resolve_name|import_string|load_object)\s*\(|\b(?:globals|locals|vars)\(\)\s*\[`)
	sending     = regexp.MustCompile(`\b(?:urlopen|urlretrieve|Request|requests\.\w+|session\.\w+|client\.(?:post|put|request)|httpx\.\w+|fetch|axios(?:\.\w+)?|got(?:\.\w+)?|https?\.(?:request|get|post)|HTTPS?Connection|http\.(?:Post|Put|NewRequest)\w*|file_get_contents|curl_\w+|create_connection|connect|upload\w*)\s*\(`)
	opening     = regexp.MustCompile(`\b(?:open|read_text|read_bytes|Path|readFile(?:Sync)?|createReadStream|ReadFile|File\.read|IO\.read|fopen|expanduser)\s*\(`)

	// getting matches what reads a file, or takes a value out of what was read.
	getting  = regexp.MustCompile(`(?i)\b(?:\w*load\w*|pars\w+|read\w*|require|import|from|open|get\w*|\w*unmarshal|decode\w*|slurp|file_get_contents|yq|jq|dasel|tomlq|crudini|cat|sed|awk|grep|cut|head|tail|xargs|config)\b`)
	assigned = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*(?::\s*[\w.\[\], |<>]+)?\s*:?=[^=>]`)
	braced   = regexp.MustCompile(`\{\s*([\w$,\s:]+?)\s*\}\s*=[^=>]`)
	unpacked = regexp.MustCompile(`(?:\b(?:const|let|var)\s+)?[{\[(]?\s*([A-Za-z_$][\w$]*(?:\s*[,:]\s*[A-Za-z_$][\w$]*)+)\s*[}\])]?\s*:?=[^=>]`)
	iterated = regexp.MustCompile(`\bfor(?:each)?\s*\(?\s*(?:const|let|var|my)?\s*([\w$,\s\[\](){}]+?)\s+(?:in|of)\b`)
	arrow    = regexp.MustCompile(`\(?([\w$,\s{}]+?)\)?\s*=>|\bfunction\s*\w*\s*\(([^()]*)\)|\|([\w,\s]+)\||\blambda\s+([\w,\s]+):`)
	aliased  = regexp.MustCompile(`\bas\s+(\w+)|\bimport\s+(?:\*\s+as\s+)?\{?([\w$,\s]+?)\}?\s+from\b|&(\w+)\s*\)`)
	holder   = regexp.MustCompile(`([A-Za-z_$][\w$]*)\.(?:read|readfp|read_file|readfile|read_string|load|load_file|parse|from_file|fromFile|file|update|append|extend|push)\s*\(`)
	defined  = regexp.MustCompile(`(?:\bdef|\bfunction|\bfunc(?:\s*\([^)]*\))?|\bsub|\bfn)\s+(\w+)\s*\(([^)]*)\)|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:function\s*)?\(([^)]*)\)\s*(?:=>|\{)`)
	word     = regexp.MustCompile(`[A-Za-z_$][\w$]*`)

	shellRuns   = regexp.MustCompile(`(?m)\beval\s|(?:^|[\s;&|(@])(?:ba|da|z|k|a)?sh\s+(?:-\w+\s+)*-\w*c\b|(?:\bsource|(?:^|\s)\.)\s+(?:<\(|/dev/stdin)|(?:^|[;&|]\s*|\bdo\s+|\bthen\s+|@)["']?\$[({\w]`)
	shellPipes  = regexp.MustCompile(`\|\s*(?:sudo\s+|env\s+)*(?:(?:ba|da|z|k|a)?sh\b(?:\s*$|\s+-|\s*[;&|)"'])|xargs\b|parallel\b|source\s+/dev/stdin|bash\b|while\s+(?:IFS=\S*\s+)?read\b)`)
	shellRows   = regexp.MustCompile(`\b(?:xargs|parallel|read|for)\s`)
	shellReads  = regexp.MustCompile(`\b(?:read|mapfile|readarray)\s+(?:-\w+\s+)*([A-Za-z_]\w*)`)
	shellLoaded = regexp.MustCompile(`\b(?:yq|jq|gojq|dasel|tomlq|xq|crudini|cat|sed|awk|grep|cut|head|tail|python3?|node|ruby|perl|git\s+config|mapfile|read|done)\b|\$\(\s*<`)
)

// runsValues is a first look at whether a text can run values at all.
func runsValues(lang gate.Language, content []byte) bool {
	if lang == gate.LanguageShell {
		return shellRuns.Match(content) || shellPipes.Match(content) || shellRows.Match(content)
	}
	return starting.Match(content) || evaluating.Match(content) || calling.Match(content) || sending.Match(content) || startingRun.Match(content)
}

// holdsValues reports whether a file of that name is data that programs parse.
func holdsValues(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".jsonc", ".json5", ".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".webmanifest", ".geojson":
		return true
	}
	return false
}

// Values returns the data files of an index whose values a text in that language runs, as
// far as names say it: a value goes from what reads the file over variables, loops and
// functions of the text into a call that runs it. The text itself is no data.
func Values(name string, lang gate.Language, content []byte, files *Index) []Ran {
	if !files.hasData(name) || !runsValues(lang, content) {
		return nil
	}
	text := string(content)
	mentioned := map[int]map[int]columns{} // by file and line
	var order []int
	listed := 0 // files without keys
	lines, seen := newLineCounter(text), 0
	elsewhere := moves.MatchString(text)
	files.everyMention(text, func(m mention) bool {
		if seen++; seen > maxMentions {
			return false
		}
		if lang == gate.LanguageShell && startsProgram(text, m) {
			return true
		}
		for _, f := range files.nearest(name, text[m.start:m.end], m.files, elsewhere) {
			if !holdsValues(files.paths[f]) && !isRows(files.paths[f]) {
				continue
			}
			if isStrange(name, text, text[m.start:m.end], files.paths[f]) {
				continue
			}
			if mentioned[f] == nil && !holdsValues(files.paths[f]) {
				if listed++; listed > maxListed {
					continue
				}
			}
			if mentioned[f] == nil {
				order = append(order, f)
				mentioned[f] = map[int]columns{}
			}
			n, column := lines.at(m.start)-1, m.start-1-strings.LastIndexByte(text[:m.start], '\n')
			c, known := mentioned[f][n]
			if !known {
				c.first = column
			}
			mentioned[f][n] = columns{min(c.first, column), max(c.last, column)}
		}
		return len(order) < maxValueFiles+min(listed, maxListed)
	})
	if len(order) == 0 {
		return nil
	}
	in := newStatements(text)
	var out []Ran
	for _, f := range order {
		v := follower{statements: in, lang: lang, names: map[string]int{}, at: mentioned[f], rows: !holdsValues(files.paths[f])}
		v.follow()
		if v.run.Sends = v.sends && v.opens; v.run != (embedded.Run{}) || len(v.templates) > 0 {
			v.run.Pipes = v.run.Shell && pipesBetween.MatchString(text)
			out = append(out, Ran{File: f, Line: max(v.line, 1), Run: v.run, Templates: v.templates})
		}
	}
	return out
}

// startsProgram reports whether a mention in a script is the name of a program that it starts by
// the search path: the file of that name is another one.
func startsProgram(text string, m mention) bool {
	if strings.ContainsAny(text[m.start:m.end], "./") {
		return false
	}
	line := text[strings.LastIndexByte(text[:m.start], '\n')+1 : m.start]
	return inFrontOfProgram.MatchString(line[max(0, len(line)-maxInFront):])
}

// isStrange reports whether a bare word is hardly the name of a file: the file has no extension,
// lies neither beside the text nor at the root, and the text doesn't name its folder.
func isStrange(by, text, word, file string) bool {
	folder := path.Dir(file)
	if strings.ContainsAny(word, "./") || folder == "." || folder == path.Dir(by) {
		return false
	}
	return !strings.Contains(text, path.Base(folder))
}

// maxInFront is how many bytes in front of a program's name are looked at.
const maxInFront = 400

// inFrontOfProgram matches what a line of a script has in front of the name of a program.
var inFrontOfProgram = regexp.MustCompile(`(?:^|[;|&({` + "`" + `!]|\b(?:then|do|else|elif|if|while|until|sudo|exec|time|command|env)\s)\s*(?:\w+=(?:"[^"]*"|'[^']*'|[^\s"']*)\s+)*$`)

// How far a value has come.
const (
	isPath  = 1 // a name of the file
	isValue = 2 // something read from it
)

// statements are the lines of a text with what is in them.
type statements struct {
	lines      []string
	of         map[string][]int  // lines by each word of them
	parameters map[string]string // of each function
	subprocess bool
}

func newStatements(text string) *statements {
	s := &statements{of: map[string][]int{}, parameters: map[string]string{}, subprocess: strings.Contains(text, "subprocess")}
	s.lines = strings.SplitN(text, "\n", maxValueLines+1)
	s.lines = s.lines[:min(len(s.lines), maxValueLines)]
	for n, line := range s.lines {
		if isRemark(line) {
			continue
		}
		for _, w := range word.FindAllString(line, maxWords) {
			w = strings.TrimLeft(w, "$")
			if at := s.of[w]; len(at) == 0 || at[len(at)-1] != n {
				s.of[w] = append(at, n)
			}
		}
		if m := defined.FindStringSubmatch(line); m != nil && s.parameters[m[1]+m[3]] == "" {
			s.parameters[m[1]+m[3]] = withoutTypes.ReplaceAllString(m[2]+" "+m[4], "")
		}
	}
	return s
}

// isRemark reports whether a line says nothing to the person who runs it, or too much.
func isRemark(line string) bool {
	trimmed := strings.TrimLeft(line, " \t@-")
	return trimmed == "" || len(line) > 4000 || trimmed[0] == '#' || strings.HasPrefix(trimmed, "//")
}

// columns are where a line first and last mentions something, from 0.
type columns struct{ first, last int }

// follower follows what is read from one file through the lines of a text.
type follower struct {
	*statements
	lang         gate.Language
	at           map[int]columns // lines that mention the file, from 0
	names        map[string]int  // how far the value of a name has come
	queue        []int           // lines to look at
	run          embedded.Run
	line         int
	sends, opens bool
	rows         bool // the file has no keys and values
	templates    []embedded.Template
	tried        int // lines that were searched for a template
}

// pipesBetween matches a text that puts a pipe between others.
var pipesBetween = regexp.MustCompile(`["'` + "`" + `]\s*\|\s*["'` + "`" + `]`)

func (v *follower) follow() {
	v.queue = slices.Sorted(maps.Keys(v.at))
	for at := 0; at < len(v.queue) && at < maxValueSteps; at++ {
		if n := v.queue[at]; n < len(v.lines) && !isRemark(v.lines[n]) {
			v.read(n, v.lines[n])
		}
	}
}

// read looks at one line.
func (v *follower) read(n int, line string) {
	first, level := v.first(n, line)
	if level == 0 {
		return
	}
	if v.lang == gate.LanguageShell {
		v.shell(n, line, first, level)
		return
	}
	if level == isPath && getting.MatchString(line) && (!v.rows || readsRows.MatchString(line)) {
		level = isValue
	}
	last := v.last(n, line)
	if level == isValue {
		v.sinks(n, line, last)
	}
	v.spread(n, line, first, last, level)
}

// sinks notes the calls of a line in front of a value.
func (v *follower) sinks(n int, line string, last int) {
	before := func(e *regexp.Regexp) bool {
		at := e.FindStringIndex(line)
		return at != nil && at[1] <= last
	}
	found := false
	if before(starting) || v.subprocess && before(startingRun) {
		v.run.Shell, found = true, true
		if v.tries() {
			v.keep(n, v.template(line[startOf(line):]))
		}
	}
	if before(evaluating) {
		v.run.Own, found = v.lang, true
	}
	if before(calling) {
		v.run.Calls, found = true, true
	}
	v.sends = v.sends || before(sending)
	v.opens = v.opens || !v.mentions(n) && before(opening)
	if found && v.line == 0 {
		v.line = n + 1
	}
}

// startOf is where the arguments of the call of a line begin that starts something.
func startOf(line string) int {
	if at := starting.FindStringIndex(line); at != nil {
		return at[1]
	}
	if at := startingRun.FindStringIndex(line); at != nil {
		return at[1]
	}
	return 0
}

func (v *follower) mentions(n int) bool {
	_, ok := v.at[n]
	return ok
}

// give notes how far the value of a name has come.
func (v *follower) give(name string, level int) {
	name = strings.TrimLeft(name, "$")
	if level > v.names[name] && (v.names[name] > 0 || len(v.names) < maxValueNames) && len(name) > 0 {
		v.names[name] = level
		if len(v.queue) < maxValueSteps {
			v.queue = append(v.queue, v.of[name]...)
		}
	}
}

// level says how far the value of a word has come.
func (v *follower) level(line string, m []int) int {
	if isMember(line, m[0]) {
		return 0
	}
	return v.names[strings.TrimLeft(line[m[0]:m[1]], "$")]
}

// first returns where a line first has to do with the file, and how far its value is.
func (v *follower) first(n int, line string) (at, level int) {
	at = len(line)
	if c, ok := v.at[n]; ok {
		at, level = min(c.first, at), isPath
	}
	for _, m := range word.FindAllStringIndex(line, maxWords) {
		if l := v.level(line, m); l > 0 {
			at, level = min(at, m[0]), max(level, l)
		}
	}
	return at, level
}

// last returns where a line last has to do with the file.
func (v *follower) last(n int, line string) int {
	at := -1
	if c, ok := v.at[n]; ok {
		at = c.last
	}
	for _, m := range word.FindAllStringIndex(line, maxWords) {
		if v.level(line, m) > 0 {
			at = max(at, m[0])
		}
	}
	return at
}

// isMember reports whether a name is one of an object that has nothing to do with the file:
// x.name. What belongs to the program's own object may be anything.
func isMember(line string, at int) bool {
	if at == 0 || line[at-1] != '.' {
		return false
	}
	own := strings.HasSuffix(line[:at-1], "self") || strings.HasSuffix(line[:at-1], "this")
	return !own
}

// spread gives the value to the names that a line gives it.
func (v *follower) spread(n int, line string, first, last, level int) {
	give := func(names string) {
		for _, name := range word.FindAllString(names, 20) {
			switch name {
			case "const", "let", "var", "my", "in", "of", "self", "this", "None", "null":
				continue
			}
			v.give(name, level)
		}
	}
	if m := iterated.FindStringSubmatchIndex(line); m != nil && m[0] < last {
		give(line[m[2]:m[3]])
	}
	for _, m := range aliased.FindAllStringSubmatch(line, 5) {
		give(m[1] + " " + m[2] + " " + m[3])
	}
	if m := holder.FindStringSubmatchIndex(line); m != nil && m[1] <= last {
		give(line[m[2]:m[3]])
	}
	if m := braced.FindStringSubmatchIndex(line); m != nil && m[1] <= last+1 {
		give(line[m[2]:m[3]])
	} else if m := unpacked.FindStringSubmatchIndex(line); m != nil && m[1] <= last+1 {
		give(line[m[2]:m[3]])
	} else if m := assigned.FindStringSubmatchIndex(line); m != nil && m[1] <= last+1 {
		give(line[m[2]:m[3]])
	}
	for _, m := range arrow.FindAllStringSubmatchIndex(line, 5) {
		if m[0] > first {
			for i := 2; i < len(m); i += 2 {
				if m[i] >= 0 {
					give(line[m[i]:m[i+1]])
				}
			}
		}
	}
	if strings.Contains(line, "return ") || strings.Contains(line, "yield ") || v.lang == gate.LanguageRuby {
		for up := n; up >= 0 && up > n-200; up-- {
			if m := defined.FindStringSubmatch(v.lines[up]); m != nil {
				give(m[1] + " " + m[3])
				break
			}
		}
	}
	v.arguments(line, last, give)
}

// arguments gives the value to the parameters of a function of the text that a line calls
// with it.
func (v *follower) arguments(line string, last int, give func(string)) {
	for _, at := range called.FindAllStringSubmatchIndex(line, 10) {
		if at[1] > last {
			return
		}
		give(v.parameters[line[at[2]:at[3]]])
	}
}

var (
	called       = regexp.MustCompile(`\b([A-Za-z_]\w*)\s*\(`)
	withoutTypes = regexp.MustCompile(`:\s*[\w.\[\]|]+|=\s*[^,]+`)
)

// shell looks at one line of a script.
func (v *follower) shell(n int, line string, first, level int) {
	if v.mentions(n) && shellLoaded.MatchString(line) {
		level = isValue
	}
	found := false
	if level == isValue || v.mentions(n) && shellPipes.MatchString(line) {
		if at := shellRuns.FindStringIndex(line); at != nil && at[0] <= v.last(n, line) {
			found = true
		}
		for _, at := range shellPipes.FindAllStringIndex(line, 5) {
			found = found || at[0] >= first && !strings.Contains(line[at[0]:at[1]], "read")
		}
	}
	if found {
		v.run.Shell = true
		if v.line == 0 {
			v.line = n + 1
		}
	}
	give := func(name string) { v.give(name, level) }
	defer func() {
		if (level == isValue || v.mentions(n)) && v.tries() {
			v.keep(n, v.shellTemplates(n, line)...)
		}
	}()
	if m := assigned.FindStringSubmatchIndex(line + " "); m != nil && m[1] <= first+1 {
		give(line[m[2]:m[3]])
	}
	if m := looped.FindStringSubmatch(line[:first]); m != nil {
		give(m[1])
	}
	if strings.Contains(line, "read") || strings.Contains(line, "done") || strings.Contains(line, "mapfile") {
		for at := max(0, n-20); at <= n; at++ {
			for _, m := range shellReads.FindAllStringSubmatch(v.lines[at], 5) {
				give(m[1])
			}
		}
	}
}
