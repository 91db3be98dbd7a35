package build

import (
	"maps"
	"slices"
	"strings"
)

// Script returns a build script in a language of expressions — Starlark, Meson, Groovy,
// Kotlin, Ruby and their like — with the texts written out that constants come to, and
// whether there were any. Lines stay where they are. unread are the bounds that kept
// something from being worked out.
func Script(content []byte, hash, slashes bool) (plain []byte, ok bool, unread []string) {
	if !mayCompute(string(content)) {
		return nil, false, nil
	}
	b := newBudget()
	if b.over(len(content), maxXML, "bytes") {
		return nil, false, b.unread
	}
	src := withoutSigns(string(content))
	s := &script{budget: b, src: src, hash: hash, slashes: slashes, tokens: tokens(b, src, hash, slashes), vars: map[string][]operand{}, functions: map[string]scriptFunction{}, calls: map[string]bool{}}
	s.ways = &ways{choice: map[string]int{}, among: map[string]int{}}
	s.run(0, len(s.tokens), true)
	if len(s.changes) == 0 {
		return nil, false, b.unread
	}
	var out strings.Builder
	done := 0
	for _, c := range s.changes {
		if c.start < done {
			continue
		}
		out.WriteString(src[done:c.start])
		out.WriteString(c.text)
		out.WriteString(strings.Repeat("\n", strings.Count(src[c.start:c.end], "\n")))
		done = c.end
	}
	out.WriteString(src[done:])
	return []byte(out.String()), true, b.unread
}

// mayCompute is a cheap test that most scripts without texts in pieces fail.
func mayCompute(src string) bool {
	for _, sign := range []string{"+", "${", "#{", "join", "%", "format", "replace", "everse", "@", "..", "<>", "Of(", "$", "] ", "concat", "-1", "\" -", "' -", "64", "owercase", "ower(", "LowerCase", "downcase", "\"[", "'[", "\" \"", "' '"} {
		if strings.Contains(src, sign) {
			return true
		}
	}
	return false
}

// script is the state of a reading.
type script struct {
	budget        *budget
	src           string
	hash, slashes bool
	tokens        []token
	ways          *ways
	vars          map[string][]operand
	functions     map[string]scriptFunction
	changes       []change
	depth         int
	calls         map[string]bool // functions that are worked out just now
}

// change is a stretch of the script and what is written instead.
type change struct {
	start, end int
	text       string
}

// scriptFunction is a function that gives back one expression.
type scriptFunction struct {
	params []string
	gives  int // the token that its expression begins with
}

// operand is a constant: a text, or a list of them.
type operand struct {
	text   string
	list   []operand
	keys   []string // of a list with names
	isList bool
	known  bool
	// made says that it is not just written there: it was put together, or a variable.
	made bool
}

// run goes over the statements between two tokens. write says that changes are kept.
func (s *script) run(from, to int, write bool) {
	if s.depth++; s.budget.over(s.depth, maxEvals, "loops within each other") {
		s.depth--
		return
	}
	defer func() { s.depth-- }()
	nested := 0
	for i := from; i < to && s.budget.take(1); {
		t := s.tokens[i]
		switch {
		case t.text == "{" && t.kind == signToken:
			nested++
		case t.text == "}" && t.kind == signToken:
			nested = max(0, nested-1)
		case t.kind == nameToken && (t.text == "def" || t.text == "fun") && s.define(i):
		case t.kind == nameToken && (t.text == "foreach" || t.text == "for"):
			if next, ok := s.loop(i, to, write); ok {
				i = next
				continue
			}
		case t.kind == nameToken && !s.behindDot(i):
			if next, ok := s.assignment(i, nested > 0 || s.tokens[i].indented, write); ok {
				i = next
				continue
			}
		}
		if next := s.expressionAt(i, write); next > i {
			i = next
			continue
		}
		i++
	}
}

