package taint

import "slices"

// braceBlock is an open brace: a block, and perhaps the body of a function.
type braceBlock struct {
	shut int   // the token that closes it
	fn   int32 // index in outline.funcs, or -1
}

// braceReader reads a text in which braces make blocks: JavaScript, TypeScript, Go.
type braceReader struct {
	*source
	outline *outline
	names   *assignments
	lines   *statements
	heads   *heads
	open    []braceBlock // innermost last
}

func newBraceReader(s *source, golang bool, o *outline, defs *definitions) *braceReader {
	lines := &statements{source: s, golang: golang, ended: map[int32][2]int{}}
	return &braceReader{source: s, outline: o, names: newAssignments(s, defs), lines: lines, heads: &heads{source: s, lines: lines}}
}

// read reads the text token by token.
func (r *braceReader) read() {
	for t := range r.tokens {
		for len(r.open) > 0 && t >= r.open[len(r.open)-1].shut {
			r.open = r.open[:len(r.open)-1]
		}
		switch r.tokens[t].kind {
		case mark:
			r.punctuation(t)
		case name:
			r.word(t)
		}
	}
}

// punctuation reads a brace, an arrow or an assignment.
func (r *braceReader) punctuation(t int) {
	switch {
	case r.mark(t) == '{' && len(r.open) < maxDepth:
		b := braceBlock{shut: r.close(t), fn: r.literal(t)}
		r.outline.addBlock(Span{r.offset(t), r.offset(b.shut)}, r.lines.loops(t))
		r.open = append(r.open, b)
	case r.is(t, "=>") && r.mark(t+1) != '{' && len(r.open) < maxDepth:
		if fn := r.arrow(t); fn >= 0 {
			r.open = append(r.open, braceBlock{shut: r.at(r.outline.funcs[fn].body.End), fn: fn})
		}
	default:
		if yes, keeps := r.assigns(t); yes {
			start, end := targetsBegin(r, t), r.lines.ends(t+1)
			r.names.targets(start, t, Span{r.offset(t + 1), r.offset(end)}, r.offset(end), keeps)
			attribute(r, start, t, end)
		}
	}
}

// targetsBegin is where the targets of an assignment begin. The commas between the parameters of
// a type part no targets: const a: Map<K, V> = b.
func targetsBegin(r *braceReader, t int) int {
	for start := r.lines.begins(t); ; {
		open := 0
		for i := start; i < t; i++ {
			switch {
			case r.mark(i) == '<':
				open++
			case r.is(i, ">", ">>", ">>>"):
				open -= len(r.text(i))
			}
		}
		if r.lines.golang || open >= 0 || r.mark(start-1) != ',' {
			return start
		}
		start = r.lines.begins(start - 1)
	}
}

// attribute reads static a = b in class C, which gives C.a a value.
func attribute(r *braceReader, start, sign, end int) {
	n := len(r.open)
	if n == 0 || !r.is(start, "static", "public", "readonly") || r.open[n-1].shut >= len(r.tokens) {
		return
	}
	open := int(r.pair[r.open[n-1].shut])
	for start < sign && keyword[r.text(start)] {
		start++
	}
	const far = 8 // tokens
	for i := open - 1; i > 0 && open-i < far && r.isName(start); i-- {
		if r.is(i-1, "class") && r.isName(i) {
			r.names.defs.attribute(r.text(i), r.text(start), r.offset(start), Span{r.offset(sign + 1), r.offset(end)})
			return
		}
	}
}

// word reads a name or a keyword.
func (r *braceReader) word(t int) {
	switch {
	case r.is(t, "return") && r.lines.bare(t):
		r.outline.returnsNamed(r.inner(), r.offset(t))
	case r.is(t, "return", "yield"):
		r.outline.returns(r.inner(), Span{r.offset(t + 1), r.offset(r.lines.ends(t + 1))})
	case r.is(t, "of", "in") && r.each(t) < t && r.lines.isHead(r.each(t), "for"):
		r.names.targets(r.each(t), t, Span{r.offset(t + 1), r.offset(r.lines.ends(t + 1))}, r.offset(t), false)
	case r.is(t, "from") && t+1 < len(r.tokens) && r.tokens[t+1].kind == literal:
		r.imports(t)
	case r.is(t, "var", "let", "const") && r.mark(t-1) != '.':
		r.declared(t)
	case r.mark(t+1) == '(':
		r.called(t)
	}
}

