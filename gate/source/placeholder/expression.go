package placeholder

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/strlit"
)

// Bounds of one expression.
const (
	maxText  = 16 << 10 // bytes of a value
	maxItems = 500      // of a list
	maxDepth = 30       // of brackets
)

// parser works out an expression while it reads it. What it doesn't understand
// ends it, with a value that is not known.
type parser struct {
	s     string
	at    int
	depth int
	run   *run
	stop  bool
}

// evaluate is the value of an expression.
func (r *run) evaluate(expression string) Value {
	p := parser{s: strings.TrimSpace(expression), run: r}
	v := p.pipe()
	p.blank()
	if p.stop || p.at < len(p.s) {
		return Value{}
	}
	return v
}

func (p *parser) blank() {
	for p.at < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.at]) >= 0 {
		p.at++
	}
}

// take consumes the sign that comes next.
func (p *parser) take(sign string) bool {
	p.blank()
	if !strings.HasPrefix(p.s[p.at:], sign) {
		return false
	}
	p.at += len(sign)
	return true
}

// word consumes the next word as a whole.
func (p *parser) word(word string) bool {
	p.blank()
	rest := p.s[p.at:]
	if !strings.HasPrefix(rest, word) || len(rest) > len(word) && char.IsASCIIWord(rest[len(word)]) {
		return false
	}
	p.at += len(word)
	return true
}

func (p *parser) next() byte {
	p.blank()
	if p.at < len(p.s) {
		return p.s[p.at]
	}
	return 0
}

// pipe is a value that filters change, one behind the other.
func (p *parser) pipe() Value {
	if p.depth++; p.depth > maxDepth {
		p.run.reach(maxDepth, "brackets of an expression within each other are")
		p.stop = true
	}
	defer func() { p.depth-- }()
	v := p.choice()
	for !p.stop && p.next() == '|' && !strings.HasPrefix(p.s[p.at:], "||") {
		p.at++
		v = p.filter(v)
	}
	return v
}

// filter is one function behind a pipe, with arguments in brackets, behind a colon, or
// as words.
func (p *parser) filter(subject Value) Value {
	c := call{name: p.name(), subject: subject}
	if c.name == "" {
		p.stop = true
		return Value{}
	}
	switch {
	case p.at < len(p.s) && p.s[p.at] == '(':
		p.at++
		c.args = p.arguments(')')
	case p.take(":"):
		for more := true; more && !p.stop; more = p.take(",") {
			c.args = append(c.args, p.postfix())
		}
	default:
		c.args, c.last = p.operands(), true
	}
	if !subject.Known() && c.name != "default" && c.name != "d" {
		return Value{}
	}
	return p.apply(c)
}

// operands are the words behind a function in a Go template.
func (p *parser) operands() []Value {
	var out []Value
	for !p.stop && p.startsValue() && len(out) < maxItems {
		out = append(out, p.postfix())
	}
	if len(out) >= maxItems {
		p.run.reach(maxItems, "elements of a list are")
	}
	return out
}

func (p *parser) startsValue() bool {
	c := p.next()
	return c == '"' || c == '\'' || c == '`' || c == '(' || c == '[' || c == '.' || c == '$' || char.IsASCIIWord(c) && !p.keyword()
}

func (p *parser) keyword() bool {
	for _, k := range []string{"if", "else", "or", "and", "not", "in", "is", "for"} {
		if at := p.at; p.word(k) {
			p.at = at
			return true
		}
	}
	return false
}

// choice is a value or another one, by a condition that may not be known.
func (p *parser) choice() Value {
	start := p.at
	v := p.both()
	for !p.stop && (p.take("||") || p.word("or")) {
		other := p.both()
		v = p.either(v, other, start)
	}
	switch {
	case p.word("if"): // a if condition else b
		p.both()
		if p.word("else") {
			return p.either(v, p.choice(), start)
		}
	case p.next() == '?' && !strings.HasPrefix(p.s[p.at:], "??"): // condition ? a : b
		p.at++
		yes := p.choice()
		if p.take(":") {
			return p.either(yes, p.choice(), start)
		}
		p.stop = true
	}
	return v
}

