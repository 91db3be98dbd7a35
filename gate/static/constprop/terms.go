package constprop

import (
	"bytes"
	"math/big"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/source/strlit"
)

// Bounds on one term.
const (
	maxTermDepth    = 8
	maxTermElements = 64
	maxLookedAt     = 64 << 20 // bytes of all terms, to find functions
)

// termReader works out the terms of one text of JavaScript, TypeScript or Go: literals, names
// that are given once, fields, elements, sums and calls of functions that give one of them back.
type termReader struct {
	*constantFinder
	terms map[string]value // of names; kind 0 for what is no constant
	work  int              // bytes that were looked at
	// functions are those that were looked for.
	functions map[string]function
}

// term is a literal, a name or a call, with the fields and elements behind it. params are
// the values of the parameters where it is in a function.
func (r *termReader) term(at, limit int, params map[string]value, depth int) (value, int, bool) {
	if depth > maxTermDepth || at >= limit || r.work > maxLookedAt {
		return value{}, at, false
	}
	v, at, ok := r.primary(at, limit, params, depth)
	for ok && at < limit {
		next := r.inLine(at)
		switch {
		case next < limit && r.src[next] == '.' && v.kind != textValue && v.kind != numberValue:
			end := nameEnd(r.src, next+1)
			name := string(r.src[next+1 : end])
			if end < limit && r.src[end] == '(' {
				if name != "join" {
					return value{}, at, false
				}
				v, at, ok = r.joined(v, end, limit, params, depth)
				continue
			}
			if name == "length" && v.kind == listValue {
				return small(len(v.list)), end, true
			}
			v, ok = pickKey(v, value{kind: textValue, text: name})
			at = end
		case next < limit && r.src[next] == '[' && v.kind != textValue && v.kind != numberValue:
			var key value
			var end int
			if key, end, ok = r.sum(next+1, limit, params, depth+1); !ok || end >= limit || r.src[end] != ']' {
				return value{}, at, false
			}
			v, ok = pickKey(v, key)
			at = end + 1
		default:
			return v, at, true
		}
	}
	return v, at, ok
}

// pickKey is the field or the element of a value.
func pickKey(v, key value) (value, bool) {
	if n, ok := key.int(); ok && v.kind == listValue {
		if n < 0 || n >= len(v.list) {
			return value{}, false
		}
		return v.list[n], true
	}
	for i, k := range v.keys {
		if k.kind == key.kind && k.text == key.text && (k.kind != numberValue || k.num.Cmp(key.num) == 0) {
			return v.list[i], v.list[i].kind != 0
		}
	}
	return value{}, false
}

// joined is LIST.join("-").
func (r *termReader) joined(v value, open, limit int, params map[string]value, depth int) (value, int, bool) {
	between, end, ok := r.sum(open+1, limit, params, depth+1)
	if !ok || between.kind != textValue || v.kind != listValue || end >= limit || r.src[end] != ')' {
		return value{}, open, false
	}
	out := value{kind: textValue}
	for i, item := range v.list {
		if item.kind != textValue || len(out.text) > maxConstant {
			return value{}, open, false
		}
		if i > 0 {
			out.text += between.text
		}
		out.text += item.text
	}
	return out, end + 1, true
}

// sum is terms with plus and the remainder of a division between them; it ends behind the
// blanks that follow.
func (r *termReader) sum(at, limit int, params map[string]value, depth int) (value, int, bool) {
	left, at, ok := r.term(r.space(at), limit, params, depth+1)
	for ok {
		at = r.space(at)
		if at >= limit || r.src[at] != '+' && r.src[at] != '%' {
			return left, at, true
		}
		op := r.src[at]
		var right value
		right, at, ok = r.term(r.space(at+1), limit, params, depth+1)
		switch {
		case !ok || left.kind != right.kind:
			return value{}, at, false
		case op == '+' && left.kind == textValue && len(left.text)+len(right.text) <= maxConstant:
			left.text += right.text
		case op == '%' && left.kind == numberValue && right.num.Sign() > 0 && left.num.Sign() >= 0:
			left = number(new(big.Int).Mod(left.num, right.num))
		default:
			return value{}, at, false
		}
	}
	return value{}, at, false
}

// space goes over blanks and line ends.
func (r *termReader) space(at int) int {
	for at < len(r.src) && isSpace(r.src[at]) {
		at++
	}
	return at
}

