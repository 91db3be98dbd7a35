package constprop

import (
	"slices"
	"strings"
)

// method works out a method of a constant of any kind.
func (o *operations) method(v value, name string, args arguments) (value, bool) {
	if !o.spend(len(v.text) + len(v.list)) {
		return value{}, false
	}
	if do, ok := builtinMethods[v.kind][name]; ok {
		return do(o, v, args)
	}
	return value{}, false
}

// builtinMethods are the methods that make constants of constants, by kind.
var builtinMethods = map[valueKind]map[string]func(o *operations, v value, args arguments) (value, bool){
	textValue: {
		"encode":    func(_ *operations, v value, args arguments) (value, bool) { return recoded(v, args, true) },
		"decode":    func(_ *operations, v value, args arguments) (value, bool) { return recoded(v, args, false) },
		"join":      textJoin,
		"strip":     textStrip,
		"lstrip":    textStrip,
		"rstrip":    textStrip,
		"lower":     func(_ *operations, v value, _ arguments) (value, bool) { return v.mapped(strings.ToLower), true },
		"upper":     func(_ *operations, v value, _ arguments) (value, bool) { return v.mapped(strings.ToUpper), true },
		"swapcase":  textSwapcase,
		"replace":   textReplace,
		"split":     textSplit,
		"translate": textTranslate,
	},
	numberValue: {
		"bit_length": func(_ *operations, v value, _ arguments) (value, bool) { return small(v.num.BitLen()), true },
		"to_bytes":   numberToBytes,
	},
	dictValue: {
		"get": dictGet,
		"values": func(_ *operations, v value, _ arguments) (value, bool) {
			return value{kind: listValue, list: v.list}, true
		},
		"keys": func(_ *operations, v value, _ arguments) (value, bool) {
			return value{kind: listValue, list: v.keys}, true
		},
	},
}

// recoded is "…".encode() or b"…".decode("rot13").
func recoded(v value, args arguments, bytes bool) (value, bool) {
	v.bytes = bytes
	if kind := encodingOf(strings.ReplaceAll(args.at(0).text, "_", "")); kind != "" {
		return decoded(kind, v)
	}
	return v, true
}

func textJoin(o *operations, v value, args arguments) (value, bool) {
	items, ok := args.at(0).items()
	if !ok {
		return value{}, false
	}
	out, ok := o.join(v, items)
	out.odd = out.odd || v.odd || args.at(0).odd
	return out, ok
}

// textStrip is "…".strip(); what an argument strips is not followed.
func textStrip(_ *operations, v value, args arguments) (value, bool) {
	return v.mapped(strings.TrimSpace), len(args) == 0
}

func textSwapcase(_ *operations, v value, _ arguments) (value, bool) {
	v.odd = true
	return v.mapped(swapCase), true
}

func textReplace(o *operations, v value, args arguments) (value, bool) {
	from, to := args.at(0), args.at(1)
	if from.kind != textValue || to.kind != textValue || from.text == "" {
		return value{}, false
	}
	if n := len(v.text) + strings.Count(v.text, from.text)*len(to.text); n > maxLiteral || !o.spend(n) {
		return value{}, false
	}
	v.odd = v.odd || strings.Contains(v.text, from.text)
	v.text = strings.ReplaceAll(v.text, from.text, to.text)
	return v, true
}

func textSplit(o *operations, v value, args arguments) (value, bool) {
	var parts []string
	switch sep := args.at(0); {
	case len(args) == 0:
		parts = strings.Fields(v.text)
	case sep.kind == textValue && sep.text != "":
		parts = strings.Split(v.text, sep.text)
	default:
		return value{}, false
	}
	out := value{kind: listValue}
	for _, p := range parts {
		out.list = append(out.list, value{kind: textValue, text: p, odd: v.odd})
	}
	return out, o.spend(len(parts))
}

// textTranslate replaces characters as a table says.
func textTranslate(o *operations, v value, args arguments) (value, bool) {
	table := args.at(0)
	if table.kind != dictValue || !o.spend(len(v.text)+len(table.list)) {
		return value{}, false
	}
	to := map[rune]string{}
	for i, k := range table.keys {
		n, ok := k.int()
		if rs := []rune(k.text); !ok && len(rs) == 1 {
			n, ok = int(rs[0]), true
		}
		if c, isNumber := table.list[i].int(); ok && isNumber {
			to[rune(n)] = string(rune(c))
		} else if ok {
			to[rune(n)] = table.list[i].text
		}
	}
	var out strings.Builder
	for _, r := range v.text {
		if s, ok := to[r]; ok {
			out.WriteString(s)
		} else {
			out.WriteRune(r)
		}
	}
	return value{kind: textValue, text: out.String(), odd: out.String() != v.text || v.odd}, out.Len() <= maxLiteral
}

// numberToBytes is (26984).to_bytes(2, "big").
func numberToBytes(o *operations, v value, args arguments) (value, bool) {
	n, ok := args.at(0).int()
	if !ok || n > maxLiteral || v.num.Sign() < 0 || v.num.BitLen() > 8*n || !o.spend(n) {
		return value{}, false
	}
	text := v.num.FillBytes(make([]byte, n))
	if args.at(1).text == "little" {
		slices.Reverse(text)
	}
	return value{kind: textValue, text: string(text), bytes: true, odd: true}, true
}

// dictGet is {…}.get(key).
func dictGet(_ *operations, v value, args arguments) (value, bool) {
	for i, k := range v.keys {
		if k.kind == textValue && k.text == args.at(0).text {
			return v.list[i], true
		}
	}
	return value{}, false
}
