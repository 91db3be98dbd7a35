package embedded

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/strlit"
)

// awkCommands returns what a program for awk starts, written as a shell would: system(…),
// commands that it reads from or prints to, files that it reads and writes, and connections of
// gawk. Texts that are side by side are put together, and variables that hold one are put in.
// See "GAWK: Effective AWK Programming", on redirection and on getline.
func awkCommands(content []byte) []Code {
	a := &awk{src: string(content), vars: map[string]string{}, params: map[string][]string{}}
	found := awkToken.FindAllStringIndex(a.src, maxAwkTokens)
	for _, at := range found {
		if c := a.src[at[0]]; c != '#' && c != ' ' && c != '\t' && c != '\\' {
			a.tokens = append(a.tokens, awkTokenAt{a.src[at[0]:at[1]], at[0]})
		}
	}
	if !slices.ContainsFunc(a.tokens, func(t awkTokenAt) bool {
		return t.text == "system" || t.text == "getline" || t.text[0] == '|' && t.text != "||" || t.text == ">>" || t.text == ">"
	}) {
		return nil
	}
	a.lines = newLineIndex(content)
	a.functions()
	for i := 0; i < len(a.tokens) && len(a.out.lines) < maxCommands; {
		i = max(i+1, a.statement(i))
	}
	return append(a.out.region(gate.LanguageShell, ""), atBound(len(found), maxAwkTokens, "signs are")...)
}

const (
	maxAwkTokens = 200_000
	maxAwkText   = 8 << 10 // bytes that one expression comes to
	maxAwkDepth  = 20
)

var (
	awkToken = regexp.MustCompile(`#[^\n]*|\\\r?\n|[ \t\r]+|"(?:[^"\\\n]|\\.|\\\n)*"|[A-Za-z_]\w*|\d[\w.]*|\|&|\|\||&&|>>|[-+*/%^=!<>]=|\+\+|--|\n|.`)
	awkWords = []string{"getline", "print", "printf", "if", "else", "while", "for", "do", "in", "return", "next", "exit", "delete", "function", "func", "BEGIN", "END", "break", "continue", "switch", "case"}
)

type awkTokenAt struct {
	text string
	at   int
}

// awk is the state of a reading.
type awk struct {
	src    string
	tokens []awkTokenAt
	lines  lineIndex
	vars   map[string]string   // what is constant
	params map[string][]string // of functions
	out    builder
}

func (a *awk) is(i int, text string) bool {
	return i >= 0 && i < len(a.tokens) && a.tokens[i].text == text
}

func (a *awk) isName(i int) bool {
	return i >= 0 && i < len(a.tokens) && isNameStart(a.tokens[i].text[0]) && !slices.Contains(awkWords, a.tokens[i].text)
}

func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

func (a *awk) emit(i int, command string) {
	a.out.flush(oneLine(command), a.lines.of(a.tokens[i].at), 0)
}

// functions notes parameters, and what they are given where that is constant.
func (a *awk) functions() {
	for i := range a.tokens {
		if (a.is(i, "function") || a.is(i, "func")) && a.isName(i+1) && a.is(i+2, "(") {
			for j := i + 3; j < min(len(a.tokens), i+60) && !a.is(j, ")"); j++ {
				if a.isName(j) {
					a.params[a.tokens[i+1].text] = append(a.params[a.tokens[i+1].text], a.tokens[j].text)
				}
			}
		}
	}
	if len(a.params) == 0 {
		return
	}
	for i := range a.tokens {
		if names := a.params[a.tokens[i].text]; names != nil && a.is(i+1, "(") && !a.is(i-1, "function") && !a.is(i-1, "func") {
			args, _ := a.arguments(i+2, 0)
			for n, arg := range args {
				if n < len(names) && arg.constant && arg.text != "" {
					a.vars[names[n]] = arg.text
				}
			}
		}
	}
}

// awkText is what an expression comes to.
type awkText struct {
	text     string
	constant bool
}

// arguments are the expressions up to the bracket that closes them.
func (a *awk) arguments(i, depth int) (args []awkText, next int) {
	for i < len(a.tokens) && len(args) < maxWords {
		t, end, ok := a.expression(i, depth+1)
		if !ok {
			for end = i; end < len(a.tokens) && !a.is(end, ",") && !a.is(end, ")") && !a.is(end, "\n"); end++ {
			}
		}
		args = append(args, t)
		if !a.is(end, ",") {
			return args, end
		}
		i = end + 1
		for a.is(i, "\n") {
			i++
		}
	}
	return args, i
}

// expression is what texts side by side come to.
func (a *awk) expression(i, depth int) (t awkText, next int, ok bool) {
	if depth > maxAwkDepth {
		return t, i, false
	}
	t.constant = true
	for next = i; next < len(a.tokens) && len(t.text) < maxAwkText; ok = true {
		part, end, one := a.operand(next, depth)
		if !one {
			break
		}
		t.text, t.constant, next = t.text+part.text, t.constant && part.constant, end
	}
	return t, next, ok
}