// primary is a literal, a list, an object, a name or a call.
func (r *termReader) primary(at, limit int, params map[string]value, depth int) (value, int, bool) {
	switch c := r.src[at]; {
	case c == '"' || c == '\'' || c == '`':
		s, ok := r.lex().Span(at)
		if !ok || s.Class != lex.String || s.Start != at || s.End-s.Start > maxConstant {
			return value{}, at, false
		}
		text, _, ok := strlit.Unquote(r.src[s.Start:s.End], c == '`')
		return value{kind: textValue, text: text}, s.End, ok && !bytes.HasSuffix(r.src[s.Start:s.End], []byte("${"))
	case isDigit(c):
		end := nameEnd(r.src, at)
		n, ok := new(big.Int).SetString(string(r.src[at:min(end, at+20)]), 0)
		return value{kind: numberValue, num: n}, end, ok
	case c == '[':
		if shut, typ := r.typed(at); typ { // []string{…} and [...]string{…}
			return r.list(shut, limit, '}', params, depth)
		}
		return r.list(at, limit, ']', params, depth)
	case c == '{':
		return r.list(at, limit, '}', params, depth)
	case bytes.HasPrefix(r.src[at:], []byte("map[")):
		if brace := bytes.IndexByte(r.src[at:min(limit, at+60)], '{'); brace > 0 {
			return r.list(at+brace, limit, '}', params, depth)
		}
		return value{}, at, false
	case !char.IsNameStart(c):
		return value{}, at, false
	}
	end := nameEnd(r.src, at)
	name := string(r.src[at:end])
	if end < limit && r.src[end] == '(' {
		return r.call(name, end, limit, params, depth)
	}
	if v, ok := params[name]; ok {
		return v, end, true
	}
	v, ok := r.named(name, depth)
	return v, end, ok
}

// typed reports whether a bracket begins the type of a list of Go, and where its brace is.
func (r *termReader) typed(at int) (brace int, ok bool) {
	if r.lang != gate.LanguageGo {
		return 0, false
	}
	line := r.src[at:min(len(r.src), at+60)]
	shut, open := bytes.IndexByte(line, ']'), bytes.IndexByte(line, '{')
	return at + open, shut > 0 && open > shut
}

// list reads what is between brackets: elements, or keys and values. An element that is no
// constant has no kind.
func (r *termReader) list(open, limit int, shut byte, params map[string]value, depth int) (value, int, bool) {
	out := value{kind: listValue}
	at := r.skip(open + 1)
	for at < limit && len(out.list) < maxTermElements && depth < maxTermDepth {
		if r.src[at] == shut {
			return out, at + 1, true
		}
		end, ok := r.part(at, limit)
		if !ok {
			return value{}, at, false
		}
		if colon := r.colon(at, end); colon > 0 {
			out.kind = dictValue
			key := value{kind: textValue, text: string(bytes.TrimSpace(r.src[at:colon]))}
			if r.src[at] == '"' || r.src[at] == '\'' || r.src[at] == '`' || isDigit(r.src[at]) || r.lang == gate.LanguageGo {
				key, _, _ = r.sum(at, colon, params, depth+1)
			}
			out.keys = append(out.keys, key)
			at = r.skip(colon + 1)
		}
		v, stop, ok := r.sum(at, end, params, depth+1)
		if !ok || r.skip(stop) < end {
			v = value{}
		}
		out.list = append(out.list, v)
		if at = end; at < limit && r.src[at] == ',' {
			at = r.skip(at + 1)
		}
	}
	return value{}, at, false
}

// skip goes over blanks, line ends and comments.
func (r *termReader) skip(at int) int {
	for at < len(r.src) {
		if isSpace(r.src[at]) {
			at++
			continue
		}
		s, ok := r.lex().Span(at)
		if !ok || s.Class != lex.Comment {
			break
		}
		at = s.End
	}
	return at
}

// part is where the element that begins at an offset ends: at a comma or the bracket that
// closes the list.
func (r *termReader) part(at, limit int) (int, bool) {
	depth := 0
	for i := at; i < limit && i-at < maxLiteral; {
		if s, ok := r.lex().Span(i); ok {
			i = max(s.End, i+1)
			continue
		}
		switch r.src[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return i, true
			}
			depth--
		case ',':
			if depth == 0 {
				return i, true
			}
		}
		i++
	}
	return at, false
}

// colon is where the colon behind the key of an element is, 0 for none.
func (r *termReader) colon(at, end int) int {
	if s, ok := r.lex().Span(at); ok && s.Class == lex.String {
		at = s.End
	} else {
		at = nameEnd(r.src, at)
	}
	if at = r.skip(at); at < end && r.src[at] == ':' {
		return at
	}
	return 0
}

// named is the value that a name gets once.
func (r *termReader) named(name string, depth int) (value, bool) {
	if v, ok := r.terms[name]; ok || len(name) < 2 && len(r.src) > maxShort {
		return v, v.kind != 0
	}
	r.terms[name] = value{}
	at, ok := r.definition(name)
	if !ok {
		return value{}, false
	}
	v, end, ok := r.sum(at, len(r.src), nil, depth+1)
	if !ok || !r.ends(at, end) {
		return value{}, false
	}
	r.terms[name] = v
	return v, true
}