// either is one of two values.
func (p *parser) either(a, b Value, at int) Value {
	switch {
	case !a.Known():
		return b
	case !b.Known():
		return a
	case p.run.choice.pick("either "+strconv.Itoa(at)+p.s, 2) == 0:
		return a
	}
	return b
}

// both is the value behind the last "&&".
func (p *parser) both() Value {
	v := p.compared()
	for !p.stop && (p.take("&&") || p.word("and")) {
		v = p.compared()
	}
	return v
}

// compared is a value, or a comparison, whose outcome is not known.
func (p *parser) compared() Value {
	p.blank()
	if p.word("not") {
		p.compared()
		return Value{}
	}
	v := p.sum()
	if slices.ContainsFunc([]string{"==", "!=", "<=", ">=", "=~", "<", ">"}, p.take) {
		p.sum()
		return Value{}
	}
	if p.word("in") || p.word("is") {
		p.word("not")
		p.sum()
		return Value{}
	}
	return v
}

// sum puts values together.
func (p *parser) sum() Value {
	v := p.postfix()
	for !p.stop {
		if !p.take("+") && !p.take("~") {
			return v
		}
		next := p.postfix()
		switch {
		case v.kind == isList && next.kind == isList:
			v = p.run.held(call{args: []Value{v, next}}.concat())
		case v.kind == isText && next.kind == isText:
			v = p.run.held(bounded(v.text + next.text))
		default:
			v = Value{}
		}
	}
	return v
}

// apply calls a function.
func (p *parser) apply(c call) Value { return p.run.held(c.apply()) }

// held notes a value that is too long to be held.
func (r *run) held(v Value) Value {
	if v.over {
		r.reach(maxText, "bytes and "+strconv.Itoa(maxItems)+" elements of a value are")
	}
	return v
}

// postfix is a value with what is taken from it.
func (p *parser) postfix() Value {
	v, path := p.primary()
	for !p.stop && p.at < len(p.s) {
		switch p.s[p.at] {
		case '.':
			p.at++
			name := p.name()
			if name == "" && p.at < len(p.s) && p.s[p.at] == '*' {
				p.at++
				continue
			}
			if p.at < len(p.s) && p.s[p.at] == '(' {
				p.at++
				v = p.apply(call{name: name, args: p.arguments(')'), subject: v})
				path = ""
				continue
			}
			v, path = p.run.member(v, path, name)
		case '[':
			p.at++
			v, path = p.index(v, path)
		default:
			return p.run.resolve(v, path)
		}
	}
	return p.run.resolve(v, path)
}

// index is an element, or a part of a text or list: [0], ['name'], [1:], [::-1].
func (p *parser) index(v Value, path string) (Value, string) {
	if end := strings.IndexByte(p.s[p.at:], ']'); end >= 0 && strings.Contains(p.s[p.at:p.at+end], ":") && !strings.ContainsAny(p.s[p.at:p.at+end], `"'`) {
		bounds := p.s[p.at : p.at+end]
		p.at += end + 1
		return slice(p.run.resolve(v, path), bounds), ""
	}
	args := p.arguments(']')
	if len(args) != 1 {
		return Value{}, ""
	}
	key, ok := args[0].String()
	if !ok {
		return Value{}, ""
	}
	return p.run.member(v, path, key)
}

// slice is a part of a text.
func slice(v Value, bounds string) Value {
	if strings.TrimSpace(bounds) == "::-1" {
		return reversed(v)
	}
	from, to, _ := strings.Cut(bounds, ":")
	if v.kind != isText || strings.Contains(to, ":") {
		return Value{}
	}
	start, _ := number(from)
	end, ok := number(to)
	if !ok {
		end = len(v.text)
	}
	if start < 0 {
		start += len(v.text)
	}
	if end < 0 {
		end += len(v.text)
	}
	start = min(max(start, 0), len(v.text))
	return Text(v.text[start:max(start, min(end, len(v.text)))])
}

