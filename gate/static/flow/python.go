package flow

import "slices"

// pythonBlock is a block whose end is not known yet.
type pythonBlock struct {
	indent int   // of the line that opens it
	block  int32 // index in Graph.blocks
	fn     int32 // index in Graph.funcs, or -1
	guard  bool  // it runs only as the main program
	class  string
}

// python reads a text line by line; indentation makes blocks.
func (g *Graph) python() {
	var open []pythonBlock
	lineStart := 0
	for t := 0; t < len(g.tokens); {
		end := t
		for end < len(g.tokens) && g.tokens[end].kind != newline {
			end++
		}
		if end > t {
			indent := g.offset(t) - lineStart
			for len(open) > 0 && indent <= open[len(open)-1].indent {
				g.shut(open[len(open)-1], lineStart)
				open = open[:len(open)-1]
			}
			open = g.pythonLine(t, end, indent, open)
		}
		if end < len(g.tokens) {
			lineStart = int(g.tokens[end].end)
		}
		t = end + 1
	}
	for _, b := range open {
		g.shut(b, len(g.view))
	}
}

// shut ends a block.
func (g *Graph) shut(b pythonBlock, at int) {
	g.blocks[b.block].End = at
	if b.guard {
		g.guards = append(g.guards, g.blocks[b.block].Span)
	}
	if b.fn >= 0 {
		g.funcs[b.fn].body.End = at
	}
}

// pythonLine reads the statements of one logical line.
func (g *Graph) pythonLine(t, end, indent int, open []pythonBlock) []pythonBlock {
	if g.is(t, "async") {
		t++
	}
	if g.is(t, "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "match", "case") {
		colon := t
		for colon < end && !(g.mark(colon) == ':' && g.depth[colon] == g.depth[t]) {
			colon++
		}
		if colon < end {
			b := pythonBlock{indent: indent, block: int32(len(g.blocks)), fn: -1}
			body := Span{g.offset(colon) + 1, len(g.view)}
			if g.is(t, "def") {
				b.fn = g.pythonFunction(t, body)
				if n := len(open); b.fn >= 0 && n > 0 && open[n-1].class != "" {
					g.constructor(b.fn, open[n-1].class)
				}
			}
			if g.is(t, "class") && g.isName(t+1) {
				b.class = g.text(t + 1)
			}
			g.blocks = append(g.blocks, block{Span: body, loop: g.is(t, "for", "while")})
			b.guard = g.is(t, "if") && (g.is(t+1, "__name__") || g.is(t+2, "__name__") || g.is(t+3, "__name__"))
			g.pythonHeader(t, colon)
			if len(open) < maxDepth {
				open = append(open, b)
			} else {
				g.shut(b, body.Start)
			}
			t = colon + 1
		}
	}
	for start := t; t <= end; t++ {
		if t == end || g.mark(t) == ';' {
			g.pythonStatement(start, t, inner(open))
			start = t + 1
		}
	}
	return open
}

// maxDepth bounds how many blocks are open at a time.
const maxDepth = 200

// pythonFunction records a function and its parameters.
func (g *Graph) pythonFunction(t int, body Span) int32 {
	f := function{body: body}
	if g.isName(t + 1) {
		f.name = g.text(t + 1)
	}
	if g.mark(t+2) == '(' {
		for _, p := range g.arguments(t + 2) {
			i := g.at(p.Start)
			for g.mark(i) == '*' || g.is(i, "**") {
				i++
			}
			if g.isName(i) {
				f.params = append(f.params, g.text(i))
			}
		}
	}
	if len(g.funcs) >= maxFuncs {
		return -1
	}
	g.funcs = append(g.funcs, f)
	return int32(len(g.funcs) - 1)
}

// constructor gives a method that sets up an object the name by which it is
// called, which is that of the class.
func (g *Graph) constructor(fn int32, class string) {
	f := &g.funcs[fn]
	if f.name == "__init__" && len(f.params) > 0 && receivers[f.params[0]] {
		f.name, f.params = class, f.params[1:]
	}
}

// pythonHeader reads the definitions in the head of a loop or a with statement.
func (g *Graph) pythonHeader(t, colon int) {
	switch {
	case g.is(t, "for"):
		for i := t + 1; i < colon; i++ {
			if g.is(i, "in") && g.depth[i] == g.depth[t] {
				g.targets(t+1, i, Span{g.offset(i + 1), g.offset(colon)}, g.offset(colon), false)
				return
			}
		}
	case g.is(t, "with"):
		start := t + 1
		for i := start; i < colon; i++ {
			if g.is(i, "as") {
				last := i + 1
				for last < colon && !(g.mark(last) == ',' && g.depth[last] <= g.depth[i]) {
					last++
				}
				g.targets(i+1, last, Span{g.offset(start), g.offset(i)}, g.offset(colon), false)
				start = last + 1
			}
		}
	}
	g.walrus(t, colon)
}

// pythonStatement reads one simple statement.
func (g *Graph) pythonStatement(t, end int, fn int32) {
	if t >= end {
		return
	}
	value := Span{g.offset(t + 1), g.offset(end)}
	switch {
	case g.is(t, "return", "yield"):
		g.gives(fn, value)
		return
	case g.is(t, "global"):
		for i := t + 1; i < end; i++ {
			if g.isName(i) {
				g.global[g.text(i)] = true
			}
		}
		return
	case g.is(t, "import", "from", "pass", "break", "continue", "del", "raise", "assert"):
		return
	}
	g.walrus(t, end)
	g.assignment(t, end)
	g.mutation(t, end)
}

// inner returns the innermost function among open blocks, -1 for none.
func inner(open []pythonBlock) int32 {
	for _, b := range slices.Backward(open) {
		if b.fn >= 0 {
			return b.fn
		}
	}
	return -1
}

// gives records what a function gives back.
func (g *Graph) gives(fn int32, value Span) {
	if fn >= 0 && value.End > value.Start {
		g.funcs[fn].returns = append(g.funcs[fn].returns, value)
	}
}

// walrus reads definitions inside of expressions.
func (g *Graph) walrus(t, end int) {
	for i := t + 1; i < end; i++ {
		if g.is(i, ":=") && g.isName(i-1) {
			last := i + 1
			for last < end && g.depth[last] >= g.depth[i] && !(g.mark(last) == ',' && g.depth[last] == g.depth[i]) {
				last++
			}
			g.targets(i-1, i, Span{g.offset(i + 1), g.offset(last)}, g.offset(last), true)
		}
	}
}