// ends reports whether an expression is all that a name is given: a line, or what a sign ends.
func (r *termReader) ends(from, at int) bool {
	if at >= len(r.src) || bytes.IndexByte(r.src[from:at], '\n') >= 0 && isSpace(r.src[at-1]) {
		return true
	}
	if r.src[at] == ';' || r.src[at] == ',' || r.src[at] == ')' || r.src[at] == '/' {
		return true
	}
	before := bytes.TrimRight(r.src[from:at], " \t")
	return bytes.HasSuffix(before, []byte("\n")) || bytes.HasPrefix(r.src[at:], []byte("as const"))
}

// call is what a function of the text gives back that does nothing else, and the number of
// elements of a list.
func (r *termReader) call(name string, open, limit int, params map[string]value, depth int) (value, int, bool) {
	var args []value
	at := r.space(open + 1)
	for at < limit && r.src[at] != ')' && len(args) < maxArguments {
		v, end, ok := r.sum(at, limit, params, depth+1)
		if !ok || end >= limit {
			return value{}, at, false
		}
		args = append(args, v)
		if at = end; r.src[at] == ',' {
			at = r.space(at + 1)
		}
	}
	if at >= limit || r.src[at] != ')' {
		return value{}, at, false
	}
	if name == "len" && len(args) == 1 && args[0].kind == listValue {
		return small(len(args[0].list)), at + 1, true
	}
	names, body, ok := r.function(name)
	if !ok || len(names) != len(args) {
		return value{}, at, false
	}
	in := make(map[string]value, len(args))
	for i, n := range names {
		in[n] = args[i]
	}
	v, end, ok := r.sum(body, len(r.src), in, depth+1)
	return v, at + 1, ok && r.ends(body, end) || ok && r.src[end] == '}'
}

// function is the only one of a name.
type function struct {
	params []string
	body   int // where the expression begins that it gives back at once
	ok     bool
}

// function finds the only function of a name, its parameters, and the expression that it
// gives back at once.
func (r *termReader) function(name string) (params []string, body int, ok bool) {
	f, known := r.functions[name]
	if !known {
		f.params, f.body, f.ok = functionOf(r, name)
		r.functions[name] = f
	}
	return f.params, f.body, f.ok
}

func functionOf(r *termReader, name string) (params []string, body int, ok bool) {
	r.work += len(r.src)
	for at := 0; at < len(r.src); {
		i := bytes.Index(r.src[at:], []byte(name))
		if i < 0 {
			break
		}
		start, end := at+i, at+i+len(name)
		at = end
		if start > 0 && char.IsWord(r.src[start-1]) || end >= len(r.src) || r.lex().At(start) != lex.Code {
			continue
		}
		head := end
		if !bytes.HasSuffix(r.src[:start], []byte("func ")) && !bytes.HasSuffix(r.src[:start], []byte("function ")) {
			if head = r.inLine(end); head >= len(r.src) || r.src[head] != '=' {
				continue
			}
			head = r.inLine(head + 1)
		}
		if head >= len(r.src) || r.src[head] != '(' {
			continue
		}
		shut := bytes.IndexByte(r.src[head:min(len(r.src), head+200)], ')')
		if shut < 0 || ok {
			return nil, 0, false
		}
		shut += head
		for p := range bytes.SplitSeq(r.src[head+1:shut], []byte{','}) {
			if n := nameOnly.Find(p); len(n) > 0 {
				params = append(params, string(n))
			}
		}
		if body, ok = r.gives(shut + 1); !ok {
			return nil, 0, false
		}
	}
	return params, body, ok
}

// gives is where the expression begins that a function gives back whose parameters end at an
// offset.
func (r *termReader) gives(at int) (int, bool) {
	const far = 80 // bytes: a type, an arrow
	view := r.src[at:min(len(r.src), at+far)]
	if arrow := bytes.Index(view, []byte("=>")); arrow >= 0 && bytes.IndexByte(view[:arrow], '{') < 0 {
		at = r.space(at + arrow + 2)
		if at < len(r.src) && r.src[at] != '{' {
			return at, true
		}
	} else {
		brace := bytes.IndexByte(view, '{')
		if brace < 0 || bytes.IndexByte(view[:brace], '\n') >= 0 {
			return 0, false
		}
		at += brace
	}
	at = r.skip(at + 1)
	if !bytes.HasPrefix(r.src[min(at, len(r.src)):], []byte("return ")) {
		return 0, false
	}
	return r.space(at + len("return ")), true
}

// inLine goes over blanks on the line.
func (r *termReader) inLine(at int) int {
	for at < len(r.src) && (r.src[at] == ' ' || r.src[at] == '\t') {
		at++
	}
	return at
}
