package static

import (
	"bytes"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/static/match"
)

// What weak signs need to amount to more than notes: a short program is for what
// it does once, while a long one, such as an installer, does a little of
// everything. Chosen on innocent scripts that are not among those measured.
const (
	shortProgram = 30 // lines of code for which one kind of sign is enough
	manyKinds    = 2  // kinds that are enough whatever the length
)

// weigh makes notes of the weak signs in the text of a file where there are too
// few kinds of signs, that is categories on lines of their own, for the lines of
// code that the change touched. What is embedded or encoded isn't weighed.
func (t text) weigh(found []match.Match) {
	if t.depth > 0 {
		return
	}
	if t.filled {
		// What is weak in a path that a variable holds has rules of its own, which know
		// whether the script made it.
		for i, m := range found {
			if m.Weak && m.Severity == gate.SeveritySuspicious {
				found[i].Severity, found[i].Because = gate.SeverityNote, "by way of a variable"
			}
		}
		return
	}
	weak := false
	kinds, lines := map[string]bool{}, map[int]bool{} // a line counts for one kind: one write below /etc/cron.d is no two signs
	starts := []int(nil)
	for _, m := range found {
		if m.Severity < gate.SeveritySuspicious {
			continue
		}
		if starts == nil {
			starts = lineStarts(t.content)
		}
		weak = weak || m.Weak && m.Severity == gate.SeveritySuspicious
		if line := lineOf(starts, m.Start); !lines[line] {
			kinds[m.Rule.Category()], lines[line] = true, true
		}
	}
	if !weak || len(kinds) >= manyKinds || t.short(starts, shortProgram) {
		return
	}
	for i, m := range found {
		if m.Weak && m.Severity == gate.SeveritySuspicious {
			found[i].Severity, found[i].Because = gate.SeverityNote, "once in a longer program"
		}
	}
}

// short reports whether the change touched at most so many lines of code.
func (t text) short(starts []int, most int) bool {
	view := lex.Split(t.language, t.content).View(t.content)
	ranges := t.changed.Ranges()
	for i, start := range starts {
		end := len(view)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		if !t.changed.All() {
			line := t.line(i + 1)
			for len(ranges) > 0 && ranges[0][1] < line {
				ranges = ranges[1:]
			}
			if len(ranges) == 0 || line < ranges[0][0] {
				continue
			}
		}
		if len(bytes.TrimSpace(view[start:end])) > 0 {
			if most--; most < 0 {
				return false
			}
		}
	}
	return true
}
