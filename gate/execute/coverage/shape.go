package coverage

import (
	"maps"
	"slices"

	"github.com/aigate/gate/gate"
)

// Shape is what is known of how a file is made, as far as it matters for whether all
// of it ran.
type Shape struct {
	// Top are the statements of its top level that have code, in order.
	Top []gate.LineRange
	// Tests is how many test functions it has, and Tested of how many a line ran.
	Tests, Tested int
	// Loaded says that its top level began, where nothing tells of its lines or none of
	// them is on it.
	Loaded bool
	// Apart says that its lines are parts that run apart from each other: the recipes of a
	// Makefile.
	Apart bool
	// Bodies are the lines that have a function of their own beside other code: a lambda, an
	// arrow, a function in one line. It says whether all of them were called: that a line
	// ran says only that they were made.
	Bodies map[int]bool
}

// Shapes are those of several files, by path.
type Shapes map[string]Shape

// Merge adds what another run said.
func (s Shapes) Merge(more Shapes) {
	for path, m := range more {
		one := s[path]
		if len(one.Top) == 0 {
			one.Top = m.Top
		}
		one.Loaded, one.Apart = one.Loaded || m.Loaded, one.Apart || m.Apart
		one.Tests, one.Tested = max(one.Tests, m.Tests), max(one.Tested, m.Tested)
		for n, called := range m.Bodies {
			if one.Bodies == nil {
				one.Bodies = map[int]bool{}
			}
			one.Bodies[n] = one.Bodies[n] || called
		}
		s[path] = one
	}
}

// shape keeps of what a program says about a file what can be true.
func shape(top []gate.LineRange, tests [2]int, total int) Shape {
	out := Shape{Tests: max(tests[0], 0), Tested: max(min(tests[1], tests[0]), 0)}
	for _, r := range top {
		if r[0] >= 1 && r[0] <= r[1] && r[1] <= total {
			out.Top = append(out.Top, r)
		}
	}
	return out
}

// Idle takes back that a line ran on which a function was made and never called.
func (p Profile) Idle(shapes Shapes) {
	for path, s := range shapes {
		for n, called := range s.Bodies {
			if !called && p[path][n] {
				p[path][n] = false
			}
		}
	}
}

// bodies keeps of what a program says about the functions on a line what can be true.
func bodies(claims [][2]int, total int) map[int]bool {
	if len(claims) > MaxLines {
		return nil
	}
	out := map[int]bool{}
	for _, c := range claims {
		if c[0] >= 1 && c[0] <= total {
			all, known := out[c[0]]
			out[c[0]] = c[1] != 0 && (all || !known)
		}
	}
	return out
}

// Started reports whether any line of a file ran.
func (l Lines) Started() bool {
	return slices.Contains(slices.Collect(maps.Values(l)), true)
}

// Reached reports whether a statement of a file began: one of its lines ran.
func (l Lines) Reached(at gate.LineRange) bool {
	for n, ran := range l {
		if ran && n >= at[0] && n <= at[1] {
			return true
		}
	}
	return false
}
