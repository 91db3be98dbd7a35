package build

import (
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// expression works out the expression that begins at a token. ok is false where none does;
// an operand that is not known is one for the texts around it.
func (s *script) expression(i int, local map[string]operand) (v operand, next int, ok bool) {
	if s.depth++; s.depth > maxDepth || !s.budget.take(1) {
		s.depth--
		return operand{}, i, false
	}
	defer func() { s.depth-- }()
	v, next, ok = s.term(i, local)
	if !ok {
		return v, i, false
	}
	for next < len(s.tokens) {
		t := s.tokens[next]
		if t.kind != signToken {
			if t.kind == stringToken && s.hash && v.known && !v.isList && s.tokens[next-1].kind == stringToken && (!t.line || s.inBrackets(i)) {
				more, end, _ := s.term(next, local) // neighbours
				v, next = plus(v, more), end
				continue
			}
			return v, next, true
		}
		switch t.text {
		case "+", "..", "++", "<>", "%", "-", "*", "~":
		default:
			return v, next, true
		}
		if t.line && t.text != "+" && t.text != ".." && t.text != "++" && t.text != "<>" || next+1 >= len(s.tokens) {
			return v, next, true
		}
		more, end, ok := s.term(next+1, local)
		if !ok {
			return v, next, true
		}
		v, next = operate(t.text, v, more), end
	}
	return v, next, true
}

// inBrackets reports whether a token is in brackets: strings may be neighbours there.
func (s *script) inBrackets(i int) bool {
	for n := 0; i > 0 && n < 40; n++ {
		i--
		if s.sign(i, "(") || s.sign(i, "[") {
			return true
		}
		if s.sign(i, ")") || s.sign(i, "]") {
			return false
		}
	}
	return false
}

// operate puts two operands together.
func operate(sign string, a, b operand) operand {
	switch sign {
	case "-": // of Groovy: without the first
		if a.known && b.known && !a.isList && !b.isList {
			return operand{text: strings.Replace(a.text, b.text, "", 1), known: true, made: true}
		}
		return operand{}
	case "*":
		n, err := strconv.Atoi(b.text)
		if !a.known || a.isList || err != nil || n < 0 || n*len(a.text) > maxValue {
			return operand{}
		}
		return operand{text: strings.Repeat(a.text, n), known: true, made: true}
	case "%":
		if !a.known || a.isList || !strings.Contains(a.text, "%") {
			return operand{}
		}
		return percent(a.text, b)
	}
	return plus(a, b)
}

// plus adds texts, or lists.
func plus(a, b operand) operand {
	if a.isList || b.isList {
		out := operand{isList: true, known: true, made: a.known && b.known || a.made || b.made}
		for _, v := range []operand{a, b} {
			switch {
			case v.isList:
				out.list = append(out.list, v.list...)
			case v.known:
				out.list = append(out.list, v)
			}
		}
		if len(out.list) > maxItems {
			return operand{}
		}
		return out
	}
	if !a.known && !b.known || len(a.text)+len(b.text) > maxValue {
		return operand{}
	}
	return operand{text: a.asText() + b.asText(), known: true, made: true}
}

// asText is an operand within a text.
func (v operand) asText() string {
	if v.known && !v.isList {
		return v.text
	}
	return fromElsewhere("$X")
}

var percentVerb = regexp.MustCompile(`%(?:\((\w+)\))?(?:\d+\$)?[sdrvc]`)

// percent is "%s%s" % (a, b).
func percent(format string, args operand) operand {
	list := args.list
	if !args.isList {
		list = []operand{args}
	}
	at := 0
	text := percentVerb.ReplaceAllStringFunc(format, func(verb string) string {
		if m := percentVerb.FindStringSubmatch(verb); m[1] != "" {
			return args.field(m[1]).asText()
		}
		if at++; at <= len(list) {
			return list[at-1].asText()
		}
		return verb
	})
	return operand{text: strings.ReplaceAll(text, "%%", "%"), known: len(text) <= maxValue, made: true}
}

// field is what a list with names has under one.
func (v operand) field(name string) operand {
	for i, k := range v.keys {
		if k == name && i < len(v.list) {
			return v.list[i]
		}
	}
	return operand{}
}

// term is one operand with what is called on it.
func (s *script) term(i int, local map[string]operand) (operand, int, bool) {
	if i >= len(s.tokens) || !s.budget.take(1) {
		return operand{}, i, false
	}
	var v operand
	next := i + 1
	switch t := s.tokens[i]; {
	case t.kind == stringToken:
		v = s.interpolated(t.text, local)
	case t.kind == numberToken:
		v = operand{text: t.text, known: true}
	case t.kind == nameToken:
		v, next = s.named(i, local)
	case t.text == "[" || t.text == "(" || t.text == "{":
		items, end, ok := s.items(i, local)
		if !ok {
			return operand{}, i, false
		}
		v, next = items, end
		if t.text == "(" && len(items.list) == 1 && len(items.keys) == 0 {
			v = items.list[0]
		}
		if t.text == "{" && len(items.keys) == 0 {
			return operand{}, i, false
		}
	default:
		return operand{}, i, false
	}
	return s.members(v, next, local)
}

// named is a variable, or what a function gives back. Prefixes of strings are no names.
func (s *script) named(i int, local map[string]operand) (operand, int) {
	t := s.tokens[i]
	if i+1 < len(s.tokens) && s.tokens[i+1].kind == stringToken && s.tokens[i+1].start == t.end && len(t.text) <= 2 {
		return s.interpolated(s.tokens[i+1].text, local), i + 2
	}
	if s.sign(i+1, "(") {
		args, end, ok := s.items(i+1, local)
		if !ok {
			return operand{}, i + 1
		}
		return s.call(t.text, args, local), end
	}
	name, next := s.name(i)
	short := name[strings.LastIndexByte(name, '.')+1:]
	if v, ok := local[short]; ok {
		v.made = true
		return v, next
	}
	if values := s.vars[short]; len(values) > 0 {
		v := values[s.ways.choose(short, len(values))]
		if over, ok := s.ways.tooMany(operandTexts(values)); ok {
			v = operand{text: over, known: true, made: true}
		}
		v.made = true
		return v, next
	}
	return operand{}, next
}

// call works out a function.
func (s *script) call(name string, args operand, local map[string]operand) operand {
	switch name {
	case "listOf", "mutableListOf", "arrayOf", "arrayListOf", "setOf", "asList", "of", "Seq", "List", "Array", "files", "array", "sequenceOf", "depset", "list", "tuple", "Vector":
		args.made = true
		return args
	case "str", "String", "GString", "toString", "Label", "puts":
		if len(args.list) == 1 {
			return args.list[0]
		}
	case "chr", "Char", "char":
		if len(args.list) == 1 {
			if n, err := strconv.ParseUint(args.list[0].text, 0, 8); err == nil {
				return operand{text: string(rune(n)), known: true, made: true}
			}
		}
	case "select":
		return operand{}
	}
	f, ok := s.functions[name]
	if !ok || s.calls[name] || s.budget.over(len(s.calls), maxCalls, "calls within each other") {
		return operand{} // one that calls itself has another of its name, or an end that is not known
	}
	s.calls[name] = true
	defer delete(s.calls, name)
	inner := map[string]operand{}
	for i, p := range f.params {
		if i < len(args.list) {
			inner[p] = args.list[i]
		}
		if v := args.field(p); v.known {
			inner[p] = v
		}
	}
	v, _, _ := s.expression(f.gives, inner)
	v.made = true
	return v
}

// maxCalls is how many functions that call each other are followed.
const maxCalls = 50

// items are the elements in brackets, with the names that some have.
func (s *script) items(i int, local map[string]operand) (operand, int, bool) {
	shut := map[string]string{"(": ")", "[": "]", "{": "}"}[s.tokens[i].text]
	out := operand{isList: true, known: true}
	for j := i + 1; j < len(s.tokens) && !s.budget.full(len(out.list), maxItems, "elements of a list"); {
		switch {
		case s.sign(j, shut):
			return out, j + 1, true
		case s.sign(j, ","):
			j++
			continue
		}
		key := ""
		if j+2 < len(s.tokens) && (s.sign(j+1, ":") || s.sign(j+1, "=") || s.sign(j+1, "=>")) && s.tokens[j].kind != signToken {
			key = s.tokens[j].text
			j += 2
		}
		v, end, ok := s.expression(j, local)
		if !ok || end <= j {
			return operand{}, i, false
		}
		if end < len(s.tokens) && s.tokens[end].text == "for" && s.tokens[end].kind == nameToken {
			return s.comprehension(j, end, shut, local)
		}
		if key != "" {
			for len(out.keys) < len(out.list) {
				out.keys = append(out.keys, "")
			}
			out.keys = append(out.keys, key)
		}
		out.list = append(out.list, v)
		if j = end; !s.sign(j, ",") && !s.sign(j, shut) {
			return operand{}, i, false
		}
	}
	return operand{}, i, false
}

// comprehension is [x for x in list].
func (s *script) comprehension(element, at int, shut string, local map[string]operand) (operand, int, bool) {
	if at+3 >= len(s.tokens) || s.tokens[at+1].kind != nameToken || s.tokens[at+2].text != "in" {
		return operand{}, at, false
	}
	over, end, ok := s.expression(at+3, local)
	if !ok || !over.isList || !s.sign(end, shut) {
		return operand{}, at, false
	}
	out := operand{isList: true, known: true, made: true}
	for _, item := range over.list {
		inner := map[string]operand{s.tokens[at+1].text: item}
		for k, v := range local {
			if _, ok := inner[k]; !ok {
				inner[k] = v
			}
		}
		v, _, _ := s.expression(element, inner)
		out.list = append(out.list, v)
	}
	return out, end + 1, true
}

// members works out what is called on an operand.
func (s *script) members(v operand, next int, local map[string]operand) (operand, int, bool) {
	for next < len(s.tokens) && s.budget.take(1) {
		switch {
		case s.sign(next, ".") && next+1 < len(s.tokens) && s.tokens[next+1].kind == nameToken:
			method := s.tokens[next+1].text
			args, end := operand{isList: true}, next+2
			if s.sign(end, "(") {
				var ok bool
				if args, end, ok = s.items(end, local); !ok {
					return v, next, true
				}
			} else if !valueMethod(method) {
				return v, next, true
			}
			result, ok := called(v, method, args)
			if !ok {
				if v.known && startsProgram(method) {
					return v, next, true
				}
				result = operand{}
			}
			v, next = result, end
		case s.sign(next, "[") && !s.tokens[next].line && s.tokens[next-1].kind != signToken || s.sign(next, "[") && v.known && !s.tokens[next].line && s.tokens[next].start == s.tokens[next-1].end:
			result, end, ok := s.index(v, next, local)
			if !ok {
				return v, next, true
			}
			v, next = result, end
		default:
			return v, next, true
		}
	}
	return v, next, true
}

// startsProgram reports whether a method starts what it is called on.
func startsProgram(method string) bool {
	switch method {
	case "execute", "lineStream", "lines_", "exec", "run", "waitFor":
		return true
	}
	return false
}

// valueMethod reports whether a method needs no brackets.
func valueMethod(name string) bool {
	switch name {
	case "reverse", "reversed", "join", "mkString", "trim", "strip", "downcase", "upcase", "chomp", "toLowerCase", "toUpperCase", "to_s", "chars", "flatten", "toString", "bytes":
		return true
	}
	return false
}

// index is an element, or a part that is given by its ends.
func (s *script) index(v operand, at int, local map[string]operand) (operand, int, bool) {
	end := at + 1
	for end < len(s.tokens) && end < at+12 && !s.sign(end, "]") {
		end++
	}
	if !s.sign(end, "]") {
		return v, at, false
	}
	code := strings.ReplaceAll(s.src[s.tokens[at].end:s.tokens[end].start], " ", "")
	switch {
	case code == "::-1" || code == "-1..0":
		r, ok := called(v, "reverse", operand{isList: true})
		return r, end + 1, ok
	case !v.known:
		return operand{}, end + 1, true
	}
	if n, err := strconv.Atoi(code); err == nil && v.isList {
		if n < 0 {
			n += len(v.list)
		}
		if n >= 0 && n < len(v.list) {
			e := v.list[n]
			e.made = true
			return e, end + 1, true
		}
	}
	if key, _, ok := s.expression(at+1, local); ok && key.known && v.isList && len(v.keys) > 0 {
		return v.field(key.text), end + 1, true
	}
	from, to, isPart := strings.Cut(strings.ReplaceAll(code, "..", ":"), ":")
	if !isPart || v.isList {
		return operand{}, end + 1, true
	}
	n, _ := strconv.Atoi(from)
	m, err := strconv.Atoi(to)
	if err != nil {
		m = len(v.text)
	}
	if m < 0 {
		m += len(v.text)
	}
	if n < 0 || m > len(v.text) || n > m {
		return operand{}, end + 1, true
	}
	return operand{text: v.text[n:m], known: true, made: true}, end + 1, true
}

var interpolation = regexp.MustCompile(`\$([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|@([A-Za-z_]\w*)@`)

// interpolated is a text with the constants written into it that it names.
func (s *script) interpolated(text string, local map[string]operand) operand {
	v := operand{text: text, known: true}
	if !strings.ContainsAny(text, "$#@") || !s.budget.take(len(text)) {
		return v
	}
	var out strings.Builder
	for {
		i := strings.IndexAny(text, "$#")
		if i < 0 || i+1 >= len(text) {
			break
		}
		body, ok := "", false
		if text[i+1] == '{' {
			body, ok = inline(text[i+2:])
		}
		if !ok {
			out.WriteString(text[:i+1])
			text = text[i+1:]
			continue
		}
		out.WriteString(text[:i])
		if value, known := s.inner(body, local); known {
			out.WriteString(value)
			v.made = true
		} else {
			out.WriteString(text[i : i+3+len(body)])
		}
		text = text[i+3+len(body):]
	}
	out.WriteString(text)
	v.text = interpolation.ReplaceAllStringFunc(out.String(), func(use string) string {
		name := strings.Trim(use, "$@")
		value, ok := local[name]
		if short := name[strings.LastIndexByte(name, '.')+1:]; !ok && len(s.vars[short]) > 0 {
			value = s.vars[short][s.ways.choose(short, len(s.vars[short]))]
			if over, ok := s.ways.tooMany(operandTexts(s.vars[short])); ok {
				value = operand{text: over, known: true, made: true}
			}
		}
		if !value.known || value.isList || !s.budget.take(len(value.text)) {
			return use
		}
		v.made = true
		return value.text
	})
	v.known = !s.budget.over(len(v.text), maxValue, "bytes of one value")
	return v
}

// inner works out the code in a text. What is empty is nothing.
func (s *script) inner(code string, local map[string]operand) (string, bool) {
	if s.budget.over(s.depth, maxEvals, "texts within each other") {
		return "", false
	}
	sub := &script{budget: s.budget, src: code, hash: s.hash, slashes: s.slashes, tokens: tokens(s.budget, code, false, false), vars: s.vars, functions: s.functions, calls: s.calls, ways: s.ways, depth: s.depth + 1}
	if len(sub.tokens) == 0 {
		return "", true
	}
	sub.functions = nil // their tokens are those of the whole script
	v, end, ok := sub.expression(0, local)
	if !ok || end < len(sub.tokens) || !v.known || v.isList {
		return "", false
	}
	return v.text, true
}
