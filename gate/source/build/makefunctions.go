package build

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var shellVariable = regexp.MustCompile(`\$\{?([A-Za-z_]\w*)`)

// makeFunction works out a call of a function.
type makeFunction func(makeCallOf) string

// makeCallOf is a call of a function of make.
type makeCallOf struct {
	*maker
	name  string
	args  []string // as they are written
	all   string   // the arguments, not split
	local map[string]string
	depth int
}

// arg is argument i, worked out.
func (c makeCallOf) arg(i int) string {
	if i >= len(c.args) {
		return ""
	}
	return c.expand(c.args[i], c.local, c.depth)
}

// from is everything from argument i on, worked out.
func (c makeCallOf) from(i int) string {
	if i >= len(c.args) {
		return ""
	}
	return c.expand(strings.Join(c.args[i:], ","), c.local, c.depth)
}

// arguments splits at the commas that are in no brackets.
func arguments(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[start:i])
				start = i + 1
			}
		}
	}
	return append(out, s[start:])
}

// makeFunctions are the functions of make that are worked out.
func makeFunctions() map[string]makeFunction {
	nothing := func(c makeCallOf) string { c.from(0); return "" }
	words := func(change func(string) string) makeFunction {
		return func(c makeCallOf) string { return perWord(c.from(0), c.name, change) }
	}
	return map[string]makeFunction{
		"subst": makeSubst, "patsubst": makePatsubst, "strip": func(c makeCallOf) string { return strings.Join(strings.Fields(c.from(0)), " ") },
		"findstring": makeFindstring, "filter": makeFilter, "filter-out": makeFilter, "sort": makeSort,
		"word": makeWord, "words": makeWord, "wordlist": makeWord, "firstword": makeWord, "lastword": makeWord,
		"dir": words(func(w string) string {
			if i := strings.LastIndexByte(w, '/'); i >= 0 {
				return w[:i+1]
			}
			return "./"
		}),
		"notdir":   words(func(w string) string { return w[strings.LastIndexByte(w, '/')+1:] }),
		"suffix":   words(path.Ext),
		"basename": words(func(w string) string { return strings.TrimSuffix(w, path.Ext(w)) }),
		"abspath":  func(c makeCallOf) string { return c.from(0) }, "realpath": func(c makeCallOf) string { return c.from(0) },
		"addsuffix": makeAffix, "addprefix": makeAffix, "join": makeJoin,
		"if": makeIfCall, "or": makeOr, "and": makeAnd, "foreach": makeForeach, "let": makeLet, "call": makeCallCall,
		"value": makeValueCall, "eval": makeEval, "shell": makeShell,
		"info": nothing, "warning": nothing, "error": nothing,
		"wildcard": func(c makeCallOf) string { return fromElsewhere("$(wildcard " + c.from(0) + ")") },
		"file":     unknownCall, "guile": unknownCall, "origin": unknownCall, "flavor": unknownCall, "intcmp": unknownCall,
	}
}

// unknownCall is a function whose result is not worked out.
func unknownCall(c makeCallOf) string { c.from(0); return notWorkedOut(c.name) }

func makeSubst(c makeCallOf) string {
	from, to, text := c.arg(0), c.arg(1), c.from(2)
	if !known(from) || !known(to) || !known(text) {
		return notWorkedOut(c.name)
	}
	if from == "" || len(text)+strings.Count(text, from)*len(to) > maxValue {
		return text + to
	}
	return strings.ReplaceAll(text, from, to)
}

func makePatsubst(c makeCallOf) string {
	from, to := strings.TrimSpace(c.arg(0)), strings.TrimSpace(c.arg(1))
	if !known(from) || !known(to) {
		return notWorkedOut(c.name)
	}
	return perWord(c.from(2), c.name, func(w string) string { return patternReplace(from, to, w) })
}

// perWord changes each word of a text. What is not known stays not known.
func perWord(text, function string, change func(string) string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if known(w) {
			words[i] = change(w)
		} else {
			words[i] = notWorkedOut(function)
		}
	}
	out := strings.Join(words, " ")
	if len(out) > maxValue {
		return notWorkedOut(function)
	}
	return out
}

// patternReplace replaces a word that matches a pattern with one "%".
func patternReplace(from, to, word string) string {
	stem, ok := patternMatch(from, word)
	if !ok {
		return word
	}
	if !strings.Contains(from, "%") {
		return to
	}
	return strings.Replace(to, "%", stem, 1)
}

