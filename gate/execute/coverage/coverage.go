package coverage

import (
	"maps"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// The bounds of what is measured.
const (
	// MaxLines is how long a source may be, in lines.
	MaxLines = 100_000
	// MaxReport is how large one file with claims may be, in bytes.
	MaxReport = 8 << 20
)

// Sources are the texts of the files that claims may be about, by their path in
// the tree.
type Sources map[string]string

// Lines are the lines of a file that have code; the value says whether it ran.
type Lines map[int]bool

// Profile is what is known of several files, by path.
type Profile map[string]Lines

// Merge adds what another run did. A line that ran once has run.
func (p Profile) Merge(q Profile) {
	for path, lines := range q {
		if p[path] == nil {
			p[path] = Lines{}
		}
		for n, ran := range lines {
			p[path][n] = p[path][n] || ran
		}
	}
}

// Count is what of a change ran.
type Count struct {
	Changed    int              // lines of the change
	Executable int              // those of them that have code
	Executed   int              // those of them that ran
	Uncovered  []gate.LineRange // those that did not, in order
}

// CountIn counts the lines of a change of a text.
func CountIn(changed gate.LineSet, text string, lines Lines) Count {
	total := LinesOf(text)
	c := Count{Changed: total}
	if !changed.All() {
		c.Changed = size(changed, total)
	}
	for _, n := range slices.Sorted(maps.Keys(lines)) {
		if n < 1 || n > total || !changed.Touches(n, n) {
			continue
		}
		c.Executable++
		if lines[n] {
			c.Executed++
			continue
		}
		if last := len(c.Uncovered) - 1; last >= 0 && adjacent(c.Uncovered[last][1], n, lines, changed) {
			c.Uncovered[last][1] = n
		} else {
			c.Uncovered = append(c.Uncovered, gate.LineRange{n, n})
		}
	}
	return c
}

// adjacent reports whether nothing that has code and belongs to the change lies
// between two lines that did not run; blank lines do not part them.
func adjacent(from, to int, lines Lines, changed gate.LineSet) bool {
	const gap = 3
	if to-from > gap {
		return false
	}
	for n := from + 1; n < to; n++ {
		if _, code := lines[n]; code || !changed.Touches(n, n) {
			return false
		}
	}
	return true
}

// size is how many lines of a text a set holds.
func size(s gate.LineSet, total int) int {
	n := 0
	for line := 1; line <= total; line++ {
		if s.Touches(line, line) {
			n++
		}
	}
	return n
}

// LinesOf is how many lines a text has.
func LinesOf(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
