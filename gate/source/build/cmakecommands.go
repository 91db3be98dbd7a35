package build

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// cmakeRun is one run of a command with its arguments worked out.
type cmakeRun struct {
	*cmake
	call  cmakeCall
	args  []string
	depth int
	set   func(name, value string)
}

func (r cmakeRun) arg(i int) string {
	if i >= 0 && i < len(r.args) {
		return r.args[i]
	}
	return ""
}

func (r cmakeRun) from(i int) []string { return r.args[min(i, len(r.args)):] }

// middle are the arguments from one on, without the last.
func (r cmakeRun) middle(i int) []string {
	rest := r.from(i)
	return rest[:max(0, len(rest)-1)]
}

// cmakeCommands are the commands that are followed.
func cmakeCommands() map[string]func(cmakeRun) {
	return map[string]func(cmakeRun){
		"set": cmakeSet, "string": cmakeString, "list": cmakeList, "file": cmakeFile, "cmake_language": cmakeLanguage,
		"execute_process": cmakeExecute, "exec_program": cmakeProgram, "include": cmakeInclude, "install": cmakeInstall,
		"add_custom_command": cmakeCustom, "add_custom_target": cmakeCustom, "add_test": cmakeCustom, "externalproject_add": cmakeCustom,
		"externalproject_add_step": cmakeCustom, "set_property": cmakeProperty, "set_target_properties": cmakeProperty,
		"separate_arguments": func(r cmakeRun) {
			text := r.value(r.arg(0))
			if len(r.args) > 1 {
				text = r.arg(len(r.args) - 1)
			}
			if words, ok := shellWords(text); ok {
				r.set(r.arg(0), strings.Join(words, ";"))
			}
		},
		"math":           func(r cmakeRun) { r.set(r.arg(1), fromElsewhere("${"+r.arg(1)+"}")) },
		"get_property":   func(r cmakeRun) { r.set(r.arg(0), fromElsewhere("${"+r.arg(0)+"}")) },
		"unset":          func(r cmakeRun) { delete(r.vars, r.arg(0)) },
		"load_cache":     func(cmakeRun) {},
		"option":         func(r cmakeRun) { r.set(r.arg(0), fromElsewhere("${"+r.arg(0)+"}")) },
		"find_program":   func(r cmakeRun) { r.found() },
		"find_file":      func(r cmakeRun) { r.set(r.arg(0), fromElsewhere("${"+r.arg(0)+"}")) },
		"configure_file": func(cmakeRun) {},
	}
}

// found is the program that find_program looks for: the first of its names.
func (r cmakeRun) found() {
	for _, name := range r.from(1) {
		if name != "NAMES" && name != "REQUIRED" {
			r.set(r.arg(0), name)
			return
		}
	}
}

func cmakeSet(r cmakeRun) {
	name, values := r.arg(0), r.from(1)
	if i := slices.Index(values, "CACHE"); i >= 0 {
		values = values[:i]
	}
	if n := len(values); n > 0 && values[n-1] == "PARENT_SCOPE" {
		values = values[:n-1]
	}
	value := strings.Join(values, ";")
	if strings.HasSuffix(name, "_LAUNCHER") || strings.HasPrefix(name, "CMAKE_") && strings.Contains(name, "_COMPILE_OBJECT") {
		r.command(values)
	}
	r.set(name, value)
}

func cmakeProperty(r cmakeRun) {
	for i, a := range r.args {
		if strings.HasPrefix(a, "RULE_LAUNCH_") || strings.HasSuffix(a, "_LAUNCHER") {
			r.command(strings.Split(strings.Join(r.from(i+1), ";"), ";"))
		}
	}
}

// textOf is what a function of text makes of others: not known where one of them is not, but
// for what CMake itself sets.
func (r cmakeRun) textOf(function string, value func() (string, bool), of ...string) string {
	for _, text := range of {
		if !known(text) {
			if strings.Contains(text, "v${CMAKE_") || strings.Contains(text, "_EXECUTABLE") || strings.Contains(text, "_DIR}") {
				return fromElsewhere("${" + function + "}")
			}
			return notWorkedOut("string-" + function)
		}
	}
	out, ok := value()
	if !ok || len(out) > maxValue {
		return notWorkedOut("string-" + function)
	}
	return out
}