// declared makes the names of a declaration those of the function that it is
// in, also where they get no value or follow another one, as in var a, b = 1, {c} = d.
// Without it, the one-letter names of bundles would be one variable in all functions.
func (r *braceReader) declared(t int) {
	if r.lines.golang {
		if r.is(t, "var") && r.isName(t+1) && !r.is(t+2, "=", ",") {
			r.declare(t+1, t)
		}
		return
	}
	for i := r.line(t + 1); i < len(r.tokens); i = r.line(i + 1) {
		switch {
		case r.isName(i) && !r.is(i, "function", "class", "enum"):
			r.declare(i, t)
		case r.mark(i) == '{' || r.mark(i) == '[':
			for n := i + 1; n < r.close(i); n++ {
				if r.isName(n) && r.mark(n+1) != ':' && r.mark(n-1) != '.' && r.mark(n-1) != '=' {
					r.declare(n, t)
				}
			}
			i = r.close(i)
		default:
			return
		}
		if r.mark(i+1) != ',' {
			i = r.line(r.lines.ends(i+1)) - 1
		}
		if i++; r.mark(i) != ',' {
			return
		}
	}
}

// declare makes the name at a token one of the function that token t is in.
func (r *braceReader) declare(name, t int) {
	r.names.defs.add(def{name: r.text(name), line: r.offset(t), place: r.offset(t), from: r.offset(t), inner: true})
}

// line returns the first token from t on that is no line end.
func (r *braceReader) line(t int) int {
	for t < len(r.tokens) && r.tokens[t].kind == newline {
		t++
	}
	return t
}

// imports gives the names that a statement such as import a, {b as c} from "d"
// makes the module that they come from.
func (r *braceReader) imports(t int) {
	const far = 64 // tokens
	start := t - 1
	for start > 0 && t-start < far && !r.is(start, "import") {
		start--
	}
	if !r.is(start, "import") {
		return
	}
	module := Span{r.offset(t + 1), r.offset(t + 2)}
	for i := start + 1; i < t; i++ {
		if r.isName(i) && !r.is(i, "type", "as") && !r.is(i+1, "as") {
			r.names.defs.add(def{name: r.text(i), line: r.offset(start), place: r.offset(start), from: module.End, values: []Span{module}, inner: true})
		}
	}
}

// inner returns the innermost open function, -1 for none.
func (r *braceReader) inner() int32 {
	for _, b := range slices.Backward(r.open) {
		if b.fn >= 0 {
			return b.fn
		}
	}
	return -1
}

// each returns the first token of what a loop takes apart before the "of" at t, such
// as [k, v]; t where nothing is.
func (r *braceReader) each(t int) int {
	switch {
	case r.isName(t - 1):
		return t - 1
	case (r.mark(t-1) == ']' || r.mark(t-1) == '}') && r.pair[t-1] >= 0:
		open := int(r.pair[t-1])
		if r.is(open-1, "const", "let", "var") {
			return open - 1 // a brace would make a block of its own
		}
		return open
	}
	return t
}

// called reads what the call at token t changes, and takes a call of a
// function's own parameter for what the function gives back.
func (r *braceReader) called(t int) {
	r.names.mutation(t, t+2)
	fn := r.inner()
	for n := 0; fn >= 0 && n < 3; n++ { // a callback is often called by a function in the function
		if slices.Contains(r.outline.funcs[fn].params, r.text(t)) {
			r.outline.returns(fn, Span{r.offset(t + 1), r.offset(r.close(t + 1))})
			return
		}
		fn = r.outline.outer(fn)
	}
}

// literal returns the function whose body the brace at t opens, -1 where it opens
// something else.
func (r *braceReader) literal(t int) int32 {
	head, ok := r.heads.of(t)
	if !ok || r.outline.full() {
		return -1
	}
	r.outline.heads[int32(head.start)] = true
	return r.outline.addFunction(r.function(head, Span{r.offset(t), r.offset(r.close(t))}))
}

// arrow returns the function whose body is the expression behind the arrow at t.
func (r *braceReader) arrow(t int) int32 {
	head, ok := r.heads.arrow(t)
	if !ok || r.outline.full() {
		return -1
	}
	body := Span{r.offset(t + 1), r.offset(r.lines.ends(t + 1))}
	if body.End <= body.Start {
		return -1
	}
	f := r.function(head, body)
	f.returns = []Span{body}
	return r.outline.addFunction(f)
}

// function is the function with a head and a body.
func (r *braceReader) function(h head, body Span) function {
	f := function{name: h.name, body: body, receiver: h.receiver}
	f.params, f.defaults = r.heads.parameters(h.params)
	f.results = r.heads.resultNames(h.results)
	if f.name == "" {
		f.given = r.heads.receiver(h.start)
	}
	return f
}
