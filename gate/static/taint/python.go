package taint

import "slices"

// pythonBlock is a block whose end is not known yet.
type pythonBlock struct {
	indent int   // of the line that opens it
	block  int32 // index in outline.blocks
	fn     int32 // index in outline.funcs, or -1
	guard  bool  // it runs only as the main program
	class  string
}

// pythonReader reads a Python text, in which indentation makes blocks.
type pythonReader struct {
	*source
	outline *outline
	names   *assignments
	open    []pythonBlock // innermost last
}

func newPythonReader(s *source, o *outline, defs *definitions) *pythonReader {
	return &pythonReader{source: s, outline: o, names: newAssignments(s, defs)}
}

// read reads the text line by line.
func (p *pythonReader) read() {
	lineStart := 0
	for t := 0; t < len(p.tokens); {
		end := t
		for end < len(p.tokens) && p.tokens[end].kind != newline {
			end++
		}
		if end > t {
			indent := p.offset(t) - lineStart
			for n := len(p.open); n > 0 && indent <= p.open[n-1].indent; n-- {
				p.shut(p.open[n-1], lineStart)
				p.open = p.open[:n-1]
			}
			p.line(t, end, indent)
		}
		if end < len(p.tokens) {
			lineStart = int(p.tokens[end].end)
		}
		t = end + 1
	}
	for _, b := range p.open {
		p.shut(b, len(p.view))
	}
}

// shut ends a block.
func (p *pythonReader) shut(b pythonBlock, at int) {
	p.outline.shut(b.block, b.fn, at)
	if b.guard {
		p.outline.guards = append(p.outline.guards, p.outline.blocks[b.block].Span)
	}
}

// line reads the statements of one logical line.
func (p *pythonReader) line(t, end, indent int) {
	if p.is(t, "async") {
		t++
	}
	if p.is(t, "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "match", "case") {
		colon := t
		for colon < end && !(p.mark(colon) == ':' && p.depth[colon] == p.depth[t]) {
			colon++
		}
		if colon < end {
			p.compound(t, colon, indent)
			t = colon + 1
		}
	}
	for start := t; t <= end; t++ {
		if t == end || p.mark(t) == ';' {
			p.statement(start, t)
			start = t + 1
		}
	}
}

// compound reads the head of a statement that opens a block, up to its colon.
func (p *pythonReader) compound(t, colon, indent int) {
	b := pythonBlock{indent: indent, fn: -1}
	body := Span{p.offset(colon) + 1, len(p.view)}
	if p.is(t, "def") {
		b.fn = p.function(t, body)
		if n := len(p.open); b.fn >= 0 && n > 0 && p.open[n-1].class != "" {
			p.constructor(b.fn, p.open[n-1].class)
		}
	}
	if p.is(t, "class") && p.isName(t+1) {
		b.class = p.text(t + 1)
	}
	b.block = p.outline.addBlock(body, p.is(t, "for", "while"))
	b.guard = p.is(t, "if") && (p.is(t+1, "__name__") || p.is(t+2, "__name__") || p.is(t+3, "__name__"))
	p.header(t, colon)
	if len(p.open) < maxDepth {
		p.open = append(p.open, b)
	} else {
		p.shut(b, body.Start)
	}
}

// function records a function and its parameters.
func (p *pythonReader) function(t int, body Span) int32 {
	f := function{body: body}
	if p.isName(t + 1) {
		f.name = p.text(t + 1)
	}
	if p.mark(t+2) == '(' {
		for _, a := range p.arguments(t + 2) {
			i := p.at(a.Start)
			for p.mark(i) == '*' || p.is(i, "**") {
				i++
			}
			if p.isName(i) {
				f.params = append(f.params, p.text(i))
				f.defaults = defaultOf(p.source, f.defaults, len(f.params)-1, a.Span)
			}
		}
	}
	return p.outline.addFunction(f)
}

// constructor gives a method that sets up an object the name by which it is
// called, which is that of the class.
func (p *pythonReader) constructor(fn int32, class string) {
	f := &p.outline.funcs[fn]
	if f.name == "__init__" && len(f.params) > 0 && receivers[f.params[0]] {
		f.name, f.params = class, f.params[1:]
		shifted := map[int]Span{}
		for i, v := range f.defaults {
			shifted[i-1] = v
		}
		f.defaults = shifted
	}
}

// header reads the definitions in the head of a loop or a with statement.
func (p *pythonReader) header(t, colon int) {
	switch {
	case p.is(t, "for"):
		for i := t + 1; i < colon; i++ {
			if p.is(i, "in") && p.depth[i] == p.depth[t] {
				p.names.targets(t+1, i, Span{p.offset(i + 1), p.offset(colon)}, p.offset(colon), false)
				return
			}
		}
	case p.is(t, "with"):
		start := t + 1
		for i := start; i < colon; i++ {
			if p.is(i, "as") {
				last := i + 1
				for last < colon && !(p.mark(last) == ',' && p.depth[last] <= p.depth[i]) {
					last++
				}
				p.names.targets(i+1, last, Span{p.offset(start), p.offset(i)}, p.offset(colon), false)
				start = last + 1
			}
		}
	}
	p.names.walrus(t, colon)
}

// statement reads one simple statement.
func (p *pythonReader) statement(t, end int) {
	if t >= end {
		return
	}
	value := Span{p.offset(t + 1), p.offset(end)}
	switch {
	case p.is(t, "return", "yield"):
		p.outline.returns(p.inner(), value)
		return
	case p.is(t, "global"):
		for i := t + 1; i < end; i++ {
			if p.isName(i) {
				p.names.defs.global[p.text(i)] = true
			}
		}
		return
	case p.is(t, "import", "from", "pass", "break", "continue", "del", "raise", "assert"):
		return
	}
	p.names.walrus(t, end)
	p.names.statement(t, end)
	p.names.mutation(t, end)
	if n := len(p.open); n > 0 && p.open[n-1].class != "" && p.isName(t) { // NAME = a in class C is C.NAME
		for i := t + 1; i < end; i++ {
			if p.mark(i) == '=' && p.depth[i] == p.depth[t] {
				p.names.defs.attribute(p.open[n-1].class, p.text(t), p.offset(t), Span{p.offset(i + 1), p.offset(end)})
				return
			}
		}
	}
}

// inner returns the innermost open function, -1 for none.
func (p *pythonReader) inner() int32 {
	for _, b := range slices.Backward(p.open) {
		if b.fn >= 0 {
			return b.fn
		}
	}
	return -1
}