func cmakeString(r cmakeRun) {
	sub := strings.ToUpper(r.arg(0))
	switch sub {
	case "APPEND", "PREPEND":
		before := ""
		if len(r.vars[r.arg(1)]) > 0 {
			before = r.value(r.arg(1))
		}
		more := strings.Join(r.from(2), "")
		if sub == "PREPEND" {
			before, more = more, before
		}
		r.set(r.arg(1), before+more)
	case "CONCAT":
		r.set(r.arg(1), strings.Join(r.from(2), ""))
	case "JOIN":
		r.set(r.arg(2), strings.Join(r.from(3), r.arg(1)))
	case "REPLACE":
		from, to, in := r.arg(1), r.arg(2), strings.Join(r.from(4), "")
		r.set(r.arg(3), r.textOf(sub, func() (string, bool) { return strings.ReplaceAll(in, from, to), from != "" }, from, to, in))
	case "REGEX":
		cmakeRegex(r)
	case "ASCII":
		r.set(r.arg(len(r.args)-1), r.textOf(sub, func() (string, bool) { return ascii(r.middle(1)) }, r.args...))
	case "HEX":
		r.set(r.arg(2), r.textOf(sub, func() (string, bool) { return hex.EncodeToString([]byte(r.arg(1))), true }, r.arg(1)))
	case "TOLOWER":
		r.set(r.arg(2), strings.ToLower(r.arg(1)))
	case "TOUPPER":
		r.set(r.arg(2), strings.ToUpper(r.arg(1)))
	case "STRIP", "GENEX_STRIP":
		r.set(r.arg(2), strings.TrimSpace(r.arg(1)))
	case "CONFIGURE":
		r.set(r.arg(2), r.configured(r.arg(1)))
	case "SUBSTRING":
		r.set(r.arg(4), r.textOf(sub, func() (string, bool) { return substring(r.arg(1), r.arg(2), r.arg(3)) }, r.args...))
	case "REPEAT":
		n, err := strconv.Atoi(r.arg(2))
		r.set(r.arg(3), r.textOf(sub, func() (string, bool) {
			if err != nil || n < 0 || n*len(r.arg(1)) > maxValue {
				return "", false
			}
			return strings.Repeat(r.arg(1), n), true
		}, r.args...))
	default: // RANDOM, TIMESTAMP, hashes, JSON, LENGTH, FIND …
		for _, name := range r.from(1) {
			if len(r.vars[name]) == 0 && known(name) && variableName.MatchString(name) {
				r.set(name, notWorkedOut("string "+sub))
			}
		}
	}
}

var variableName = regexp.MustCompile(`^[A-Za-z_]\w{0,60}$`)

func ascii(numbers []string) (string, bool) {
	var out []byte
	for _, n := range numbers {
		c, err := strconv.Atoi(n)
		if err != nil || c < 0 || c > 255 {
			return "", false
		}
		out = append(out, byte(c))
	}
	return string(out), true
}

func substring(s, from, length string) (string, bool) {
	i, err := strconv.Atoi(from)
	n, err2 := strconv.Atoi(length)
	if err != nil || err2 != nil || i < 0 || i > len(s) {
		return "", false
	}
	if n < 0 || n > len(s)-i {
		n = len(s) - i
	}
	return s[i : i+n], true
}

var cmakeReference = regexp.MustCompile(`\\(\d)`)

