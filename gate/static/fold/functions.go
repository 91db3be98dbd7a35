package fold

import (
	"math/big"
	"slices"
	"strings"
)

// arguments reads what a call is given, and where the call ends. Arguments by
// name are left out: none of those that are known here changes a constant.
func (e *evaluator) arguments(open, limit int, in frame) ([]value, int, bool) {
	var out []value
	at := e.blank(open + 1)
	for at < limit && len(out) < maxElements {
		if e.src[at] == ')' {
			return out, at + 1, true
		}
		end, next := e.argument(at)
		if end < 0 {
			return nil, at, false
		}
		if w := e.word(at); w > at && w < end && e.src[w] == '=' && e.src[w+1] != '=' {
			at = e.blank(max(next, end))
			continue
		}
		v, stop, ok := e.expression(at, end, in)
		if stop = e.blank(stop); ok && stop < end && len(out) == 0 && next < 0 { // f(x for x in y)
			ok = false
		}
		if !ok && len(out) == 0 && next < 0 {
			items, stop, made := e.loop(at, limit, ')', in)
			return []value{{kind: listValue, list: items}}, stop, made
		}
		if !ok || stop < end {
			return nil, at, false
		}
		out = append(out, v)
		if at = e.blank(end); e.src[at] == ',' {
			at = e.blank(at + 1)
		}
	}
	return nil, at, false
}

// method works out a method of a constant.
func (e *evaluator) method(v value, name string, open, limit int, in frame) (value, int, bool) {
	args, end, ok := e.arguments(open, limit, in)
	if !ok || !e.spend(len(v.text)+len(v.list)) {
		return value{}, end, false
	}
	out, ok := e.methodOf(v, name, args)
	return out, end, ok
}

func (e *evaluator) methodOf(v value, name string, args []value) (value, bool) {
	arg := func(i int) value {
		if i < len(args) {
			return args[i]
		}
		return value{}
	}
	switch v.kind {
	case textValue:
		switch name {
		case "encode", "decode":
			v.bytes = name == "encode"
			if kind := encodingOf(strings.ReplaceAll(arg(0).text, "_", "")); kind != "" {
				return decoded(kind, v)
			}
			return v, true
		case "join":
			items, ok := arg(0).items()
			if !ok {
				return value{}, false
			}
			out, ok := e.join(v, items)
			out.odd = out.odd || v.odd || arg(0).odd
			return out, ok
		case "strip", "lstrip", "rstrip":
			if len(args) == 0 {
				v.text = strings.TrimSpace(v.text)
				return v, true
			}
		case "lower":
			v.text = strings.ToLower(v.text)
			return v, true
		case "upper":
			v.text = strings.ToUpper(v.text)
			return v, true
		case "swapcase":
			v.odd = true
			v.text = strings.Map(func(r rune) rune {
				if isLatin(r) {
					r ^= 'a' - 'A'
				}
				return r
			}, v.text)
			return v, true
		case "replace":
			if from, to := arg(0), arg(1); from.kind == textValue && to.kind == textValue && from.text != "" {
				if n := len(v.text) + strings.Count(v.text, from.text)*len(to.text); n > maxLiteral || !e.spend(n) {
					return value{}, false
				}
				v.odd = v.odd || strings.Contains(v.text, from.text)
				v.text = strings.ReplaceAll(v.text, from.text, to.text)
				return v, true
			}
		case "split":
			if sep := arg(0); len(args) == 0 || sep.kind == textValue && sep.text != "" {
				parts := strings.Fields(v.text)
				if len(args) > 0 {
					parts = strings.Split(v.text, sep.text)
				}
				out := value{kind: listValue}
				for _, p := range parts {
					out.list = append(out.list, value{kind: textValue, text: p, odd: v.odd})
				}
				return out, e.spend(len(parts))
			}
		case "translate":
			return e.translated(v, arg(0))
		case "hex":
			return value{}, false
		}
	case numberValue:
		switch n, ok := arg(0).int(); name {
		case "bit_length":
			return small(v.num.BitLen()), true
		case "to_bytes":
			if ok && n <= maxLiteral && v.num.Sign() >= 0 && v.num.BitLen() <= 8*n && e.spend(n) {
				text := v.num.FillBytes(make([]byte, n))
				if arg(1).text == "little" {
					slices.Reverse(text)
				}
				return value{kind: textValue, text: string(text), bytes: true, odd: true}, true
			}
		}
	case dictValue:
		switch name {
		case "get":
			for i, k := range v.keys {
				if k.kind == textValue && k.text == arg(0).text {
					return v.list[i], true
				}
			}
		case "values":
			return value{kind: listValue, list: v.list}, true
		case "keys":
			return value{kind: listValue, list: v.keys}, true
		}
	}
	return value{}, false
}

