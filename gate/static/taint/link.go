package taint

import "slices"

// link gives the parameters of functions what callers pass.
func link(s *source, o *outline, defs *definitions) {
	passed := make([][][]Span, len(o.funcs)) // by function and parameter
	for i, f := range o.funcs {
		passed[i] = make([][]Span, len(f.params))
		for p := range f.params {
			passed[i][p] = f.given
		}
	}
	collectCalls(s, o, passed)
	calledThrough(s, o, passed)
	for i, f := range o.funcs {
		for p, n := range f.params {
			d := def{name: n, line: f.body.Start, place: f.body.Start, from: f.body.Start, values: passed[i][p], inner: true}
			if v, ok := f.defaults[p]; ok {
				d.values = append(slices.Clip(d.values), v)
			}
			if len(d.values) > 0 {
				d.line = d.values[0].Start
			}
			defs.add(d)
		}
	}
}

// collectCalls collects the arguments of every call of a function of the text, and
// of every call that is given one.
func collectCalls(s *source, o *outline, passed [][][]Span) {
	for t := range s.tokens {
		if !s.isName(t) {
			continue
		}
		fs := o.named[s.text(t)]
		if len(fs) == 0 || o.heads[int32(t)] || s.is(t-1, "def", "func", "function", "class") {
			continue
		}
		if s.mark(t+1) == '(' {
			args := s.arguments(t + 1)
			for _, f := range fs {
				pass(passed[f], o.funcs[f].params, args, s.mark(t-1) == '.')
			}
			continue
		}
		if open, ok := s.enclosing(t); ok {
			all := Span{s.offset(open), s.offset(s.close(open))}
			for _, f := range fs {
				for p := range passed[f] {
					passed[f][p] = append(passed[f][p], all)
				}
			}
		}
	}
}

// pass adds arguments to the parameters that they are given to.
func pass(passed [][]Span, params []string, args []argument, method bool) {
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
