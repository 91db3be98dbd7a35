package static

import (
	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/match"
)

// weigh makes notes of the weak signs in the text of a file that stand alone: without a
// sign of another kind, that is a category, on a line of its own. The length of a
// program doesn't matter, because anyone who writes it chooses it. What is embedded or
// encoded isn't weighed.
func (t text) weigh(found []match.Match) {
	if t.depth > 0 {
		return
	}
	alone := kinds(t.content, found) < 2
	for i, m := range found {
		switch {
		case m.Severity != gate.SeveritySuspicious:
		case t.filled && (m.Weak || m.AsWritten):
			// What is weak in a path that a variable holds has rules of its own, which know
			// whether the script made it.
			found[i].Severity, found[i].Because = gate.SeverityNote, "by way of a variable"
		case m.Weak && alone:
			found[i].Severity, found[i].Because = gate.SeverityNote, "without a sign of another kind"
		}
	}
}

// kinds counts the kinds of signs, as far as there are weak ones to weigh. A line counts
// for one kind: one write below /etc/cron.d is no two signs.
func kinds(content []byte, found []match.Match) int {
	weak := false
	for _, m := range found {
		weak = weak || m.Weak && m.Severity == gate.SeveritySuspicious
	}
	if !weak {
		return 0
	}
	starts := lineStarts(content)
	seen, lines := map[string]bool{}, map[int]bool{}
	for _, m := range found {
		if m.Severity < gate.SeveritySuspicious {
			continue
		}
		if line := lineOf(starts, m.Start); !lines[line] {
			seen[m.Rule.Category()], lines[line] = true, true
		}
	}
	return len(seen)
}
