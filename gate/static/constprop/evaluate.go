package constprop

import (
	"math/big"
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

// evaluator works out constant expressions of one Python text. It knows what the
// text defines, and runs nothing: it has no access to anything but the text.
type evaluator struct {
	*pythonSource
	ops   *operations
	names *environment
}

// newEvaluator prepares a text.
func newEvaluator(src []byte) *evaluator {
	e := &evaluator{pythonSource: newPythonSource(src), ops: &operations{left: maxSteps}}
	e.names = newEnvironment(e.ops, func(at int, in frame) (value, bool) {
		v, _, ok := e.expression(at, len(src), in)
		return v, ok
	})
	(&definer{pythonSource: e.pythonSource, names: e.names}).read()
	return e
}

// expression works out the expression at an offset and returns where it ends.
func (e *evaluator) expression(at, limit int, in frame) (value, int, bool) {
	return e.binary(at, limit, 1, in)
}

// binary works out operators of two sides that bind at least so closely.
func (e *evaluator) binary(at, limit, least int, in frame) (value, int, bool) {
	in.depth++
	if in.depth > maxCallDepth {
		return value{}, at, false
	}
	left, at, ok := e.unary(at, limit, in)
	for ok {
		next := e.gap(at, limit)
		op := operator(e.src, next, limit)
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
		left, ok = e.ops.operate(op, left, right)
	}
	return value{}, at, false
}

// unary works out a sign, or a value with the methods and elements behind it.
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
			end := nameEnd(e.src, start)
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

// primary works out a literal, a name, a call or what is in brackets.
func (e *evaluator) primary(at, limit int, in frame) (value, int, bool) {
	if at >= limit || !e.ops.spend(1) {
		return value{}, at, false
	}
	switch c := e.src[at]; {
	case c == '(' || c == '[':
		return e.bracketed(at, limit, in)
	case c == '{':
		return e.dictionary(at, limit, in)
	case isDigit(c):
		end := nameEnd(e.src, at)
		n, ok := new(big.Int).SetString(string(e.src[at:min(end, at+maxLiteral)]), 0)
		if !ok {
			return value{}, at, false
		}
		return number(n), end, e.ops.spend(end - at)
	}
	if s := literalAt(e.src, at); s > at || e.text.At(at) == lex.String {
		return e.literals(at, in)
	}
	return e.name(at, limit, in)
}

// name works out a name, a chain of names, or the call that it begins.
func (e *evaluator) name(at, limit int, in frame) (value, int, bool) {
	start, end := at, nameEnd(e.src, at)
	if end == start {
		return value{}, at, false
	}
	name := string(e.src[start:end])
	for end < limit && e.src[end] == '.' && !e.holds(name, in) {
		next := nameEnd(e.src, end+1)
		if next == end+1 {
			return value{}, at, false
		}
		name, end = string(e.src[start:next]), next
	}
	if end < limit && e.src[end] == '(' {
		return e.call(name, end, limit, in)
	}
	if separator[name] {
		return value{kind: textValue, text: "/", odd: true}, end, true
	}
	if dot[name] {
		return value{kind: textValue, text: ".", odd: true}, end, true
	}
	name = fieldName(name)
	v, ok := e.names.lookup(name, start, in)
	if i := strings.LastIndexByte(name, '.'); !ok && i >= 0 {
		v, ok = e.names.lookup(name[i+1:], start, in) // an attribute of a class
	}
	return v, end, ok
}

// holds reports whether a name is that of a value, so that the next name of a chain
// is that of its method.
func (e *evaluator) holds(name string, in frame) bool {
	if _, ok := e.names.defs[fieldName(name)]; ok && name != "self" {
		return true
	}
	_, ok := in.vars[name]
	return ok
}

// dot are the names of the sign before the ending of a file name, and of the current folder.
var dot = map[string]bool{"os.extsep": true, "os.path.extsep": true, "os.curdir": true, "os.path.curdir": true}

// separator are the names of the sign between the parts of a path.
var separator = map[string]bool{"os.sep": true, "os.path.sep": true, "posixpath.sep": true}
