package modules

import "strings"

// golang reads a file of Go, whose package is one module with its other files.
type golang struct{ *module }

func (g *golang) read() {
	for t := g.skip(0); t < len(g.tokens); {
		end := t
		for end < len(g.tokens) && g.tokens[end].kind != newline && g.mark(end) != ';' {
			if g.pair[end] > int32(end) {
				end = int(g.pair[end])
			}
			end++
		}
		g.declaration(t, end)
		t = g.skip(end + 1)
	}
}

func (g *golang) declaration(t, end int) {
	c := chunk{first: t, last: end}
	switch {
	case g.is(t, "package"):
		return
	case g.is(t, "import"):
		for i := t + 1; i < end; i++ {
			spec, ok := g.quoted(i)
			if !ok {
				continue
			}
			local := spec[strings.LastIndexByte(spec, '/')+1:]
			if g.isName(i-1) && !g.is(i-1, "import") {
				local = g.text(i - 1)
			}
			g.imports[local] = ref{spec: spec}
			c.names = append(c.names, local)
		}
	case g.is(t, "func"):
		at := t + 1
		if g.mark(at) == '(' { // a method is found by its name, and by that of its type
			for i := at + 1; i < g.close(at); i++ {
				if g.isName(i) && (g.mark(i+1) == ')' || g.mark(i+1) == '[') {
					c.names = append(c.names, g.text(i))
				}
			}
			at = g.close(at) + 1
		}
		if g.isName(at) {
			c.names = append(c.names, g.text(at))
		}
	case g.is(t, "var", "const", "type"):
		at := t + 1
		if g.mark(at) != '(' {
			c.names = g.names(at, end)
			break
		}
		for i := g.skip(at + 1); i < g.close(at); {
			last := i
			for last < g.close(at) && g.tokens[last].kind != newline && g.mark(last) != ';' {
				if g.pair[last] > int32(last) {
					last = int(g.pair[last])
				}
				last++
			}
			c.names = append(c.names, g.names(i, last)...)
			i = g.skip(last + 1)
		}
	}
	g.chunk(c)
}

// names are those of a declaration: a, b = 1, 2.
func (g *golang) names(t, end int) []string {
	var out []string
	for ; t < end && g.isName(t); t += 2 {
		out = append(out, g.text(t))
		if g.mark(t+1) != ',' {
			break
		}
	}
	return out
}