func (s *script) behindDot(i int) bool { return i > 0 && s.sign(i-1, ".") }

// sign reports whether a token is a sign.
func (s *script) sign(i int, text string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == signToken && s.tokens[i].text == text
}

// name is the name at a token, with the names behind dots, and the token behind it.
func (s *script) name(i int) (string, int) {
	name := s.tokens[i].text
	i++
	for i+1 < len(s.tokens) && s.sign(i, ".") && s.tokens[i+1].kind == nameToken && !s.sign(i+2, "(") {
		name += "." + s.tokens[i+1].text
		i += 2
	}
	return name, i
}

// assignment takes over what a name is given.
func (s *script) assignment(i int, maybe, write bool) (int, bool) {
	name, next := s.name(i)
	if s.sign(next, ":") && next+2 < len(s.tokens) && s.tokens[next+1].kind == nameToken && s.sign(next+2, "=") {
		next += 2 // val a: String = …
	}
	add := s.sign(next, "+=")
	if !add && !s.sign(next, "=") && !s.sign(next, ":=") || next+1 >= len(s.tokens) {
		return i, false
	}
	var values []operand
	end := next + 1
	s.each(func() {
		v, e, ok := s.expression(next+1, nil)
		if !ok {
			return
		}
		end = max(end, e)
		if v.made = true; v.known {
			values = append(values, v)
		}
	})
	if end > next+1 && write {
		s.expressionAt(next+1, true)
	}
	short := name[strings.LastIndexByte(name, '.')+1:]
	before := s.vars[short]
	if add {
		values = sums(before, values)
	}
	if maybe && !add {
		values = append(append([]operand(nil), before...), values...)
	}
	if s.vars[short] != nil || !s.budget.full(len(s.vars), maxVariables, "variables") {
		s.vars[short] = s.variants(values)
	}
	return max(end, next+1), true
}

// variants keeps the values of one variable within their bound.
func (s *script) variants(values []operand) []operand {
	var out []operand
	for _, v := range values {
		if !slices.ContainsFunc(out, func(o operand) bool { return o.same(v) }) {
			out = append(out, v)
		}
	}
	if len(out) > maxVariants {
		over := operand{text: oneOf(operandTexts(out), maxVariants, "values"), known: true, made: true}
		out = append(append(out[:maxVariants/4:maxVariants/4], out[len(out)-maxVariants*3/4:]...), over)
	}
	return out
}

// operandTexts are the texts of constants; that of a list is empty.
func operandTexts(values []operand) []string {
	var out []string
	for _, v := range values {
		out = append(out, v.text)
	}
	return out
}

// same reports whether two constants are.
func (v operand) same(o operand) bool {
	return v.text == o.text && v.isList == o.isList && v.known == o.known && v.made == o.made && slices.Equal(v.keys, o.keys) && slices.EqualFunc(v.list, o.list, operand.same)
}

// sums are all values with all others added.
func sums(before, more []operand) []operand {
	if len(before) == 0 {
		return more
	}
	var out []operand
	for _, a := range before {
		for _, b := range more {
			out = append(out, plus(a, b))
		}
	}
	return out
}

// each calls do for every way.
func (s *script) each(do func()) {
	outer := s.ways
	s.budget.every(func(w *ways) { s.ways = w; do() })
	s.ways = outer
}

