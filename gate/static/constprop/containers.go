package constprop

import (
	"bytes"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var loopPart = regexp.MustCompile(`\s+for\s+([A-Za-z_]\w*)\s+in\s+`)

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
			if !listed || !e.ops.spend(len(more)) {
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

// subscript is v[i], v[a:b:c] or v[key].
func (e *evaluator) subscript(v value, at, limit int, in frame) (value, int, bool) {
	x, at, ok := e.index(at, limit, in)
	if !ok {
		return value{}, at, false
	}
	out, ok := e.ops.pick(v, x)
	return out, at, ok
}

// index reads what is between brackets behind a value.
func (e *evaluator) index(at, limit int, in frame) (index, int, bool) {
	var x index
	n := 0
	for at = e.blank(at + 1); at < limit && e.src[at] != ']'; at = e.blank(at) {
		if e.src[at] == ':' {
			if n, x.colon = n+1, true; n > 2 {
				return x, at, false
			}
			at++
			continue
		}
		w, end, ok := e.expression(at, limit, in)
		if !ok {
			return x, at, false
		}
		x.key, at = w, end
		if i, ok := w.int(); ok {
			x.parts[n] = &i
		} else if e.blank(at) >= limit || e.src[e.blank(at)] != ']' || x.colon {
			return x, at, false
		}
	}
	return x, at + 1, true
}
