package fold

import (
	"bytes"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/source/lex"
)

// Bounds of what one text may cost. What is beyond is not worked out.
const (
	maxSteps     = 400_000 // expressions and bytes of values
	maxCallDepth = 24      // how deep names, calls and brackets lead into one another
	maxElements  = 4 << 10
	maxBits      = 8 * maxLiteral
)

type valueKind uint8

const (
	textValue valueKind = iota + 1
	numberValue
	listValue
	dictValue
)

// value is a constant. odd says that its text was taken apart so that nobody
// reads it: in the middle of a word, or by an operation that no one needs for a
// constant.
type value struct {
	kind  valueKind
	text  string
	bytes bool // elements of the text are numbers
	num   *big.Int
	keys  []value // of a dictionary
	list  []value
	odd   bool
}

// frame holds the values of parameters while a function is worked out.
type frame struct {
	vars  map[string]value
	depth int
}

func (f frame) with(names []string, values []value) frame {
	out := frame{vars: make(map[string]value, len(f.vars)+len(names)), depth: f.depth}
	maps.Copy(out.vars, f.vars)
	for i, n := range names {
		out.vars[n] = values[i]
	}
	return out
}

// evaluator works out constant expressions of one Python text. It knows what the
// text defines, and runs nothing: it has no access to anything but the text.
type evaluator struct {
	src   []byte
	text  *lex.Text
	steps int
	defs  map[string][]definition
	funcs map[string]defined
	known map[int]value // what the expression at an offset amounts to; kind 0: not known
}

// spend takes from the work that is left.
func (e *evaluator) spend(n int) bool {
	e.steps -= n + 1
	return e.steps > 0
}

// priority of the operators of two sides; higher binds closer.
var priority = map[string]int{"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "//": 6, "/": 6, "%": 6, "**": 7}

func (e *evaluator) operator(at, limit int) string {
	if at >= limit {
		return ""
	}
	two := string(e.src[at:min(at+2, limit)])
	if priority[two] > 0 {
		return two
	}
	if one := two[:1]; priority[one] > 0 && !strings.HasSuffix(two, "=") {
		return one
	}
	return ""
}

// expression works out the expression at an offset and returns where it ends.
func (e *evaluator) expression(at, limit int, in frame) (value, int, bool) {
	return e.binary(at, limit, 1, in)
}

func (e *evaluator) binary(at, limit, least int, in frame) (value, int, bool) {
	in.depth++
	if in.depth > maxCallDepth {
		return value{}, at, false
	}
	left, at, ok := e.unary(at, limit, in)
	for ok {
		next := e.gap(at, limit)
		op := e.operator(next, limit)
		p := priority[op]
		if p < least || p == 0 {
			return left, at, true
		}
		var right value
		if op == "**" {
			p-- // binds to the right
		}
		if right, at, ok = e.binary(e.blank(next+len(op)), limit, p+1, in); !ok {
			break
		}
		left, ok = e.operate(op, left, right)
	}
	return value{}, at, false
}

// gap goes over what may stand before an operator: on a line of its own it ends
// the statement, unless the line goes on.
func (e *evaluator) gap(at, limit int) int {
	next := e.blank(at)
	if i := bytes.IndexByte(e.src[at:min(next, limit)], '\n'); i >= 0 {
		if _, joined := slices.BinarySearch(e.text.Joins, at+i); !joined {
			return at
		}
	}
	return min(next, limit)
}

func (e *evaluator) unary(at, limit int, in frame) (value, int, bool) {
	at = e.blank(at)
	if at < limit && e.src[at] == '-' {
		v, end, ok := e.unary(at+1, limit, in)
		if !ok || v.kind != numberValue {
			return value{}, end, false
		}
		return number(new(big.Int).Neg(v.num)), end, true
	}
	v, at, ok := e.primary(at, limit, in)
	for ok {
		next := e.gap(at, limit)
		if next >= limit {
			return v, at, true
		}
		switch e.src[next] {
		case '.':
			start := next + 1
			end := e.word(start)
			if end == start || end >= limit || e.src[end] != '(' {
				return value{}, at, false
			}
			v, at, ok = e.method(v, string(e.src[start:end]), end, limit, in)
		case '[':
			v, at, ok = e.subscript(v, next, limit, in)
		default:
			return v, at, true
		}
	}
	return value{}, at, false
}

func (e *evaluator) word(at int) int {
	for at < len(e.src) && isWord(e.src[at]) {
		at++
	}
	return at
}

// primary works out a literal, a name, a call or what stands in brackets.
func (e *evaluator) primary(at, limit int, in frame) (value, int, bool) {
	if at >= limit || !e.spend(1) {
		return value{}, at, false
	}
	switch c := e.src[at]; {
	case c == '(' || c == '[':
		return e.bracketed(at, limit, in)
	case c == '{':
		return e.dictionary(at, limit, in)
	case isDigit(c):
		end := e.word(at)
		n, ok := new(big.Int).SetString(string(e.src[at:min(end, at+maxLiteral)]), 0)
		if !ok {
			return value{}, at, false
		}
		return number(n), end, e.spend(end - at)
	}
	if s := e.literalAt(at); s > at || e.text.At(at) == lex.String {
		return e.literals(at, in)
	}
	start, end := at, e.word(at)
	if end == start {
		return value{}, at, false
	}
	name := string(e.src[start:end])
	for end < limit && e.src[end] == '.' { // a chain of names ends at the method of a value
		if _, ok := e.defs[strings.TrimPrefix(strings.TrimPrefix(name, "self."), "cls.")]; ok && name != "self" {
			break
		}
		if _, ok := in.vars[name]; ok {
			break
		}
		next := e.word(end + 1)
		if next == end+1 {
			return value{}, at, false
		}
		name, end = string(e.src[start:next]), next
	}
	if end < limit && e.src[end] == '(' {
		return e.call(name, end, limit, in)
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "self."), "cls.")
	v, ok := e.lookup(name, start, in)
	if i := strings.LastIndexByte(name, '.'); !ok && i >= 0 {
		v, ok = e.lookup(name[i+1:], start, in) // an attribute of a class
	}
	return v, end, ok
}