// operand is one part of an expression.
func (a *awk) operand(i, depth int) (t awkText, next int, ok bool) {
	word := a.tokens[i].text
	switch {
	case word[0] == '"' && len(word) > 1:
		return awkText{strlit.UnescapeLoosely(word[1 : len(word)-1]), true}, i + 1, true
	case word[0] >= '0' && word[0] <= '9':
		return awkText{word, true}, i + 1, true
	case word == "$" && i+1 < len(a.tokens):
		return awkText{"$X", false}, i + 2, true
	case word == "(":
		t, end, ok := a.expression(i+1, depth+1)
		if !ok || !a.is(end, ")") {
			return t, i, false
		}
		return t, end + 1, true
	case word == "ENVIRON" && a.is(i+1, "[") && a.is(i+3, "]"):
		return awkText{"$" + strings.Trim(a.tokens[i+2].text, `"`), false}, i + 4, true
	case !a.isName(i):
		return t, i, false
	case a.is(i+1, "("):
		args, end := a.arguments(i+2, depth)
		if !a.is(end, ")") {
			return t, i, false
		}
		if word == "sprintf" && len(args) > 0 {
			return awkFormat(args), end + 1, true
		}
		return awkText{"$" + word, false}, end + 1, true
	case a.is(i+1, "["):
		end := i + 2
		for ; end < min(len(a.tokens), i+40) && !a.is(end, "]") && !a.is(end, "\n"); end++ {
		}
		return awkText{"$" + word, false}, end + 1, true
	}
	if v, known := a.vars[word]; known {
		return awkText{v, true}, i + 1, true
	}
	return awkText{"$" + word, false}, i + 1, true
}

var awkVerb = regexp.MustCompile(`%[-+ #0-9.]*[a-z]`)

// awkFormat is what sprintf makes of constants and names.
func awkFormat(args []awkText) awkText {
	out := awkText{constant: args[0].constant}
	n := 0
	out.text = awkVerb.ReplaceAllStringFunc(args[0].text, func(string) string {
		if n++; n >= len(args) {
			return ""
		}
		out.constant = out.constant && args[n].constant
		return args[n].text
	})
	return out
}

// statement takes over what begins at a token and returns the token behind it.
func (a *awk) statement(i int) int {
	switch {
	case a.is(i, "system") && a.is(i+1, "("), a.is(i, "@") && a.isName(i+1) && a.is(i+2, "("):
		if a.is(i, "@") {
			i++
			if a.vars[a.tokens[i].text] != "system" {
				return i
			}
		}
		if args, end := a.arguments(i+2, 0); len(args) > 0 {
			a.emit(i, args[0].text)
			return end
		}
		return i + 1
	case a.is(i, "print"), a.is(i, "printf"):
		return a.print(i)
	case a.is(i, "getline"):
		name, next := "X", i+1
		if a.isName(i + 1) {
			name, next = a.tokens[i+1].text, i+2
		}
		if a.is(next, "<") {
			if from, end, ok := a.expression(next+1, 0); ok {
				delete(a.vars, name)
				a.emit(i, name+"=$(cat "+from.text+")")
				return end
			}
		}
		return next
	case a.isName(i) && a.is(i+1, "="):
		if t, end, ok := a.expression(i+2, 0); ok && !a.is(end, "|") && !a.is(end, "|&") {
			if t.constant {
				a.vars[a.tokens[i].text] = t.text
			} else {
				delete(a.vars, a.tokens[i].text)
				a.emit(i, a.tokens[i].text+`="`+t.text+`"`)
			}
			return end
		}
		return i + 2
	}
	t, end, ok := a.expression(i, 0)
	if !ok || !a.is(end, "|") && !a.is(end, "|&") || !a.is(end+1, "getline") {
		return i + 1
	}
	name, next := "X", end+2
	if a.isName(next) {
		name, next = a.tokens[next].text, next+1
	}
	delete(a.vars, name)
	if where, is := awkSocket(t.text); is {
		a.emit(i, name+"=$(cat < "+where+")")
		return next
	}
	a.emit(i, name+"=$("+t.text+")")
	return next
}

// print takes over a text that is printed to a command, a file or a connection.
func (a *awk) print(i int) int {
	args, end := a.arguments(i+1, 0)
	sign := ""
	if end < len(a.tokens) {
		sign = a.tokens[end].text
	}
	if !slices.Contains([]string{"|", "|&", ">", ">>"}, sign) {
		return i + 1
	}
	to, next, ok := a.expression(end+1, 0)
	if !ok {
		return i + 1
	}
	if a.is(i, "printf") && len(args) > 0 {
		args = []awkText{awkFormat(args)}
	}
	var words []string
	for _, arg := range args {
		words = append(words, arg.text)
	}
	text := strings.Join(words, " ")
	if text == "" {
		text = "$X"
	}
	quote := `"`
	if strings.Contains(text, `"`) {
		quote = "'"
	}
	shown := "printf '%s' " + quote + text + quote
	where, socket := awkSocket(to.text)
	switch {
	case socket:
		a.emit(i, shown+" > "+where)
	case sign[0] == '|':
		a.emit(i, shown+" | "+to.text)
	default:
		a.emit(i, shown+" "+sign+" "+to.text)
	}
	return next
}

var awkInet = regexp.MustCompile(`^/inet[46]?/(tcp|udp)/[^/]*/([^/]+)/([^/]+)$`)

// awkSocket is a connection as bash has it.
func awkSocket(name string) (string, bool) {
	m := awkInet.FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	return "/dev/" + m[1] + "/" + m[2] + "/" + m[3], true
}
