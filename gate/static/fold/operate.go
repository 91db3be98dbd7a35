package fold

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var loopPart = regexp.MustCompile(`\s+for\s+([A-Za-z_]\w*)\s+in\s+`)

func number(n *big.Int) value { return value{kind: numberValue, num: n} }

func small(n int) value { return number(big.NewInt(int64(n))) }

// int is a number that fits into one.
func (v value) int() (int, bool) {
	if v.kind != numberValue || !v.num.IsInt64() || v.num.BitLen() > 31 {
		return 0, false
	}
	return int(v.num.Int64()), true
}

// items are the elements that a loop over a value sees.
func (v value) items() ([]value, bool) {
	switch v.kind {
	case listValue:
		return v.list, true
	case dictValue:
		return v.keys, true
	case textValue:
		if len(v.text) > maxLiteral {
			return nil, false
		}
		var out []value
		if v.bytes {
			for i := range len(v.text) {
				out = append(out, small(int(v.text[i])))
			}
			return out, true
		}
		for _, r := range v.text {
			out = append(out, value{kind: textValue, text: string(r), odd: v.odd})
		}
		return out, true
	}
	return nil, false
}

// add puts two values together.
func (e *evaluator) add(a, b value) (value, bool) {
	switch {
	case a.kind == textValue && b.kind == textValue && len(a.text)+len(b.text) <= maxLiteral:
		a.odd = a.odd || b.odd || cut(a.text, b.text)
		a.text += b.text
		return a, e.spend(len(a.text))
	case a.kind == listValue && (b.kind == listValue || b.kind == textValue):
		more, ok := b.items()
		if !ok || len(a.list)+len(more) > maxElements {
			return value{}, false
		}
		a.list = slices.Concat(a.list, more)
		return a, e.spend(len(a.list))
	case a.kind == numberValue && b.kind == numberValue:
		return number(new(big.Int).Add(a.num, b.num)), true
	}
	return value{}, false
}

// cut reports whether two texts were one word.
func cut(a, b string) bool {
	return a != "" && b != "" && isLatin(rune(a[len(a)-1])) && isLatin(rune(b[0]))
}

func (e *evaluator) operate(op string, a, b value) (value, bool) {
	if op == "+" {
		return e.add(a, b)
	}
	if op == "*" && a.kind == textValue {
		n, ok := b.int()
		if !ok || n < 0 || n*len(a.text) > maxLiteral || !e.spend(n*len(a.text)) {
			return value{}, false
		}
		a.text = strings.Repeat(a.text, n)
		return a, true
	}
	if op == "%" && a.kind == textValue {
		return e.percent(a, b)
	}
	if a.kind != numberValue || b.kind != numberValue || a.num.BitLen() > maxBits || b.num.BitLen() > maxBits || !e.spend((a.num.BitLen()+b.num.BitLen())/8) {
		return value{}, false
	}
	out := new(big.Int)
	n, fits := b.int()
	switch op {
	case "-":
		out.Sub(a.num, b.num)
	case "*":
		out.Mul(a.num, b.num)
	case "^":
		out.Xor(a.num, b.num)
	case "|":
		out.Or(a.num, b.num)
	case "&":
		out.And(a.num, b.num)
	case "<<":
		if !fits || n < 0 || n > maxBits {
			return value{}, false
		}
		out.Lsh(a.num, uint(n))
	case ">>":
		if !fits || n < 0 {
			return value{}, false
		}
		out.Rsh(a.num, uint(n))
	case "//", "%":
		if b.num.Sign() <= 0 || a.num.Sign() < 0 {
			return value{}, false
		}
		if op == "%" {
			out.Mod(a.num, b.num)
		} else {
			out.Div(a.num, b.num)
		}
	default:
		return value{}, false
	}
	return number(out), out.BitLen() <= 2*maxBits
}

// percent is "%s%s" % (a, b).
func (e *evaluator) percent(a, b value) (value, bool) {
	values := []value{b}
	if b.kind == listValue {
		values = b.list
	}
	out := value{kind: textValue, odd: a.odd}
	parts := strings.Split(a.text, "%s")
	if len(parts) != len(values)+1 || strings.Contains(strings.ReplaceAll(a.text, "%s", ""), "%") {
		return value{}, false
	}
	for i, p := range parts {
		var ok bool
		if out, ok = e.add(out, value{kind: textValue, text: p}); !ok {
			return value{}, false
		}
		if i < len(values) {
			if out, ok = e.add(out, values[i]); !ok {
				return value{}, false
			}
		}
	}
	return out, true
}