func patternMatch(pattern, word string) (stem string, ok bool) {
	before, after, any := strings.Cut(pattern, "%")
	if !any {
		return "", pattern == word
	}
	if len(word) < len(before)+len(after) || !strings.HasPrefix(word, before) || !strings.HasSuffix(word, after) {
		return "", false
	}
	return word[len(before) : len(word)-len(after)], true
}

func makeFindstring(c makeCallOf) string {
	find, in := c.arg(0), c.from(1)
	switch {
	case !known(find) || !known(in):
		return notWorkedOut(c.name)
	case strings.Contains(in, find):
		return find
	}
	return ""
}

func makeFilter(c makeCallOf) string {
	patterns, text := c.arg(0), c.from(1)
	if !known(patterns) || !known(text) {
		return notWorkedOut(c.name)
	}
	var out []string
	for w := range strings.FieldsSeq(text) {
		matches := slices.ContainsFunc(strings.Fields(patterns), func(p string) bool { _, ok := patternMatch(p, w); return ok })
		if matches == (c.name == "filter") {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

func makeSort(c makeCallOf) string {
	text := c.from(0)
	if !known(text) {
		return notWorkedOut(c.name)
	}
	words := strings.Fields(text)
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// makeWord is word, words, wordlist, firstword and lastword.
func makeWord(c makeCallOf) string {
	number := func(i int) int {
		n, err := strconv.Atoi(strings.TrimSpace(c.arg(i)))
		if err != nil {
			return -1
		}
		return n
	}
	text := map[string]int{"word": 1, "wordlist": 2}[c.name]
	words := strings.Fields(c.from(text))
	from, to := 1, len(words)
	switch c.name {
	case "words":
		return strconv.Itoa(len(words))
	case "firstword":
		to = 1
	case "lastword":
		from = len(words)
	case "word":
		from = number(0)
		to = from
	case "wordlist":
		from, to = number(0), number(1)
	}
	if from < 0 || to < 0 || !known(strings.Join(words, "")) && c.name != "firstword" {
		return notWorkedOut(c.name)
	}
	to = min(to, len(words))
	if from < 1 || from > to {
		return ""
	}
	return strings.Join(words[from-1:to], " ")
}

func makeAffix(c makeCallOf) string {
	affix := c.arg(0)
	words := strings.Fields(c.from(1))
	size := 0
	for i, w := range words {
		if size += len(w) + len(affix); size > maxValue {
			return notWorkedOut(c.name)
		}
		if c.name == "addprefix" {
			words[i] = affix + w
		} else {
			words[i] = w + affix
		}
	}
	return strings.Join(words, " ")
}

func makeJoin(c makeCallOf) string {
	a, b := strings.Fields(c.arg(0)), strings.Fields(c.from(1))
	var out []string
	for i := range max(len(a), len(b)) {
		w := ""
		if i < len(a) {
			w = a[i]
		}
		if i < len(b) {
			w += b[i]
		}
		if !known(w) && i < min(len(a), len(b)) {
			w = notWorkedOut(c.name)
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// makeIfCall follows both branches where the condition is not known.
func makeIfCall(c makeCallOf) string {
	condition := strings.TrimSpace(c.arg(0))
	if !known(condition) && c.ways.choose("if "+c.all, 2) == 1 {
		condition = ""
	}
	if condition != "" {
		return c.arg(1)
	}
	return c.from(2)
}

func makeOr(c makeCallOf) string {
	for i := range c.args {
		if v := strings.TrimSpace(c.arg(i)); v != "" && (known(v) || i == len(c.args)-1 || c.ways.choose("or "+c.args[i], 2) == 0) {
			return v
		}
	}
	return ""
}

func makeAnd(c makeCallOf) string {
	out := ""
	for i := range c.args {
		if out = strings.TrimSpace(c.arg(i)); out == "" {
			return ""
		}
	}
	return out
}

// with are the local variables with others.
func with(local map[string]string, names, values []string) map[string]string {
	out := make(map[string]string, len(local)+len(names))
	maps.Copy(out, local)
	for i, n := range names {
		out[n] = ""
		if i < len(values) {
			out[n] = values[i]
		}
	}
	return out
}

func makeForeach(c makeCallOf) string {
	name, text := strings.TrimSpace(c.arg(0)), ""
	if len(c.args) > 2 {
		text = strings.Join(c.args[2:], ",")
	}
	var out []string
	size := 0
	for w := range strings.FieldsSeq(c.arg(1)) {
		value := c.expand(text, with(c.local, []string{name}, []string{w}), c.depth)
		out = append(out, value)
		if size += len(value); size > maxValue || c.budget.spent {
			return notWorkedOut(c.name)
		}
	}
	return strings.Join(out, " ")
}

// makeLet is $(let a b,1 2,text): the last name gets the rest.
func makeLet(c makeCallOf) string {
	names, values := strings.Fields(c.arg(0)), strings.Fields(c.arg(1))
	if n := len(names); n > 0 && len(values) > n {
		values = append(values[:n-1:n-1], strings.Join(values[n-1:], " "))
	}
	if len(c.args) < 3 {
		return ""
	}
	return c.expand(strings.Join(c.args[2:], ","), with(c.local, names, values), c.depth)
}

// makeCallCall is a variable with arguments, or a function that is called by a name.
func makeCallCall(c makeCallOf) string {
	name := strings.TrimSpace(c.arg(0))
	if f, ok := c.functions[name]; ok && name != "call" {
		inner := c
		inner.name, inner.args, inner.all, inner.depth = name, c.args[1:], strings.Join(c.args[1:], ","), c.depth+1
		if inner.depth > maxDepth {
			return notWorkedOut(c.name)
		}
		return f(inner)
	}
	values := c.vars[name]
	if len(values) == 0 {
		for i := range c.args {
			c.arg(i)
		}
		return fromElsewhere("$(" + name + ")")
	}
	names, args := []string{"0"}, []string{name}
	for i := 1; i < max(len(c.args), 10); i++ {
		names, args = append(names, strconv.Itoa(i)), append(args, c.arg(i))
	}
	v := values[c.ways.choose(name, len(values))]
	if v.simple {
		return v.text
	}
	return c.expand(v.text, with(c.local, names, args), c.depth)
}

func makeValueCall(c makeCallOf) string {
	name := strings.TrimSpace(c.from(0))
	values := c.vars[name]
	if len(values) == 0 {
		return fromElsewhere("$(" + name + ")")
	}
	return values[c.ways.choose(name, len(values))].text
}

// maxEvals is how deep texts become part of the Makefile in others.
const maxEvals = 8

// makeEval reads a text as a part of the Makefile.
func makeEval(c makeCallOf) string {
	text := c.from(0)
	if c.nested >= maxEvals || !c.budget.take(len(text)) {
		return notWorkedOut(c.name)
	}
	c.nested++
	defer func(at int) { c.nested--; c.at = at }(c.at)
	r := makeReader{maker: c.maker, prefix: "\t"}
	for line := range strings.SplitSeq(text, "\n") {
		r.lines = append(r.lines, Line{line, c.at})
	}
	r.all()
	return ""
}

// makeShell notes the command, and works out what it prints where it only prints.
func makeShell(c makeCallOf) string {
	command := c.from(0)
	c.read(strings.ReplaceAll(shown(command), "$", "$$"))
	return c.output(command)
}

// output is what a command prints, as make puts it into a text.
func (m *maker) output(command string) string {
	if printed, ok := Printed(command); ok && known(command) {
		return strings.TrimRight(strings.ReplaceAll(printed, "\n", " "), " ")
	}
	if m := looksUp.FindStringSubmatch(command); m != nil {
		return m[1]
	}
	if printsText.MatchString(command) {
		return notWorkedOut("shell")
	}
	return fromElsewhere("$(shell " + command + ")")
}

// looksUp matches a command that prints where a program is.
var looksUp = regexp.MustCompile(`^\s*(?:which|command\s+-v|type\s+-[pP])\s+([\w.+-]+)\s*(?:2>\s*/dev/null\s*)?(?:\|\|\s*\w+\s*)?$`)

// printsText matches commands that are there to make a text of another.
var printsText = regexp.MustCompile(`(?:^|[|;&(\s])(?:printf|echo|tr|rev|sed|awk|cut|base64|base32|xxd|od|fold|paste|perl|python3?|ruby|node|openssl|uudecode|bc|dc)\s`)
