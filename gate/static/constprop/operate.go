package constprop

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// operations work on values as Python does, within a budget.
type operations struct {
	left int // of the work that one text may cost
}

// spend takes from the work that is left.
func (o *operations) spend(n int) bool {
	o.left -= n + 1
	return o.left > 0
}

// operate is the value of an operator between two values.
func (o *operations) operate(op string, a, b value) (value, bool) {
	switch {
	case op == "+":
		return o.add(a, b)
	case op == "*" && a.kind == textValue:
		return o.repeat(a, b)
	case op == "%" && a.kind == textValue:
		return o.percent(a, b)
	}
	if a.kind != numberValue || b.kind != numberValue || a.num.BitLen() > maxBits || b.num.BitLen() > maxBits || !o.spend((a.num.BitLen()+b.num.BitLen())/8) {
		return value{}, false
	}
	do, ok := arithmetic[op]
	if !ok {
		return value{}, false
	}
	out := new(big.Int)
	return number(out), do(out, a.num, b.num) && out.BitLen() <= 2*maxBits
}

// arithmetic are the operators between numbers. They report whether there is a
// result that Python and big.Int agree on.
var arithmetic = map[string]func(out, a, b *big.Int) bool{
	"-":  func(out, a, b *big.Int) bool { out.Sub(a, b); return true },
	"*":  func(out, a, b *big.Int) bool { out.Mul(a, b); return true },
	"^":  func(out, a, b *big.Int) bool { out.Xor(a, b); return true },
	"|":  func(out, a, b *big.Int) bool { out.Or(a, b); return true },
	"&":  func(out, a, b *big.Int) bool { out.And(a, b); return true },
	"<<": func(out, a, b *big.Int) bool { return shift(out.Lsh, a, b, maxBits) },
	">>": func(out, a, b *big.Int) bool { return shift(out.Rsh, a, b, maxShift) },
	"//": func(out, a, b *big.Int) bool { return divide(out.Div, a, b) },
	"%":  func(out, a, b *big.Int) bool { return divide(out.Mod, a, b) },
}

// maxShift bounds shifts to the right: what fits into an int of a value.
const maxShift = 1<<31 - 1

// shift shifts by a number that is small enough.
func shift(do func(a *big.Int, n uint) *big.Int, a, b *big.Int, most int) bool {
	n, fits := number(b).int()
	if !fits || n < 0 || n > most {
		return false
	}
	do(a, uint(n))
	return true
}

// divide divides where the result doesn't depend on how it is rounded below zero.
func divide(do func(a, b *big.Int) *big.Int, a, b *big.Int) bool {
	if b.Sign() <= 0 || a.Sign() < 0 {
		return false
	}
	do(a, b)
	return true
}

// add puts two values together.
func (o *operations) add(a, b value) (value, bool) {
	switch {
	case a.kind == textValue && b.kind == textValue && len(a.text)+len(b.text) <= maxLiteral:
		a.odd = a.odd || b.odd || cut(a.text, b.text)
		a.text += b.text
		return a, o.spend(len(a.text))
	case a.kind == listValue && (b.kind == listValue || b.kind == textValue):
		more, ok := b.items()
		if !ok || len(a.list)+len(more) > maxElements {
			return value{}, false
		}
		a.list = slices.Concat(a.list, more)
		return a, o.spend(len(a.list))
	case a.kind == numberValue && b.kind == numberValue:
		return number(new(big.Int).Add(a.num, b.num)), true
	}
	return value{}, false
}

// repeat is "ab" * 3.
func (o *operations) repeat(a, b value) (value, bool) {
	n, ok := b.int()
	if !ok || n < 0 || n*len(a.text) > maxLiteral || !o.spend(n*len(a.text)) {
		return value{}, false
	}
	a.text = strings.Repeat(a.text, n)
	return a, true
}

// percent is "%s%s" % (a, b).
func (o *operations) percent(a, b value) (value, bool) {
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
		if out, ok = o.add(out, value{kind: textValue, text: p}); !ok {
			return value{}, false
		}
		if i < len(values) {
			if out, ok = o.add(out, values[i]); !ok {
				return value{}, false
			}
		}
	}
	return out, true
}

// join puts elements together with a text between them.
func (o *operations) join(between value, items []value) (value, bool) {
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
	return out, o.spend(len(text))
}

// index is what is between the brackets behind a value.
type index struct {
	parts [3]*int // of [a:b:c]; only the first without a colon
	key   value   // the last expression
	colon bool
}

// pick is v[i], v[a:b:c] or v[key].
func (o *operations) pick(v value, x index) (value, bool) {
	if v.kind == dictValue {
		for i := range v.keys {
			if k := v.keys[i]; k.kind == x.key.kind && k.text == x.key.text && (k.kind != numberValue || k.num.Cmp(x.key.num) == 0) {
				return v.list[i], !x.colon && o.spend(i)
			}
		}
		return value{}, false
	}
	items, ok := v.items()
	if !ok || !o.spend(len(items)) {
		return value{}, false
	}
	if !x.colon {
		return element(items, x.parts[0])
	}
	picked, stepped := slice(items, x.parts)
	if v.kind == listValue {
		return value{kind: listValue, list: picked, odd: stepped}, true
	}
	out, ok := o.join(value{kind: textValue, bytes: v.bytes}, picked)
	out.odd = v.odd || stepped
	return out, ok
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
