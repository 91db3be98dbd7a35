package weakening

import (
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of the search for where a text is put together from.
const (
	maxConstantDepth = 5    // names that lead to names
	maxConstantNames = 60   // names looked up for one statement
	maxScope         = 4000 // statements of one function, with those of the functions in and around it
)

// program are the units of one file of the head.
type program struct {
	units []*unit
}

// scope are the statements where a name of a unit gets its value: those of the unit, of
// the functions in it and of those around it.
func (p *program) scope(u *unit) []stmt {
	out := slices.Clone(u.stmts)
	for _, o := range p.units {
		if u.name != "" && o != u && (strings.HasPrefix(o.name, u.name+".") || o.name != "" && strings.HasPrefix(u.name, o.name+".")) {
			out = append(out, o.stmts...)
		}
	}
	return out[:min(len(out), maxScope)]
}

// module are the statements outside of all functions.
func (p *program) module() []stmt {
	if len(p.units) == 0 {
		return nil
	}
	return p.units[0].stmts[:min(len(p.units[0].stmts), maxScope)]
}

// constants answers whether names of a function hold texts of the program only.
type constants struct {
	program *program
	stmts   []stmt
	known   map[string]bool
	asked   int
}

var (
	literal = regexp.MustCompile(`(?s)"""(?:[^"]|"{1,2}[^"])*"""|'''(?:[^']|'{1,2}[^'])*'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` + "`[^`]*`")
	// harmless are calls of which the result says nothing that the arguments didn't: numbers.
	harmless = regexp.MustCompile(`\b(?:len|int|strconv\.Itoa|Number|parseInt|parseFloat|range|cap)\((?:[^()]|\([^()]*\))*\)|\b\w+(?:\.\w+)*\.length\b`)
	// counted is a text into which nothing but numbers are put, such as a numbered placeholder.
	counted = regexp.MustCompile(`\bfmt\.Sprintf\( ?"(?:[^"\\%]|%d)*"(?:, ?[^(),"]+)+\)`)
	// repeated is a list of one text for each member of another list.
	repeated = regexp.MustCompile(`\b\w+(?:\.\w+)*\.map\( ?\(?\w*\)? ?=> ?\)`)
	// comprehended is what a list is made of in Python: it says how often, not what.
	comprehended = regexp.MustCompile(` for [\w, ]+ in [^\])]*`)
	// chosen is the condition of a choice in Python: it says which, not what.
	chosen = regexp.MustCompile(` ?\bif\b[^{}]*? else `)
	// counter is a name that a loop counts with.
	counter = regexp.MustCompile(`^for ?\(?(?:(?:let|var) )?(\w+)(?:, ?[\w(][^=]*?)? (?:in (?:range|enumerate)\(|:= range |:?= \d)`)
	// neutral are words that put texts together and add none.
	neutral = map[string]bool{
		"f": true, "join": true, "Join": true, "strings": true, "fmt": true, "Sprintf": true, "Sprint": true, "len": true, "if": true, "else": true, "and": true, "or": true, "not": true,
		"in": true, "for": true, "append": true, "map": true, "string": true, "concat": true, "format": true, "upper": true, "lower": true, "strip": true, "trim": true, "Repeat": true,
		"repeat": true, "fill": true, "Array": true, "list": true, "tuple": true, "set": true, "new": true, "Set": true, "Map": true, "true": true, "false": true, "True": true,
		"False": true, "None": true, "nil": true, "null": true, "await": true, "const": true, "let": true, "var": true, "ToUpper": true, "TrimSpace": true, "toUpperCase": true, "r": true,
		"TrimSuffix": true, "TrimPrefix": true, "TrimRight": true, "TrimLeft": true, "Trim": true, "rstrip": true, "lstrip": true, "slice": true, "padEnd": true, "padStart": true, "from": true,
	}
)

// interpolated returns the expressions that a statement puts into its texts: what is in
// braces of a template and what is joined with "+", "%" or a format to a literal.
func interpolated(text string) []string {
	var out []string
	for _, lit := range literal.FindAllStringIndex(text, -1) {
		body := text[lit[0]:lit[1]]
		if lit[0] > 0 && (text[lit[0]-1] == 'f' || text[lit[0]-1] == 'F') || body[0] == '`' {
			for _, m := range braced.FindAllStringSubmatch(body, -1) {
				out = append(out, m[1])
			}
		}
		if rest := strings.TrimLeft(text[lit[1]:], " )"); rest != "" && (rest[0] == '+' || rest[0] == '%') {
			out = append(out, operand(rest[1:]))
		}
		if rest := text[lit[1]:]; strings.HasPrefix(rest, ".format(") || strings.HasPrefix(rest, ",") && formats.MatchString(text[:lit[0]]) {
			if inside, _, ok := inParens("(" + strings.TrimPrefix(strings.TrimPrefix(rest, ".format("), ",")); ok {
				out = append(out, inside)
			}
		}
		if before := strings.TrimRight(text[:lit[0]], " rfb("); strings.HasSuffix(before, "+") {
			out = append(out, lastOperand(strings.TrimSuffix(before, "+")))
		}
	}
	return out
}

var (
	braced  = regexp.MustCompile(`\{ ?([^{}]+?) ?\}`)
	formats = regexp.MustCompile(`(?:Sprintf|Fprintf|format)\( ?$`)
)

// operand is the expression at the begin of a text, up to the next operator or bracket.
func operand(text string) string {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'' || c == '`':
			i = endOfString(text, i)
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			if depth--; depth < 0 {
				return text[:i]
			}
		case depth == 0 && (c == '+' || c == ',' || c == ';'):
			return text[:i]
		}
	}
	return text
}

