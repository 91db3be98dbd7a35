package constprop

import (
	"math/big"
	"slices"
	"strings"
)

// arguments are the values that a call is given by position.
type arguments []value

// at is an argument; one that is missing has no kind.
func (a arguments) at(i int) value {
	if i < len(a) {
		return a[i]
	}
	return value{}
}

// builtinCall is a call of a function that Python brings, with one argument at
// least.
type builtinCall struct {
	args   arguments
	items  []value // the elements of the first argument
	listed bool    // whether it has any
}

// call works out a call of a function that Python brings; last is the last part of
// its name.
func (o *operations) call(name, last string, args arguments) (value, bool) {
	items, listed := args[0].items()
	if !o.spend(len(items)) {
		return value{}, false
	}
	if do, ok := builtins[name]; ok {
		return do(o, builtinCall{args, items, listed})
	}
	if kind := encodingOf(last); kind != "" && kind != "percent" {
		return decoded(kind, args[0])
	}
	return value{}, false
}

// builtins are the functions that make constants of constants.
var builtins = map[string]func(o *operations, c builtinCall) (value, bool){
	"chr":             builtinChr,
	"ord":             builtinOrd,
	"len":             func(_ *operations, c builtinCall) (value, bool) { return small(len(c.items)), c.listed },
	"int":             builtinInt,
	"str":             builtinStr,
	"bytes":           builtinBytes,
	"bytearray":       builtinBytes,
	"list":            builtinList,
	"tuple":           builtinList,
	"reversed":        builtinReversed,
	"range":           builtinRange,
	"str.maketrans":   builtinTable,
	"bytes.maketrans": builtinTable,
	"zlib.decompress": builtinDecompress,
	"decompress":      builtinDecompress,
	"codecs.decode":   builtinCodec,
	"codecs.encode":   builtinCodec,
}

func builtinChr(_ *operations, c builtinCall) (value, bool) {
	n, ok := c.args[0].int()
	return value{kind: textValue, text: string(rune(n)), odd: true}, ok && n > 0
}

func builtinOrd(_ *operations, c builtinCall) (value, bool) {
	rs := []rune(c.args[0].text)
	if len(rs) != 1 {
		return value{}, false
	}
	return small(int(rs[0])), true
}

// builtinInt is int(7), int("7") or int("ff", 16).
func builtinInt(_ *operations, c builtinCall) (value, bool) {
	v := c.args[0]
	if v.kind == numberValue {
		return v, true
	}
	base := 10
	if len(c.args) > 1 {
		base, _ = c.args[1].int()
	}
	if base < 2 || base > 36 || len(v.text) > maxLiteral/4 {
		return value{}, false
	}
	i, ok := new(big.Int).SetString(v.text, base)
	return number(i), ok
}

func builtinStr(_ *operations, c builtinCall) (value, bool) {
	v := c.args[0]
	v.bytes = false
	return v, v.kind == textValue
}

// builtinBytes is bytes("ab", "ascii") or bytes([97, 98]).
func builtinBytes(o *operations, c builtinCall) (value, bool) {
	switch v := c.args[0]; v.kind {
	case textValue:
		v.bytes = true
		return v, true
	case listValue:
		out, ok := o.join(value{kind: textValue, bytes: true}, c.items)
		out.odd = true
		return out, ok
	default:
		return value{}, false
	}
}

func builtinList(_ *operations, c builtinCall) (value, bool) {
	return value{kind: listValue, list: c.items, odd: c.args[0].odd}, c.listed
}

func builtinReversed(_ *operations, c builtinCall) (value, bool) {
	items := slices.Clone(c.items)
	slices.Reverse(items)
	return value{kind: listValue, list: items, odd: true}, c.listed
}

// builtinRange is range(to), range(from, to) or range(from, to, step).
func builtinRange(o *operations, c builtinCall) (value, bool) {
	from, step := 0, 1
	to, ok := c.args[0].int()
	if len(c.args) > 1 {
		from = to
		to, ok = c.args[1].int()
	}
	if len(c.args) > 2 {
		step, _ = c.args[2].int()
	}
	if !ok || step == 0 || (to-from)/step > maxElements || !o.spend(max(0, (to-from)/step)) {
		return value{}, false
	}
	out := value{kind: listValue}
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		out.list = append(out.list, small(i))
	}
	return out, true
}

// builtinTable is str.maketrans({…}) or str.maketrans("ab", "cd").
func builtinTable(_ *operations, c builtinCall) (value, bool) {
	if len(c.args) == 1 {
		return c.args[0], c.args[0].kind == dictValue
	}
	to, ok := c.args[1].items()
	return value{kind: dictValue, keys: c.items, list: to}, ok && c.listed && len(to) == len(c.items)
}

func builtinDecompress(o *operations, c builtinCall) (value, bool) {
	text, ok := inflated(c.args[0].text)
	return value{kind: textValue, text: text, bytes: true, odd: true}, ok && o.spend(len(text))
}

// builtinCodec is codecs.decode(text, encoding).
func builtinCodec(_ *operations, c builtinCall) (value, bool) {
	if len(c.args) < 2 {
		return value{}, false
	}
	return decoded(strings.NewReplacer("_", "", "-", "").Replace(c.args[1].text), c.args[0])
}

// decoded undoes an encoding.
func decoded(kind string, v value) (value, bool) {
	if v.kind != textValue || len(v.text) > maxLiteral {
		return value{}, false
	}
	text, ok := decode(kind, v.text)
	return value{kind: textValue, text: text, bytes: kind != "rot13", odd: true}, ok && len(text) <= maxLiteral
}
