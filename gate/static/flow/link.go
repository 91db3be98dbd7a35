package flow

// link gives parameters what callers pass.
func (g *Graph) link() {
	for i, f := range g.funcs {
		if f.name != "" && len(g.named[f.name]) < maxSame {
			g.named[f.name] = append(g.named[f.name], int32(i))
		}
	}
	if g.script != nil {
		g.linkShell()
		return
	}
	passed := make([][][]Span, len(g.funcs))
	for i, f := range g.funcs {
		passed[i] = make([][]Span, len(f.params))
		for p := range f.params {
			passed[i][p] = f.given
		}
	}
	g.calls(passed)
	for i, f := range g.funcs {
		for p, n := range f.params {
			d := def{name: n, line: f.body.Start, place: f.body.Start, from: f.body.Start, values: passed[i][p], inner: true}
			if len(d.values) > 0 {
				d.line = d.values[0].Start
			}
			g.define(d)
		}
	}
}

// calls collects the arguments of every call of a function of the text, and of
// every call that is given one.
func (g *Graph) calls(passed [][][]Span) {
	for t := range g.tokens {
		if !g.isName(t) {
			continue
		}
		fs := g.named[g.text(t)]
		if len(fs) == 0 || g.heads[int32(t)] || g.is(t-1, "def", "func", "function", "class") {
			continue
		}
		if g.mark(t+1) == '(' {
			args := g.arguments(t + 1)
			for _, f := range fs {
				g.pass(passed[f], g.funcs[f].params, args, g.mark(t-1) == '.')
			}
			continue
		}
		if open, ok := g.enclosing(t); ok {
			all := Span{g.offset(open), g.offset(g.close(open))}
			for _, f := range fs {
				for p := range passed[f] {
					passed[f][p] = append(passed[f][p], all)
				}
			}
		}
	}
}

// argument is one of a call; name is set where it is passed by name.
type argument struct {
	name string
	Span
}

// maxArguments bounds what is looked at in one call.
const maxArguments = 64

// arguments splits what stands between the brackets at open.
func (g *Graph) arguments(open int) []argument {
	var out []argument
	end := g.close(open)
	start := open + 1
	for t := start; t <= end && len(out) < maxArguments; t++ {
		if t == end || g.mark(t) == ',' && g.depth[t] == g.depth[open]+1 {
			a := argument{Span: Span{g.offset(start), g.offset(t)}}
			if g.isName(start) && g.is(start+1, "=") {
				a.name = g.text(start)
			}
			if a.End > a.Start {
				out = append(out, a)
			}
			start = t + 1
		}
	}
	return out
}

// pass adds arguments to the parameters that they are given to.
func (g *Graph) pass(passed [][]Span, params []string, args []argument, method bool) {
	first := 0
	if method && len(params) > 0 && receivers[params[0]] {
		first = 1
	}
	for i, a := range args {
		for p, n := range params {
			if a.name == n || a.name == "" && (p == i+first || p == len(params)-1 && i+first > p) {
				passed[p] = append(passed[p], a.Span)
			}
		}
	}
}

// enclosing returns the bracket of the call in whose arguments a token stands.
func (g *Graph) enclosing(t int) (open int, ok bool) {
	const far = 40 // tokens
	for i := t - 1; i >= 0 && t-i < far; i-- {
		switch g.mark(i) {
		case ')', ']', '}':
			if g.pair[i] < 0 {
				return 0, false
			}
			i = int(g.pair[i])
		case '(':
			return i, g.isName(i - 1)
		case '{', ';':
			return 0, false
		}
	}
	return 0, false
}