// cmakeRegex is string(REGEX REPLACE …) and string(REGEX MATCH …).
func cmakeRegex(r cmakeRun) {
	sub := r.arg(1)
	expression, err := regexp.Compile(r.arg(2))
	if err == nil && len(r.arg(2)) > 1000 {
		return
	}
	if sub == "REPLACE" {
		in := strings.Join(r.from(5), "")
		to := cmakeReference.ReplaceAllString(strings.ReplaceAll(r.arg(3), "$", "$$"), "$${$1}")
		r.set(r.arg(4), r.textOf("REGEX", func() (string, bool) {
			if err != nil || len(to) > 1000 || len(in) > maxValue/4 {
				return "", false
			}
			return strings.ReplaceAll(expression.ReplaceAllString(in, to), `\\`, `\`), true
		}, r.args...))
		return
	}
	in := strings.Join(r.from(4), "")
	r.set(r.arg(3), r.textOf("REGEX", func() (string, bool) {
		if err != nil {
			return "", false
		}
		if sub == "MATCHALL" {
			return strings.Join(expression.FindAllString(in, maxItems), ";"), true
		}
		return expression.FindString(in), true
	}, r.args...))
}

var atVariable = regexp.MustCompile(`@(\w+)@`)

// configured replaces @NAME@ as well.
func (r cmakeRun) configured(s string) string {
	return r.expand(atVariable.ReplaceAllString(s, "$${$1}"), 1)
}

func cmakeList(r cmakeRun) {
	name := r.arg(1)
	var list []string
	if len(r.vars[name]) > 0 {
		list = split(r.value(name))
	}
	put := func(list []string) { r.set(name, strings.Join(list, ";")) }
	switch strings.ToUpper(r.arg(0)) {
	case "APPEND":
		put(append(list, r.from(2)...))
	case "PREPEND":
		put(append(slices.Clone(r.from(2)), list...))
	case "INSERT":
		put(append(slices.Clone(r.from(3)), list...))
	case "REVERSE":
		slices.Reverse(list)
		put(list)
	case "SORT":
		slices.Sort(list)
		put(list)
	case "REMOVE_ITEM":
		put(slices.DeleteFunc(list, func(s string) bool { return slices.Contains(r.from(2), s) }))
	case "JOIN":
		r.set(r.arg(3), strings.Join(list, r.arg(2)))
	case "GET", "SUBLIST":
		var got []string
		for _, a := range r.middle(2) {
			n, err := strconv.Atoi(a)
			if n < 0 {
				n += len(list)
			}
			if err != nil || n < 0 || n >= len(list) {
				r.set(r.arg(len(r.args)-1), notWorkedOut("list"))
				return
			}
			got = append(got, list[n])
		}
		if strings.ToUpper(r.arg(0)) == "SUBLIST" {
			got = list
		}
		r.set(r.arg(len(r.args)-1), strings.Join(got, ";"))
	case "TRANSFORM", "FILTER", "POP_BACK", "POP_FRONT", "REMOVE_AT":
		if len(list) > 0 {
			r.set(name, notWorkedOut("list"))
		}
	}
}

// cmakeFile follows downloads, which later commands may run, and files that are read.
func cmakeFile(r cmakeRun) {
	switch sub := strings.ToUpper(r.arg(0)); sub {
	case "DOWNLOAD":
		if !slices.ContainsFunc(r.args, func(a string) bool { return strings.HasPrefix(a, "EXPECTED_") }) {
			r.emit(shown("curl -fsSL "+word(r.arg(1))+" -o "+word(r.arg(2))), r.call.at)
		}
	case "READ", "STRINGS":
		r.set(r.arg(2), notWorkedOut("file "+sub))
	}
}

// cmakeInclude is a file that becomes part of this one; one that was fetched is run.
func cmakeInclude(r cmakeRun) {
	if file := shown(r.arg(0)); strings.ContainsAny(file, "./") && slices.ContainsFunc(r.out, func(l Line) bool {
		return strings.HasPrefix(l.Text, "curl ") && strings.HasSuffix(l.Text, " -o "+word(file))
	}) {
		r.emit("sh "+word(file), r.call.at)
	}
}

func cmakeLanguage(r cmakeRun) {
	i := slices.IndexFunc(r.args, func(a string) bool { return a == "EVAL" || a == "CALL" })
	switch {
	case i < 0:
	case r.args[i] == "EVAL":
		text := strings.Join(r.from(i+2), " ")
		if !known(text) && strings.Contains(text, string(unknownOpen)+"f") {
			r.emit(shown(text), r.call.at)
		}
		calls := r.parse(shown(text), r.call.at)
		for j := range calls {
			calls[j].at = r.call.at
		}
		r.block(calls, true, r.depth+1)
	default:
		inner := cmakeCall{name: strings.ToLower(r.arg(i + 1)), at: r.call.at}
		for _, a := range r.from(i + 2) {
			inner.args = append(inner.args, cmakeArg{a, bracketArg})
		}
		r.block([]cmakeCall{inner}, true, r.depth+1)
	}
}

// cmakeInstall is install(CODE …), which runs when what was built is installed.
func cmakeInstall(r cmakeRun) {
	if i := slices.Index(r.args, "CODE"); i >= 0 {
		calls := r.parse(shown(r.arg(i+1)), r.call.at)
		for j := range calls {
			calls[j].at = r.call.at
		}
		r.block(calls, true, r.depth+1)
	}
}

// endsCommand are the words that end the arguments of COMMAND.
var endsCommand = regexp.MustCompile(`^(?:(?:[A-Z]+_)*(?:COMMAND|ARGS|DEPENDS|WORKING_DIRECTORY|TIMEOUT|RESULT_VARIABLE|RESULTS_VARIABLE|OUTPUT_VARIABLE|ERROR_VARIABLE|INPUT_FILE|OUTPUT_FILE|ERROR_FILE|OUTPUT_QUIET|ERROR_QUIET|COMMAND_ECHO|` +
	`OUTPUT_STRIP_TRAILING_WHITESPACE|ERROR_STRIP_TRAILING_WHITESPACE|ENCODING|ECHO_OUTPUT_VARIABLE|ECHO_ERROR_VARIABLE|COMMAND_ERROR_IS_FATAL|VERBATIM|COMMENT|BYPRODUCTS|USES_TERMINAL|COMMAND_EXPAND_LISTS|` +
	`SOURCES|MAIN_DEPENDENCY|PRE_BUILD|PRE_LINK|POST_BUILD|DEPFILE|JOB_POOL|APPEND|CONFIGURATIONS))$`)

// commandsOf are the command lines among the arguments of a command.
func commandsOf(args []string) [][]string {
	var out [][]string
	in := false
	for _, a := range args {
		switch {
		case a == "COMMAND" || strings.HasSuffix(a, "_COMMAND") && endsCommand.MatchString(a):
			in = true
			out = append(out, nil)
		case endsCommand.MatchString(a):
			in = a == "ARGS" && in
		case in:
			out[len(out)-1] = append(out[len(out)-1], a)
		}
	}
	return out
}

// command adds a command line.
func (r cmakeRun) command(words []string) {
	if text := shown(commandLine(words)); strings.TrimSpace(text) != "" {
		r.emit(text, r.call.at)
	}
}

// commandLine writes words as a shell would get them.
func commandLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = word(w)
	}
	return strings.Join(out, " ")
}

// word quotes a word that a shell would split.
func word(w string) string {
	if strings.ContainsAny(w, " \t\n") && !strings.ContainsRune(w, '\'') {
		return "'" + w + "'"
	}
	return w
}

// cmakeExecute is execute_process: several commands are a pipeline.
func cmakeExecute(r cmakeRun) {
	commands := commandsOf(r.args)
	var stages []string
	for _, words := range commands {
		stages = append(stages, commandLine(words))
	}
	line := strings.Join(stages, " | ")
	if strings.TrimSpace(line) != "" {
		r.emit(shown(line), r.call.at)
	}
	if i := slices.Index(r.args, "OUTPUT_VARIABLE"); i >= 0 {
		r.set(r.arg(i+1), r.printed(line, commands))
	}
}

// printed is what commands print.
func (r cmakeRun) printed(line string, commands [][]string) string {
	if len(commands) == 1 && known(line) {
		if words := commands[0]; len(words) > 1 {
			switch words[0] {
			case "printf":
				if text, ok := formatted(words[1], words[2:]); ok {
					return text
				}
			case "echo":
				return echoed(words[1:])
			}
		}
		if i := slices.Index(commands[0], "echo"); i > 0 && slices.Contains(commands[0][:i], "-E") {
			return strings.Join(commands[0][i+1:], " ")
		}
	}
	if printsText.MatchString(line + " ") {
		return notWorkedOut("execute_process")
	}
	return fromElsewhere("${" + "output}")
}

func cmakeProgram(r cmakeRun) {
	words := slices.DeleteFunc(slices.Clone(r.args), func(a string) bool { return a == "ARGS" })
	r.command(words)
}

// cmakeCustom is a command of a target: a pipe sign in it is one for the shell.
func cmakeCustom(r cmakeRun) {
	var lines []string
	for _, words := range commandsOf(r.args) {
		lines = append(lines, commandLine(words))
	}
	if text := shown(strings.Join(lines, " && ")); strings.TrimSpace(text) != "" {
		r.emit(text, r.call.at)
	}
}