// literalAt is where the quote of a literal is that begins at an offset with its
// prefix; the offset itself for none.
func (e *evaluator) literalAt(at int) int {
	for i := at; i < len(e.src) && i-at < 3; i++ {
		if c := e.src[i]; c == '"' || c == '\'' {
			return i
		} else if bytes.IndexByte([]byte("rRbBuUfF"), c) < 0 {
			break
		}
	}
	return at
}

// literals reads literals side by side, formatted ones with their fields.
func (e *evaluator) literals(at int, in frame) (value, int, bool) {
	out := value{kind: textValue}
	for {
		start := e.literalAt(at)
		s, ok := e.text.Span(start)
		if !ok || s.Class != lex.String || s.Start != start {
			return value{}, at, false
		}
		prefix := strings.ToLower(string(e.src[at:start]))
		part, end, ok := e.fields(s, prefix, in)
		if !ok {
			return value{}, at, false
		}
		part.bytes = strings.Contains(prefix, "b")
		if out, ok = e.add(out, part); !ok {
			return value{}, at, false
		}
		out.bytes = part.bytes
		next := e.gap(end, len(e.src))
		if q := e.literalAt(next); next >= len(e.src) || q >= len(e.src) || e.src[q] != '"' && e.src[q] != '\'' || e.text.At(q) != lex.String {
			return out, end, true
		}
		at = next
	}
}