// primary is a literal, a list, a name or a call. A name is returned as the
// beginning of a path.
func (p *parser) primary() (Value, string) {
	switch c := p.next(); {
	case c == '"' || c == '\'' || c == '`':
		return p.literal(c), ""
	case c == '(':
		p.at++
		v := p.pipe()
		if !p.take(")") {
			p.stop = true
		}
		return v, ""
	case c == '[':
		p.at++
		return List(p.arguments(']')...), ""
	case c == '!':
		p.at++
		p.postfix()
		return Value{}, ""
	case c == '$' || c == '.':
		p.at++
		return Value{}, p.name()
	case c >= '0' && c <= '9' || c == '-':
		start := p.at
		for p.at++; p.at < len(p.s) && (char.IsASCIIWord(p.s[p.at]) || p.s[p.at] == '.'); p.at++ {
		}
		return Text(p.s[start:p.at]), ""
	case char.IsNameStart(c):
		return p.named()
	}
	p.stop = true
	return Value{}, ""
}

// named is a name, or a call with arguments in brackets or as words.
func (p *parser) named() (Value, string) {
	name := p.name()
	switch {
	case name == "true" || name == "false" || name == "null" || name == "nil" || name == "None":
		return Value{}, ""
	case p.at < len(p.s) && p.s[p.at] == '(':
		p.at++
		c := call{name: name, args: p.arguments(')')}
		p.run.starts(c)
		return p.apply(c), ""
	case p.depth == 1 || p.at < len(p.s) && p.s[p.at] == ' ':
		if at := p.at; p.startsValue() && at < p.at {
			c := call{name: name, args: p.operands(), last: true}
			if path, ok := c.variable(); ok {
				return Value{}, path
			}
			p.run.starts(c)
			return p.apply(c), ""
		}
	}
	return Value{}, name
}

// name consumes a name; one may have dashes in it.
func (p *parser) name() string {
	p.blank()
	start := p.at
	for p.at < len(p.s) && (char.IsASCIIWord(p.s[p.at]) || p.s[p.at] == '-' && p.at > start && p.at+1 < len(p.s) && char.IsASCIIWord(p.s[p.at+1])) {
		p.at++
	}
	return p.s[start:p.at]
}

// arguments are values between commas, up to a bracket. Names before "=" are left
// out.
func (p *parser) arguments(closing byte) []Value {
	var out []Value
	if p.depth++; p.depth > maxDepth {
		p.run.reach(maxDepth, "brackets of an expression within each other are")
		p.stop = true
	}
	defer func() { p.depth-- }()
	for !p.stop && len(out) < maxItems {
		if p.next() == closing {
			p.at++
			return out
		}
		out = append(out, p.argument())
		if !p.take(",") && p.next() != closing {
			break
		}
	}
	if len(out) >= maxItems {
		p.run.reach(maxItems, "elements of a list are")
	}
	p.stop = true
	return nil
}

func (p *parser) argument() Value {
	at := p.at
	if p.name() != "" && p.take("=") && p.next() != '=' {
		return p.pipe()
	}
	p.at = at
	v := p.pipe()
	p.take("...")
	return v
}

// literal is a text in quotes. One in which the quote is doubled is of those
// languages that escape it so.
func (p *parser) literal(quote byte) Value {
	start := p.at + 1
	for p.at++; p.at < len(p.s); p.at++ {
		switch {
		case p.s[p.at] == '\\' && quote != '`':
			p.at++
		case p.s[p.at] == quote && quote == '\'' && strings.HasPrefix(p.s[p.at+1:], "'"):
			p.at++
		case p.s[p.at] == quote:
			body := p.s[start:p.at]
			p.at++
			if quote == '\'' {
				body = strings.ReplaceAll(body, "''", "'")
			}
			if quote == '"' {
				body = strlit.UnescapeLoosely(body)
			}
			if quote == '"' && strings.Contains(body, "${") {
				body = p.run.text(body)
			}
			return Text(body)
		}
	}
	p.at, p.stop = len(p.s), true
	return Value{}
}