// lastOperand is the expression at the end of a text.
func lastOperand(text string) string {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch c := text[i]; {
		case strings.IndexByte(")]}", c) >= 0:
			depth++
		case strings.IndexByte("([{", c) >= 0:
			if depth--; depth < 0 {
				return text[i+1:]
			}
		case depth == 0 && (c == '+' || c == ',' || c == '=' || c == '"' || c == '\''):
			return text[i+1:]
		}
	}
	return text
}

// constantParts reports whether all that a statement of the head puts into its texts are texts of
// the program: literals, and names that are given nothing else.
func constantParts(v *view, text string) bool {
	p := v.all.programs[v.head.path]
	if p == nil {
		return false
	}
	parts := interpolated(text)
	if len(parts) == 0 {
		return false
	}
	c := &constants{program: p, stmts: p.scope(v.head), known: map[string]bool{}}
	for _, e := range parts {
		if !c.expression(e, 0) {
			return false
		}
	}
	return true
}

// expression reports whether an expression is made of constant texts and numbers.
func (c *constants) expression(e string, depth int) bool {
	if depth > maxConstantDepth {
		return false
	}
	for _, lit := range literal.FindAllStringIndex(e, -1) {
		body := e[lit[0]:lit[1]]
		if lit[0] > 0 && e[lit[0]-1] == 'f' || body[0] == '`' {
			for _, m := range braced.FindAllStringSubmatch(body, -1) {
				if !c.expression(m[1], depth+1) {
					return false
				}
			}
		}
	}
	e = literal.ReplaceAllString(counted.ReplaceAllString(e, " "), " ")
	e = comprehended.ReplaceAllString(repeated.ReplaceAllString(e, " "), " ")
	e = chosen.ReplaceAllString(e, " else ")
	for range 3 {
		e = harmless.ReplaceAllString(e, " 0 ")
	}
	e = withoutKeys(e)
	for _, w := range words.FindAllString(e, -1) {
		if !neutral[w] && !c.name(w, depth+1) {
			return false
		}
	}
	return true
}

// withoutKeys leaves out by what something is looked up: what comes out of a table of
// constants is one of them. A second argument of get stays: it may come out, too.
func withoutKeys(e string) string {
	var b strings.Builder
	for i := 0; i < len(e); i++ {
		get := strings.HasPrefix(e[i:], ".get(")
		if get {
			i += len(".get")
		}
		if !get && (e[i] != '[' || i == 0 || !wordByte(e[i-1]) && e[i-1] != ']') {
			b.WriteByte(e[i])
			continue
		}
		end := closing(e, i)
		if _, other, two := strings.Cut(e[i:end], ","); get && two {
			b.WriteString(" " + other)
		}
		b.WriteByte(' ')
		i = end
	}
	return b.String()
}

