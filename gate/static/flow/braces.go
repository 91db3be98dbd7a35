package flow

import (
	"slices"

	"github.com/aigate/gate/gate"
)

// braceBlock is an open brace: a block, and perhaps the body of a function.
type braceBlock struct {
	shut int   // the token that closes it
	fn   int32 // index in Graph.funcs, or -1
}

// braces reads a text in which braces make blocks: JavaScript, TypeScript, Go.
func (g *Graph) braces() {
	var open []braceBlock
	inner := func() int32 {
		for _, b := range slices.Backward(open) {
			if b.fn >= 0 {
				return b.fn
			}
		}
		return -1
	}
	for t := range g.tokens {
		for len(open) > 0 && t >= open[len(open)-1].shut {
			open = open[:len(open)-1]
		}
		if g.tokens[t].kind == literal || g.tokens[t].kind == newline {
			continue
		}
		switch {
		case g.mark(t) == '{' && len(open) < maxDepth:
			b := braceBlock{shut: g.close(t), fn: g.literal(t)}
			g.blocks = append(g.blocks, block{Span: Span{g.offset(t), g.offset(b.shut)}, loop: g.loops(t)})
			open = append(open, b)
		case g.is(t, "=>") && g.mark(t+1) != '{' && len(open) < maxDepth:
			if fn := g.arrow(t); fn >= 0 {
				open = append(open, braceBlock{shut: g.at(g.funcs[fn].body.End), fn: fn})
			}
		case g.is(t, "return", "yield"):
			g.gives(inner(), Span{g.offset(t + 1), g.offset(g.ends(t + 1))})
		case g.is(t, "of", "in") && g.each(t) < t && g.isHead(g.each(t), "for"):
			g.targets(g.each(t), t, Span{g.offset(t + 1), g.offset(g.ends(t + 1))}, g.offset(t), false)
		case g.tokens[t].kind == mark:
			if yes, keeps := g.assigns(t); yes {
				g.braceAssignment(t, keeps)
			}
		case g.is(t, "var", "let") && g.isName(t+1) && !g.is(t+2, "=", ",", ":"):
			g.define(def{name: g.text(t + 1), line: g.offset(t), place: g.offset(t), from: g.offset(t), inner: true})
		case g.isName(t) && g.mark(t+1) == '(':
			g.called(t, inner())
		}
	}
}

// each returns the first token of what a loop takes apart before the "of" at t, such
// as [k, v]; t where nothing is.
func (g *Graph) each(t int) int {
	switch {
	case g.isName(t - 1):
		return t - 1
	case (g.mark(t-1) == ']' || g.mark(t-1) == '}') && g.pair[t-1] >= 0:
		open := int(g.pair[t-1])
		if g.is(open-1, "const", "let", "var") {
			return open - 1 // a brace would make a block of its own
		}
		return open
	}
	return t
}

// called reads what the call at token t changes, and takes a call of a
// function's own parameter for what the function gives back.
func (g *Graph) called(t int, fn int32) {
	g.mutation(t, t+2)
	for n := 0; fn >= 0 && n < 3; n++ { // a callback is often called by a function in the function
		for _, p := range g.funcs[fn].params {
			if p == g.text(t) {
				g.gives(fn, Span{g.offset(t + 1), g.offset(g.close(t + 1))})
				return
			}
		}
		fn = g.outer(fn)
	}
}

// outer returns the function around one that is being read.
func (g *Graph) outer(fn int32) int32 {
	for i := fn - 1; i >= 0 && fn-i < maxDepth; i-- {
		if g.funcs[i].body.holds(g.funcs[fn].body.Start) {
			return i
		}
	}
	return -1
}

// braceAssignment reads the assignment whose sign is token t.
func (g *Graph) braceAssignment(t int, keeps bool) {
	start := g.begins(t)
	end := g.ends(t + 1)
	g.targets(start, t, Span{g.offset(t + 1), g.offset(end)}, g.offset(end), keeps)
}

// begins returns the first token of the targets that end before token t.
func (g *Graph) begins(t int) int {
	const far = 64 // tokens
	i := t
	for i > 0 && t-i < far {
		switch {
		case g.mark(i-1) == ']' || g.mark(i-1) == '}' || g.mark(i-1) == ')':
			if g.pair[i-1] < 0 || g.depth[i-1] < g.depth[t] {
				return i
			}
			if g.mark(i-1) == '}' && i != t && g.mark(i) != '=' && g.mark(i) != ':' {
				return i
			}
			i = int(g.pair[i-1])
			continue
		case g.tokens[i-1].kind == newline || g.depth[i-1] < g.depth[t]:
			return i
		case g.mark(i-1) == ';' || g.mark(i-1) == '{' || g.mark(i-1) == '(':
			return i
		case g.mark(i-1) == ',' && g.lang != gate.LanguageGo:
			return i
		case g.is(i-1, "=>", "&&", "||", "?", "if", "for", "switch", "else", "=", ":=", "return", "case"):
			return i
		}
		i--
	}
	return i
}

// ends returns the token at which the expression that begins with token t ends.
func (g *Graph) ends(t int) int {
	if t >= len(g.tokens) {
		return len(g.tokens)
	}
	depth := g.depth[t]
	if last, ok := g.ended[depth]; ok && last[0] <= t && t < last[1] {
		return last[1] // within a = b = c
	}
	end := g.end(t, depth)
	g.ended[depth] = [2]int{t, end}
	return end
}

func (g *Graph) end(t int, depth int32) int {
	if c := g.mark(t); c == ')' || c == ']' || c == '}' {
		return t
	}
	for i := t; i < len(g.tokens); i++ {
		switch c := g.mark(i); {
		case c == '(' || c == '[' || c == '{':
			if g.lang == gate.LanguageGo && c == '{' && i > t && g.isHead(i, "for", "if", "switch") {
				return i // the block of a statement
			}
			i = g.close(i)
		case c == ';' || c == ')' || c == ']' || c == '}':
			return i
		case c == ',' && g.depth[i] == depth && g.lang != gate.LanguageGo:
			return i
		case g.tokens[i].kind == newline && i > t && !g.continues(i):
			return i
		}
	}
	return len(g.tokens)
}

// continues reports whether the statement before the line end at i goes on
// behind it.
func (g *Graph) continues(i int) bool {
	if g.lang != gate.LanguageGo {
		next := i + 1
		for next < len(g.tokens) && g.tokens[next].kind == newline && next-i < 20 {
			next++
		}
		if c := g.mark(next); c == '.' || c == '?' || c == ':' || c == '+' || g.is(next, "?.", "&&", "||", "??") {
			return true
		}
	}
	switch g.mark(i - 1) {
	case '=', '+', '.', '?', ',':
		return true
	}
	return g.is(i-1, "&&", "||", "??", "=>", ":=", "+=", "await")
}

// isHead reports whether token t stands in the head of one of the statements.
func (g *Graph) isHead(t int, words ...string) bool {
	const far = 60 // tokens
	for i := t - 1; i >= 0 && t-i < far; i-- {
		switch {
		case g.is(i, words...):
			return g.mark(i-1) != '.'
		case g.tokens[i].kind == newline || g.mark(i) == '{' && g.pair[i] < 0:
			return false
		case g.mark(i) == ')' || g.mark(i) == ']' || g.mark(i) == '}':
			if g.pair[i] < 0 {
				return false
			}
			if g.mark(i) == '}' {
				return false
			}
			i = int(g.pair[i])
		}
	}
	return false
}

// loops reports whether the brace at t opens the body of a loop.
func (g *Graph) loops(t int) bool {
	return g.isHead(t, "for", "while", "do")
}
