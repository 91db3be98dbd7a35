package judge

import (
	"errors"
	"fmt"

	"github.com/aigate/gate/gate"
)

// Of a file that does not fit into one question, and of which it is known what
// changed, the changed lines are shown with what surrounds them. What else is in it
// was there before, and would not decide.
const (
	surroundings = 40 // lines before and after a change
	opening      = 25 // first lines of a file: what it imports
)

// maxLargeFile bounds a file above the limit of which changed lines are shown, in
// bytes.
const maxLargeFile = 4 << 20

// readChanged reads a file above the limit for the sake of its changed lines.
func readChanged(c *gate.Change, t *gate.Target, tooLarge error) ([]byte, error) {
	if !errors.Is(tooLarge, gate.ErrTooLarge) || t.Lines.All() || len(t.Lines.Ranges()) == 0 {
		return nil, tooLarge
	}
	return c.Read(t, maxLargeFile)
}

// shownOf returns the lines of a file that are shown: all of them where they fit into
// one question or may all have changed.
func (s *session) shownOf(work job, lines []line) []line {
	t := work.target
	if t.Lines.All() || len(t.Lines.Ranges()) == 0 || !work.large && len(s.parts(lines, len(work.facts))) <= 1 {
		return lines
	}
	var out []line
	for _, l := range lines {
		if l.number <= opening || t.Lines.Touches(max(l.number-surroundings, 1), l.number+surroundings) {
			out = append(out, l)
		}
	}
	return out
}

// partly says that not all lines of a file were shown.
func partly(shown, all int) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf("not all judged: the file is too long for one question, so the judge saw what changed and %d lines around it, %d of %d lines", surroundings, shown, all)
}
