package build

import (
	"slices"
	"strings"
)

// ReadCMake evaluates a CMake file and returns the commands that it runs, as command lines of
// a shell. unread are the bounds that kept something from being worked out.
func ReadCMake(content []byte) (lines []Line, unread []string) {
	c := &cmake{budget: newBudget(), commands: cmakeCommands(), vars: map[string][]string{}, functions: map[string]cmakeFunction{}, called: map[string]bool{}, active: map[string]int{}}
	c.ways = &ways{choice: map[string]int{}, among: map[string]int{}}
	c.block(c.parse(withoutSigns(string(content)), 1), false, 0)
	for name, f := range c.functions {
		if !c.called[name] {
			c.pending = append(c.pending, f)
		}
	}
	slices.SortFunc(c.pending, func(a, b cmakeFunction) int { return a.at - b.at })
	for _, f := range c.pending {
		c.block(f.body, true, 0) // with what it is called is not known
	}
	if c.budget.spent {
		c.emit(Computed+"more than gate works out}}", 1)
	}
	return c.out, c.budget.unread
}

// cmake is the state of a CMake that only reads.
type cmake struct {
	budget    *budget
	commands  map[string]func(cmakeRun)
	ways      *ways
	vars      map[string][]string // the values that each may have
	functions map[string]cmakeFunction
	called    map[string]bool
	active    map[string]int // functions that run just now
	pending   []cmakeFunction
	at        int
	out       []Line
}

// cmakeFunction is a function or a macro.
type cmakeFunction struct {
	params []string
	body   []cmakeCall
	at     int
}

func (c *cmake) emit(text string, at int) {
	for i, line := range strings.Split(text, "\n") {
		l := Line{line, at}
		if i == 0 && slices.Contains(c.out[max(0, len(c.out)-20):], l) {
			return
		}
		if !c.budget.full(len(c.out), maxLines, "commands") {
			c.out = append(c.out, l)
		}
	}
}

// maxBlocks is how deep blocks and calls of functions are followed.
const maxBlocks = 60

// block runs commands. maybe says that they need not run.
func (c *cmake) block(calls []cmakeCall, maybe bool, depth int) {
	if c.budget.over(depth, maxBlocks, "blocks within each other") {
		return
	}
	open := 0 // conditions
	for i := 0; i < len(calls) && c.budget.take(1); i++ {
		call := calls[i]
		c.at = call.at
		switch call.name {
		case "if":
			open++
		case "endif":
			open = max(0, open-1)
		case "foreach":
			end := endOf(calls, i, "foreach", "endforeach")
			c.foreach(call, calls[i+1:end], maybe || open > 0, depth)
			i = end
		case "while":
			end := endOf(calls, i, "while", "endwhile")
			c.block(calls[i+1:end], true, depth+1)
			i = end
		case "function", "macro":
			end := endOf(calls, i, call.name, "end"+call.name)
			c.function(call, calls[i+1:end])
			i = end
		default:
			c.call(call, maybe || open > 0, depth)
		}
	}
}