// subscript is v[i], v[a:b:c] or v[key].
func (e *evaluator) subscript(v value, at, limit int, in frame) (value, int, bool) {
	var parts [3]*int
	n, colon := 0, false
	var key value
	for at = e.blank(at + 1); at < limit && e.src[at] != ']'; at = e.blank(at) {
		if e.src[at] == ':' {
			if n, colon = n+1, true; n > 2 {
				return value{}, at, false
			}
			at++
			continue
		}
		w, end, ok := e.expression(at, limit, in)
		if !ok {
			return value{}, at, false
		}
		key, at = w, end
		if i, ok := w.int(); ok {
			parts[n] = &i
		} else if e.blank(at) >= limit || e.src[e.blank(at)] != ']' || colon {
			return value{}, at, false
		}
	}
	at++
	if v.kind == dictValue {
		for i := range v.keys {
			if k := v.keys[i]; k.kind == key.kind && k.text == key.text && (k.kind != numberValue || k.num.Cmp(key.num) == 0) {
				return v.list[i], at, !colon && e.spend(i)
			}
		}
		return value{}, at, false
	}
	items, ok := v.items()
	if !ok || !e.spend(len(items)) {
		return value{}, at, false
	}
	if !colon {
		if parts[0] == nil {
			return value{}, at, false
		}
		i := *parts[0]
		if i < 0 {
			i += len(items)
		}
		if i < 0 || i >= len(items) {
			return value{}, at, false
		}
		return items[i], at, true
	}
	picked, stepped := slice(items, parts)
	if v.kind == listValue {
		return value{kind: listValue, list: picked, odd: stepped}, at, true
	}
	out, ok := e.join(value{kind: textValue, bytes: v.bytes}, picked)
	out.odd = v.odd || stepped
	return out, at, ok
}

// slice picks the elements that [a:b:c] picks, and reports whether it leaves any
// out on the way or turns them round.
func slice(items []value, parts [3]*int) ([]value, bool) {
	step := 1
	if parts[2] != nil {
		step = *parts[2]
	}
	if step == 0 || step > maxElements || step < -maxElements {
		return nil, false
	}
	at, end := 0, len(items)
	if step < 0 {
		at, end = len(items)-1, -1
	}
	for i, to := range []*int{&at, &end} {
		if parts[i] == nil {
			continue
		}
		n := *parts[i]
		if n < 0 {
			n += len(items)
		}
		*to = max(min(n, len(items)), -1)
	}
	var out []value
	for ; at >= 0 && at < len(items) && (step > 0 && at < end || step < 0 && at > end); at += step {
		out = append(out, items[at])
	}
	return out, step != 1
}

// join puts elements together with a text between them.
func (e *evaluator) join(between value, items []value) (value, bool) {
	out := value{kind: textValue, bytes: between.bytes}
	var text []byte
	for i, item := range items {
		if i > 0 {
			text = append(text, between.text...)
		}
		switch {
		case item.kind == textValue:
			out.odd = out.odd || item.odd || cut(string(text), item.text)
			text = append(text, item.text...)
		case item.kind == numberValue && between.bytes:
			n, ok := item.int()
			if !ok || n < 0 || n > 255 {
				return value{}, false
			}
			text = append(text, byte(n))
		default:
			return value{}, false
		}
		if len(text) > maxLiteral {
			return value{}, false
		}
	}
	out.text = string(text)
	return out, e.spend(len(text))
}

// inflated is what a compressed text holds.
func inflated(text string) (string, bool) {
	r, err := zlib.NewReader(strings.NewReader(text))
	if err != nil {
		return "", false
	}
	var out bytes.Buffer
	if _, err := io.CopyN(&out, r, maxLiteral+1); !errors.Is(err, io.EOF) {
		return "", false
	}
	return out.String(), utf8.Valid(out.Bytes())
}