// define notes a function that gives back one expression.
func (s *script) define(i int) bool {
	if i+2 >= len(s.tokens) || s.tokens[i+1].kind != nameToken || !s.sign(i+2, "(") {
		return false
	}
	f := scriptFunction{}
	j := i + 3
	for ; j < len(s.tokens) && j < i+60 && !s.sign(j, ")"); j++ {
		if s.tokens[j].kind == nameToken && (s.sign(j+1, ",") || s.sign(j+1, ")") || s.sign(j+1, ":") || s.sign(j+1, "=")) {
			f.params = append(f.params, s.tokens[j].text)
		}
	}
	for k := j + 1; k < len(s.tokens)-1 && k < j+40; k++ {
		switch t := s.tokens[k]; {
		case t.text == "def" || t.text == "fun" || t.text == "}":
			return false
		case t.text == "return" || k < j+4 && (t.text == "=" || t.text == "{" && s.tokens[k+1].text != "return" || t.line && t.text != "return" && s.hash && !s.sign(j+1, ":")):
			if f.gives = k + 1; t.line && t.text != "return" {
				f.gives = k
			}
			s.functions[s.tokens[i+1].text] = f
			return false // what is in it is read as well
		}
	}
	return false
}

// loop goes through a loop over a list: foreach x : list … endforeach, for (x in list) { … }.
func (s *script) loop(i, to int, write bool) (int, bool) {
	j := i + 1
	bracket := s.sign(j, "(")
	if bracket {
		j++
	}
	for j < to && s.tokens[j].kind == nameToken && (s.tokens[j].text == "def" || s.tokens[j].text == "String" || s.tokens[j].text == "val") {
		j++
	}
	if j+2 >= to || s.tokens[j].kind != nameToken || !s.sign(j+1, ":") && s.tokens[j+1].text != "in" {
		return i, false
	}
	list, body, ok := s.expression(j+2, nil)
	if !ok || !list.isList || len(list.list) == 0 {
		return i, false
	}
	end := body
	for depth := 0; end < to; end++ {
		switch s.tokens[end].text {
		case "{", "foreach":
			depth++
		case "}", "endforeach":
			depth--
		}
		if s.tokens[end].text == "endforeach" || depth == 0 && s.tokens[end].text == "}" {
			break
		}
		if s.hash && !bracket && depth == 0 && end > body+1 && s.tokens[end].line && !s.tokens[end].indented && s.tokens[i].text == "for" {
			break
		}
	}
	for _, item := range list.list {
		s.vars[s.tokens[j].text] = []operand{item}
		s.runLoop(body, end)
	}
	if after := s.vars; s.budget.take(len(after)) { // the body is read once more, to be written
		s.vars = maps.Clone(after)
		s.run(body, end, write)
		s.vars = after
	}
	return end, true
}

// runLoop runs a body whose assignments hold.
func (s *script) runLoop(from, to int) {
	for i := from; i < to && s.budget.take(1); i++ {
		if s.tokens[i].kind == nameToken && !s.behindDot(i) {
			if next, ok := s.assignment(i, false, false); ok {
				i = next - 1
			}
		}
	}
}

// expressionAt writes the constant that begins at a token, and returns the token behind it.
func (s *script) expressionAt(i int, write bool) int {
	if s.tokens[i].kind == signToken && !s.sign(i, "[") && !s.sign(i, "(") || s.behindDot(i) {
		return i
	}
	next := i
	var written []string
	s.each(func() {
		v, end, ok := s.expression(i, nil)
		if !ok || !v.known || end <= i {
			return
		}
		next = max(next, end)
		if text, ok := v.literal(); ok && v.made && !contains(written, text) {
			if s.sign(i, "(") {
				text = "(" + text + ")"
			}
			written = append(written, text)
		}
	})
	if len(written) > 0 && write && next > i {
		start, end := s.tokens[i].start, s.tokens[next-1].end
		if s.src[start:end] != written[0] || len(written) > 1 {
			s.changes = append(s.changes, change{start, end, strings.Join(written, ", ")})
		}
	}
	if s.tokens[i].kind == signToken && len(written) == 0 {
		return i // what is in the brackets is read by itself
	}
	return next
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}

// literal writes a constant as a script would.
func (v operand) literal() (string, bool) {
	if !v.isList {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(shown(v.text)) + `"`, true
	}
	var parts []string
	for _, item := range v.list {
		text, ok := item.literal()
		if !ok {
			return "", false
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", "), len(parts) > 0
}
