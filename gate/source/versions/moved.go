package versions

import (
	"slices"

	"github.com/aigate/gate/gate"
)

// moves finds the lines that were elsewhere in the older text, in the same context.
// It takes none for moved that an end of the control flow came before, or whose names
// are defined more than once: there, the order matters.
func (c *Comparison) moves(l gate.Language, then, now *reading, older, newer [][]byte) {
	type place struct {
		text    string
		context uint64
	}
	at := func(lines [][]byte, r *reading, i int) place { return place{textOf(l, lines[i]), r.context[i]} }
	gone := map[place]int{}
	there := slices.Repeat([]bool{false}, len(older))
	for _, at := range c.before {
		if at >= 0 {
			there[at] = true
		}
	}
	for i := range older {
		if !there[i] {
			gone[at(older, then, i)]++
		}
	}
	back := func(i int) bool { return c.before[i] < 0 && gone[at(newer, now, i)] > 0 }
	some := false
	for i := range newer {
		some = some || back(i)
	}
	if !some {
		return // what comes now is expensive
	}
	for i, ended := range c.ended(then) {
		if ended && !there[i] {
			gone[at(older, then, i)]--
		}
	}
	count := func(r *reading) map[string]int {
		n := map[string]int{}
		for _, d := range r.definitions() {
			n[d.name]++
		}
		return n
	}
	was, is := count(then), count(now)
	settled := func(line []byte) bool {
		return !slices.ContainsFunc(word.FindAll(line, -1), func(w []byte) bool { return max(was[string(w)], is[string(w)]) > 1 })
	}
	for i, line := range newer {
		if back(i) && settled(line) {
			gone[at(newer, now, i)]--
			c.moved[i] = true
		}
	}
}

// ended reports which lines of a version follow an end of the control flow.
func (c *Comparison) ended(r *reading) []bool {
	out := make([]bool, c.older)
	for _, o := range r.outlines {
		until := -1 // of the file
		ends := endingsOf(o, func(int) bool { return true })
		for i := range o.starts {
			at := o.file(i)
			if at >= len(out) {
				continue
			}
			out[at] = out[at] || at <= until
			for len(ends) > 0 && ends[0].line <= at {
				until = max(until, ends[0].last)
				ends = ends[1:]
			}
		}
	}
	return out
}

// Displaced reports whether one of the lines from..to of the newer text was in the
// older one, and is in another context now.
func (c *Comparison) Displaced(from, to int) bool {
	for i := max(from, 1) - 1; i < min(max(to, from), len(c.before)); i++ {
		if c.flipped[i] || c.before[i] < 0 && c.existed[i] && !c.moved[i] {
			return true
		}
	}
	return false
}