// closing is the offset of the bracket that closes one, or of the last byte.
func closing(e string, open int) int {
	depth := 0
	for i := open; i < len(e); i++ {
		switch e[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(e) - 1
}

// name reports whether all that the program gives a name is constant.
func (c *constants) name(name string, depth int) bool {
	if known, ok := c.known[name]; ok {
		return known
	}
	if c.asked++; c.asked > maxConstantNames {
		return false
	}
	c.known[name] = true // a name that is made of itself adds nothing
	ok, found := c.allConstant(c.stmts, name, depth)
	if found && !ok {
		ok = c.listed(name, depth)
	}
	if !found {
		ok, _ = c.allConstant(c.program.module(), name, depth)
	}
	c.known[name] = ok
	return ok
}

// listed reports whether the function refuses what is not on a constant list of names.
func (c *constants) listed(name string, depth int) bool {
	q := regexp.QuoteMeta(name)
	guard := regexp.MustCompile(`^if (?:` + q + ` not in (\w+) ?:$|! ?slices\.Contains\( ?(\w+), ?` + q + ` ?\) ?\{$)|^if ?\( ?! ?(\w+)\.(?:has|includes)\( ?` + q + ` ?\) ?\) ?(?:\{$|(?:throw|return)\b)`)
	for i, s := range c.stmts {
		m := guard.FindStringSubmatch(s.text)
		block := strings.HasSuffix(s.text, "{") || strings.HasSuffix(s.text, ":")
		if m == nil || block && (i+1 >= len(c.stmts) || c.stmts[i+1].depth <= s.depth || !ends.MatchString(c.stmts[i+1].text)) {
			continue
		}
		if c.name(m[1]+m[2]+m[3], depth+1) {
			return true
		}
	}
	return false
}

// allConstant reports whether some statements give a name nothing but constants, and whether
// they give it anything.
func (c *constants) allConstant(stmts []stmt, name string, depth int) (ok, found bool) {
	q := regexp.QuoteMeta(name)
	given := regexp.MustCompile(`(?:^|[ ({,])(?:\w+ )?` + q + `((?: ?: ?[\w\[\]<>., |]+)?(?: ?, ?\w+)*) ?(?::=|\+?=)([^=].*)$`)
	added := regexp.MustCompile(`\b` + q + `\.(?:append|push|add|extend|insert|unshift)\((.*)\)`)
	taken := regexp.MustCompile(`^(?:async )?(?:def|func|function)\b.*[(,] ?\*{0,2}` + q + `\b|\b` + q + ` ?(?:,[^()]*)?\)? ?=>|\bfunc ?\([^()]*\b` + q + `\b|^for .*\b` + q + `\b.* (?:in|range)\b`)
	for _, s := range stmts {
		if !strings.Contains(s.text, name) {
			continue
		}
		// A default in the head of a function is what a parameter is without an argument.
		if m := given.FindStringSubmatchIndex(masked(s.text)); m != nil && !functionHead.MatchString(s.text) {
			found = true
			if !c.value(ownValue(s.text[:m[3]], name, s.text[m[4]:m[5]]), depth) {
				return false, true
			}
			continue
		}
		for _, m := range added.FindAllStringSubmatch(s.text, -1) {
			found = true
			if !c.expression(m[1], depth) {
				return false, true
			}
		}
		if m := counter.FindStringSubmatch(s.text); m != nil && m[1] == name {
			found = true
			continue
		}
		if taken.MatchString(s.text) {
			if !c.argument(s.text, name, depth) {
				return false, true
			}
			found = true
		}
	}
	return found, found
}

// ownValue is what one of several names gets that are given values side by side: a, b = x, y.
func ownValue(names, name, values string) string {
	left, right := split(names, ","), split(values, ",")
	if len(left) < 2 || len(left) != len(right) {
		return values
	}
	at := slices.IndexFunc(left, func(n string) bool { return strings.TrimSpace(n) == name })
	if at < 0 {
		return values
	}
	return right[at]
}

var functionHead = regexp.MustCompile(`^(?:export )?(?:default )?(?:async )?(?:def|func|function)\b`)

// masked is a statement with blanks for its texts, of the same length.
func masked(text string) string {
	return literal.ReplaceAllStringFunc(text, func(lit string) string { return strings.Repeat(" ", len(lit)) })
}

var (
	calls   = regexp.MustCompile(`^ ?(?:await )?([A-Za-z_]\w*)\((.*)\) ?;?$`)
	closure = regexp.MustCompile(`(?:^|[ ({])(?:def |func |function |const |let )?([A-Za-z_]\w*)(?: ?(?::=|=) ?(?:func|function|async)?)? ?\(([^()]*)\)`)
)

// value reports whether what follows "=" is constant: an expression, or a call of a
// function of this program that returns constant texts.
func (c *constants) value(e string, depth int) bool {
	if strings.HasPrefix(strings.TrimSpace(e), "func(") {
		return false
	}
	if m := calls.FindStringSubmatch(e); m != nil && !neutral[m[1]] {
		return c.returns(m[1], depth+1)
	}
	return c.expression(e, depth)
}

// returns reports whether a function of the program returns constant texts, with the
// parameters of a query behind them.
func (c *constants) returns(name string, depth int) bool {
	if depth > maxConstantDepth {
		return false
	}
	for _, u := range c.program.units {
		if u.short() != name || u.class {
			continue
		}
		inner := &constants{program: c.program, stmts: c.program.scope(u), known: map[string]bool{}, asked: c.asked}
		any := false
		for _, s := range u.stmts {
			rest, ok := strings.CutPrefix(s.text, "return")
			if !ok {
				continue
			}
			if any = true; !inner.expression(operand(rest), depth) {
				return false
			}
		}
		c.asked = inner.asked
		return any
	}
	return false
}

// argument reports whether a parameter of a function is given constant texts wherever this
// program calls it.
func (c *constants) argument(head, name string, depth int) bool {
	m := closure.FindStringSubmatch(head)
	if m == nil {
		return false
	}
	at := slices.IndexFunc(strings.Split(m[2], ","), func(p string) bool {
		fields := strings.FieldsFunc(p, func(r rune) bool { return r == ' ' || r == ':' })
		return len(fields) > 0 && fields[0] == name
	})
	if at < 0 {
		return false
	}
	found := false
	for _, s := range c.stmts {
		i := strings.Index(s.text, m[1]+"(")
		if i < 0 || s.text == head || i > 0 && wordByte(s.text[i-1]) {
			continue
		}
		inside, _, ok := inParens(s.text[i+len(m[1]):])
		if !ok {
			return false
		}
		args := split(inside, ",")
		if at >= len(args) || !c.expression(args[at], depth+1) {
			return false
		}
		found = true
	}
	return found
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
