package flow

import "github.com/aigate/gate/gate"

// OnImport reports whether what stands at an offset runs as soon as the text is
// loaded: because it stands outside of every function, or in one that is called
// from there. What is guarded as the main program doesn't; in Go it is
// initialisers and the functions named init that run.
func (g *Graph) OnImport(offset int) bool {
	if g.script != nil {
		return true
	}
	if g.guarded(offset) {
		return false
	}
	scope := g.scopeAt(offset)
	return scope < 0 || g.started()[scope]
}

// started returns the functions that run when the text is loaded.
func (g *Graph) started() map[int32]bool {
	g.once.Do(func() {
		g.loaded = map[int32]bool{}
		calls := g.callers()
		var queue []int32
		start := func(fs []int32) {
			for _, f := range fs {
				if !g.loaded[f] {
					g.loaded[f] = true
					queue = append(queue, f)
				}
			}
		}
		if g.lang == gate.LanguageGo {
			start(g.named["init"])
		}
		start(calls[-1])
		for len(queue) > 0 {
			f := queue[0]
			queue = queue[1:]
			start(calls[f])
		}
	})
	return g.loaded
}

// callers returns which functions are called in each function, and outside of all
// of them under -1. A literal without a name runs where it stands: most are
// callbacks.
func (g *Graph) callers() map[int32][]int32 {
	calls := map[int32][]int32{}
	for t := range g.tokens {
		if !g.isName(t) || g.mark(t+1) != '(' || g.is(t-1, "def", "func", "function", "class") {
			continue
		}
		fs := g.named[g.text(t)]
		if len(fs) == 0 || g.heads[int32(t)] || g.guarded(g.offset(t)) {
			continue
		}
		if _, head := g.bodyAfter(t + 1); head || g.mark(t-1) == ')' {
			continue // the head of a method
		}
		in := g.scopeAt(g.offset(t))
		if in < 0 && g.lang == gate.LanguageGo && !g.initialises(t) {
			continue // a method of an interface
		}
		calls[in] = append(calls[in], fs...)
	}
	for i, f := range g.funcs {
		if f.name == "" && !g.guarded(f.body.Start) {
			calls[f.scope] = append(calls[f.scope], int32(i))
		}
	}
	return calls
}

// initialises reports whether token t stands behind an assignment on its line.
func (g *Graph) initialises(t int) bool {
	for i := t - 1; i >= 0 && g.tokens[i].kind != newline; i-- {
		if g.mark(i) == '=' {
			return true
		}
	}
	return false
}

func (g *Graph) guarded(offset int) bool {
	for _, guard := range g.guards {
		if guard.holds(offset) {
			return true
		}
	}
	return false
}

// bodyAfter reports whether the brackets at token open are the parameters of a
// function whose body follows.
func (g *Graph) bodyAfter(open int) (int32, bool) {
	shut := g.close(open)
	if g.lang == gate.LanguagePython || g.mark(shut+1) != '{' {
		return 0, false
	}
	return g.bodyAt(g.offset(shut + 1))
}
