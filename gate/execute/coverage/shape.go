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