// fields is the value of one literal. In a formatted one the code of fields lies
// between the pieces of text.
func (e *evaluator) fields(s lex.Span, prefix string, in frame) (value, int, bool) {
	if s.End-s.Start > maxLiteral || !e.spend(s.End-s.Start) {
		return value{}, s.Start, false
	}
	if !strings.Contains(prefix, "f") {
		text, escaped, ok := unquote(e.src[s.Start:s.End], strings.Contains(prefix, "r"))
		return value{kind: textValue, text: text, odd: escaped && len(text) > 0 && strings.Count(string(e.src[s.Start:s.End]), `\x`) > 2}, s.End, ok
	}
	quotes := 1
	if q := e.src[s.Start]; s.End-s.Start >= 3 && e.src[s.Start+1] == q && e.src[s.Start+2] == q {
		quotes = 3
	}
	mark := string(bytes.Repeat(e.src[s.Start:s.Start+1], quotes))
	out := value{kind: textValue}
	from := s.Start + quotes
	for {
		piece := string(e.src[min(from, s.End):s.End])
		if body, ok := strings.CutSuffix(piece, mark); ok {
			last, fine := e.add(out, value{kind: textValue, text: body})
			return last, s.End, fine
		}
		var ok bool
		if out, ok = e.add(out, value{kind: textValue, text: strings.TrimSuffix(piece, "{")}); !ok || strings.Contains(piece, `\`) {
			return value{}, s.Start, false
		}
		v, end, ok := e.expression(s.End, len(e.src), in)
		if !ok || v.kind != textValue && v.kind != numberValue {
			return value{}, s.Start, false
		}
		if v.kind == numberValue {
			v = value{kind: textValue, text: v.num.String()}
		}
		if s, ok = e.text.Span(end); !ok || s.Start != end || e.src[end] != '}' {
			return value{}, end, false
		}
		if out, ok = e.add(out, v); !ok {
			return value{}, end, false
		}
		from = end + 1
	}
}

// bracketed is a value in brackets, a list or a tuple, or one made by a loop.
func (e *evaluator) bracketed(at, limit int, in frame) (value, int, bool) {
	open := e.src[at]
	shut := byte(']')
	if open == '(' {
		shut = ')'
	}
	items, comma, end, ok := e.sequence(at, limit, shut, in)
	if ok && open == '(' && !comma && len(items) == 1 {
		return items[0], end, true
	}
	return value{kind: listValue, list: items}, end, ok
}

// sequence reads the expressions between brackets.
func (e *evaluator) sequence(at, limit int, shut byte, in frame) (items []value, comma bool, end int, ok bool) {
	at = e.blank(at + 1)
	for at < limit && len(items) < maxElements {
		if e.src[at] == shut {
			return items, comma, at + 1, true
		}
		start := at
		star := e.src[at] == '*'
		if star {
			at++
		}
		var v value
		v, at, ok = e.expression(at, limit, in)
		at = e.blank(at)
		if len(items) == 0 && !star && (!ok || bytes.HasPrefix(e.src[at:], []byte("for"))) {
			if items, at, ok = e.loop(start, limit, shut, in); !ok {
				return nil, false, at, false
			}
			return items, true, at, true
		}
		switch {
		case !ok:
			return nil, false, at, false
		case star:
			more, listed := v.items()
			if !listed || !e.spend(len(more)) {
				return nil, false, at, false
			}
			items = append(items, more...)
		default:
			items = append(items, v)
		}
		if at < limit && e.src[at] == ',' {
			comma, at = true, e.blank(at+1)
		} else if at >= limit || e.src[at] != shut {
			return nil, false, at, false
		}
	}
	return nil, false, at, false
}

// loop reads EXPRESSION for NAME in LIST, up to the bracket that closes it.
func (e *evaluator) loop(at, limit int, shut byte, in frame) ([]value, int, bool) {
	end := at
	for depth := 0; end < limit && end-at < maxLiteral; end++ {
		if s, ok := e.text.Span(end); ok {
			end = s.End - 1
			continue
		}
		switch e.src[end] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth < 0 {
			break
		}
	}
	if end >= limit || e.src[end] != shut {
		return nil, at, false
	}
	m := loopPart.FindSubmatchIndex(e.src[at:end])
	if m == nil {
		return nil, at, false
	}
	over, stop, ok := e.expression(at+m[1], end, in)
	items, listed := over.items()
	if !ok || !listed || e.blank(stop) < end {
		return nil, at, false
	}
	out := make([]value, 0, len(items))
	for _, item := range items {
		v, stop, ok := e.expression(at, at+m[0], in.with([]string{string(e.src[at+m[2] : at+m[3]])}, []value{item}))
		if !ok || e.blank(stop) < at+m[0] {
			return nil, at, false
		}
		out = append(out, v)
	}
	return out, end + 1, true
}

// dictionary reads {KEY: VALUE, …}.
func (e *evaluator) dictionary(at, limit int, in frame) (value, int, bool) {
	out := value{kind: dictValue}
	at = e.blank(at + 1)
	for at < limit && len(out.list) < maxElements {
		if e.src[at] == '}' {
			return out, at + 1, true
		}
		key, next, ok := e.expression(at, limit, in)
		if next = e.blank(next); !ok || next >= limit || e.src[next] != ':' {
			return value{}, at, false
		}
		v, next, ok := e.expression(e.blank(next+1), limit, in)
		if !ok {
			return value{}, at, false
		}
		out.keys, out.list = append(out.keys, key), append(out.list, v)
		if at = e.blank(next); at < limit && e.src[at] == ',' {
			at = e.blank(at + 1)
		}
	}
	return value{}, at, false
}
