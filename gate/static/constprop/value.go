package constprop

import (
	"math/big"
	"strings"
)

type valueKind uint8

const (
	textValue valueKind = iota + 1
	numberValue
	listValue
	dictValue
)

// value is a constant. odd says that its text was taken apart so that readers miss
// it: in the middle of a word, or by an operation that a constant doesn't need.
type value struct {
	kind  valueKind
	text  string
	bytes bool // elements of the text are numbers
	num   *big.Int
	keys  []value // of a dictionary
	list  []value
	odd   bool
}

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

// mapped is a text with its characters changed.
func (v value) mapped(change func(string) string) value {
	v.text = change(v.text)
	return v
}

// swapCase makes Latin letters that are small large, and the other way round.
func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if isLatin(r) {
			r ^= 'a' - 'A'
		}
		return r
	}, s)
}

// cut reports whether two texts were one word.
func cut(a, b string) bool {
	return a != "" && b != "" && isLatin(rune(a[len(a)-1])) && isLatin(rune(b[0]))
}

// element is the one at a position, which counts from the end where it is negative.
func element(items []value, at *int) (value, bool) {
	if at == nil {
		return value{}, false
	}
	i := *at
	if i < 0 {
		i += len(items)
	}
	if i < 0 || i >= len(items) {
		return value{}, false
	}
	return items[i], true
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