// translated replaces characters as a table says.
func (e *evaluator) translated(v, table value) (value, bool) {
	if table.kind != dictValue || !e.spend(len(v.text)+len(table.list)) {
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

// call works out a call of a function, known or defined in the text.
func (e *evaluator) call(name string, open, limit int, in frame) (value, int, bool) {
	if name == "map" {
		return e.mapped(open, limit, in)
	}
	args, end, ok := e.arguments(open, limit, in)
	if !ok {
		return value{}, end, false
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	if f, mine := e.funcs[last]; mine && (last == name || strings.HasPrefix(name, "self.") || strings.HasPrefix(name, "cls.")) {
		v, ok := e.given(f, args, in)
		return v, end, ok
	}
	if len(args) == 0 {
		return value{}, end, false
	}
	v, ok := e.built(name, last, args)
	return v, end, ok
}

// mapped is map(chr, LIST) and the like.
func (e *evaluator) mapped(open, limit int, in frame) (value, int, bool) {
	at := e.blank(open + 1)
	end := e.word(at)
	name := string(e.src[at:end])
	if end = e.blank(end); end >= limit || e.src[end] != ',' || name == "" {
		return value{}, at, false
	}
	over, end, ok := e.expression(e.blank(end+1), limit, in)
	items, listed := over.items()
	if end = e.blank(end); !ok || !listed || end >= limit || e.src[end] != ')' {
		return value{}, at, false
	}
	out := value{kind: listValue}
	for _, item := range items {
		f, mine := e.funcs[name]
		var v value
		if mine {
			v, ok = e.given(f, []value{item}, in)
		} else {
			v, ok = e.built(name, name, []value{item})
		}
		if !ok {
			return value{}, at, false
		}
		out.list = append(out.list, v)
	}
	return out, end + 1, true
}

// given is what a function of the text gives back for arguments.
func (e *evaluator) given(f defined, args []value, in frame) (value, bool) {
	if in.depth++; f.gives <= 0 || len(args) > len(f.params) || in.depth > maxCallDepth || !e.spend(1) {
		return value{}, false
	}
	for i := len(args); i < len(f.params); i++ {
		if f.defaults[i] < 0 {
			return value{}, false
		}
		v, _, ok := e.expression(f.defaults[i], len(e.src), frame{depth: in.depth})
		if !ok {
			return value{}, false
		}
		args = append(args, v)
	}
	v, _, ok := e.expression(f.gives, len(e.src), frame{depth: in.depth}.with(f.params, args))
	return v, ok
}

// built works out functions that Python brings.
func (e *evaluator) built(name, last string, args []value) (value, bool) {
	v := args[0]
	n, isNumber := v.int()
	items, listed := v.items()
	if !e.spend(len(items)) {
		return value{}, false
	}
	switch name {
	case "chr":
		if isNumber && n > 0 {
			return value{kind: textValue, text: string(rune(n)), odd: true}, true
		}
	case "ord":
		if rs := []rune(v.text); len(rs) == 1 {
			return small(int(rs[0])), true
		}
	case "len":
		if listed {
			return small(len(items)), true
		}
	case "int":
		if v.kind == numberValue {
			return v, true
		}
		base := 10
		if len(args) > 1 {
			base, _ = args[1].int()
		}
		if base == 0 || base < 2 || base > 36 || len(v.text) > maxLiteral/4 {
			return value{}, false
		}
		if i, ok := new(big.Int).SetString(v.text, base); ok {
			return number(i), true
		}
	case "str", "bytes", "bytearray":
		if v.kind == textValue {
			v.bytes = name != "str"
			return v, true
		}
		if v.kind == listValue && name != "str" {
			out, ok := e.join(value{kind: textValue, bytes: true}, items)
			out.odd = true
			return out, ok
		}
	case "list", "tuple":
		return value{kind: listValue, list: items, odd: v.odd}, listed
	case "reversed":
		items = slices.Clone(items)
		slices.Reverse(items)
		return value{kind: listValue, list: items, odd: true}, listed
	case "range":
		from, to, step := 0, n, 1
		if len(args) > 1 {
			from = n
			to, isNumber = args[1].int()
		}
		if len(args) > 2 {
			step, _ = args[2].int()
		}
		if !isNumber || step == 0 || (to-from)/step > maxElements || !e.spend(max(0, (to-from)/step)) {
			return value{}, false
		}
		out := value{kind: listValue}
		for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
			out.list = append(out.list, small(i))
		}
		return out, true
	case "str.maketrans", "bytes.maketrans":
		if len(args) == 1 && v.kind == dictValue {
			return v, true
		}
		if len(args) > 1 {
			if to, ok := args[1].items(); ok && listed && len(to) == len(items) {
				return value{kind: dictValue, keys: items, list: to}, true
			}
		}
	case "zlib.decompress", "decompress":
		text, ok := inflated(v.text)
		return value{kind: textValue, text: text, bytes: true, odd: true}, ok && e.spend(len(text))
	case "codecs.decode", "codecs.encode":
		if len(args) > 1 {
			return decoded(strings.NewReplacer("_", "", "-", "").Replace(args[1].text), v)
		}
	}
	if kind := encodingOf(last); kind != "" && kind != "percent" {
		return decoded(kind, v)
	}
	return value{}, false
}

// decoded undoes an encoding.
func decoded(kind string, v value) (value, bool) {
	if v.kind != textValue || len(v.text) > maxLiteral {
		return value{}, false
	}
	text, ok := decode(kind, v.text)
	return value{kind: textValue, text: text, bytes: kind != "rot13", odd: true}, ok && len(text) <= maxLiteral
}