// endOf is where the block ends that begins at i.
func endOf(calls []cmakeCall, i int, begin, end string) int {
	depth := 0
	for j := i; j < len(calls); j++ {
		switch calls[j].name {
		case begin:
			depth++
		case end:
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return len(calls)
}

func (c *cmake) function(call cmakeCall, body []cmakeCall) {
	args := c.args(call.args)
	if len(args) == 0 {
		return
	}
	name := strings.ToLower(args[0])
	if old, ok := c.functions[name]; ok && !c.called[name] {
		c.pending = append(c.pending, old)
	}
	c.functions[name] = cmakeFunction{args[1:], body, call.at}
}

// maxItems bounds how often a loop is gone through.
const maxItems = 2000

func (c *cmake) foreach(call cmakeCall, body []cmakeCall, maybe bool, depth int) {
	args := c.args(call.args)
	if len(args) == 0 {
		return
	}
	items, lists := args[1:], false
	if len(items) > 0 && items[0] == "IN" {
		var found []string
		for _, a := range items[1:] {
			switch {
			case a == "LISTS" || a == "ITEMS" || a == "ZIP_LISTS":
				lists = a != "ITEMS"
			case lists:
				found = append(found, split(c.value(a))...)
			default:
				found = append(found, a)
			}
		}
		items = found
	}
	for n, item := range items {
		if c.budget.full(n, maxItems, "rounds of a loop") {
			break
		}
		c.vars[args[0]] = []string{item}
		c.block(body, maybe, depth+1)
	}
	if len(items) == 0 {
		delete(c.vars, args[0])
		c.block(body, true, depth+1)
	}
}

// call runs one command, in every way.
func (c *cmake) call(call cmakeCall, maybe bool, depth int) {
	if f, ok := c.functions[call.name]; ok {
		c.invoke(call, f, maybe, depth)
		return
	}
	do, ok := c.commands[call.name]
	if !ok {
		return
	}
	results := map[string][]string{}
	outer := c.ways
	c.budget.every(func(w *ways) {
		c.ways = w
		do(cmakeRun{c, call, c.args(call.args), depth, func(name, value string) {
			if len(value) > maxValue || !c.budget.take(len(value)) {
				value = tooMuch(maxValue, "bytes")
			}
			results[name] = append(results[name], value)
		}})
	})
	c.ways = outer
	for name, values := range results {
		if maybe {
			values = append(slices.Clone(c.vars[name]), values...)
		}
		if c.vars[name] != nil || !c.budget.full(len(c.vars), maxVariables, "variables") {
			c.vars[name] = variants(values, func(all []string) string { return oneOf(all, maxVariants, "values") })
		}
	}
}

// maxRecursion is how often a function is followed that calls itself: the conditions under
// which it does are not known.
const maxRecursion = 4

// startsPrograms are the commands that do.
var startsPrograms = map[string]bool{
	"execute_process": true, "exec_program": true, "install": true, "add_custom_command": true, "add_custom_target": true, "add_test": true, "externalproject_add": true,
	"cmake_language": true, "file": true, "set_property": true,
}

// invoke runs a function with its arguments.
func (c *cmake) invoke(call cmakeCall, f cmakeFunction, maybe bool, depth int) {
	c.called[call.name] = true
	if c.active[call.name] >= maxRecursion {
		if slices.ContainsFunc(f.body, func(c cmakeCall) bool { return startsPrograms[c.name] }) {
			c.budget.reach(maxRecursion, "calls of a function by itself")
		}
		return
	}
	c.active[call.name]++
	defer func() { c.active[call.name]-- }()
	args := c.args(call.args)
	c.vars["ARGV"], c.vars["ARGN"] = []string{strings.Join(args, ";")}, []string{strings.Join(args[min(len(args), len(f.params)):], ";")}
	for i, a := range args[:min(len(args), 10)] {
		c.vars["ARGV"+string(rune('0'+i))] = []string{a}
	}
	for i, p := range f.params {
		delete(c.vars, p)
		if i < len(args) {
			c.vars[p] = []string{args[i]}
		}
	}
	c.block(f.body, maybe, depth+1)
}

// args works out arguments.
func (c *cmake) args(args []cmakeArg) []string {
	var out []string
	for _, a := range args {
		switch a.kind {
		case bracketArg:
			out = append(out, a.text)
		case quotedArg:
			out = append(out, c.expand(a.text, 0))
		default:
			out = append(out, split(c.expand(a.text, 0))...)
		}
	}
	return out
}

// split splits a list.
func split(s string) []string {
	if s == "" {
		return nil
	}
	return slices.DeleteFunc(strings.Split(s, ";"), func(s string) bool { return s == "" })
}

// value is what a variable holds.
func (c *cmake) value(name string) string {
	values := c.vars[name]
	if len(values) == 0 {
		return fromElsewhere("${" + name + "}")
	}
	if over, ok := c.ways.tooMany(values); ok {
		return over
	}
	return values[c.ways.choose(name, len(values))]
}

// expand works out the variables, escapes and generator expressions in a text.
func (c *cmake) expand(s string, depth int) string {
	if !strings.ContainsAny(s, "$\\@") {
		return s
	}
	if depth > maxDepth || !c.budget.take(len(s)) {
		return tooMuch(maxDepth, "levels")
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if out.Len() > maxValue {
			return tooMuch(maxValue, "bytes")
		}
		rest := s[i:]
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			out.WriteString(cmakeEscape(s[i]))
		case strings.HasPrefix(rest, "${"), strings.HasPrefix(rest, "$ENV{"), strings.HasPrefix(rest, "$CACHE{"):
			open := strings.IndexByte(rest, '{')
			name := balanced(rest[open+1:], '{')
			key := c.expand(name, depth+1)
			if rest[1] == 'E' {
				key = "ENV{" + key + "}"
			}
			out.WriteString(c.value(key))
			i += open + len(name) + 1
		case strings.HasPrefix(rest, "$<"):
			body := generator(rest[2:])
			out.WriteString(c.generated(c.expand(body, depth+1)))
			i += len(body) + 2
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

func cmakeEscape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return ""
	case '\n':
		return ""
	}
	return string(c)
}

// generator cuts a text at the sign that closes a generator expression.
func generator(s string) string {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '<':
			if i > 0 && s[i-1] == '$' {
				depth++
			}
		case '>':
			if depth--; depth == 0 {
				return s[:i]
			}
		}
	}
	return s
}

// generated works out a generator expression.
func (c *cmake) generated(body string) string {
	name, rest, _ := strings.Cut(body, ":")
	switch name {
	case "1":
		return rest
	case "0":
		return ""
	case "COLON", "SEMICOLON", "COMMA", "ANGLE-R", "QUOTE":
		return map[string]string{"COLON": ":", "SEMICOLON": ";", "COMMA": ",", "ANGLE-R": ">", "QUOTE": `"`}[name]
	case "LOWER_CASE":
		return strings.ToLower(rest)
	case "UPPER_CASE":
		return strings.ToUpper(rest)
	case "JOIN":
		list, glue, _ := strings.Cut(rest, ",")
		return strings.ReplaceAll(list, ";", glue)
	case "IF":
		if parts := strings.SplitN(rest, ",", 3); len(parts) == 3 {
			return parts[1+c.ways.choose("if "+rest, 2)]
		}
	case "BUILD_INTERFACE", "INSTALL_INTERFACE", "SHELL_PATH", "GENEX_EVAL":
		return rest
	}
	return fromElsewhere("$<" + body + ">")
}
