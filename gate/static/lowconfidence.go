package static

import (
	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/match"
)

// demoteLowConfidence makes notes of the low-confidence signals in the text of a file that stand alone: without a
// sign of another kind, that is a category, on a line of its own. The length of a
// program doesn't matter, because anyone who writes it chooses it. What is embedded or
// encoded keeps its severity.
func (t text) demoteLowConfidence(found []match.Match) {
	if t.depth > 0 {
		return
	}
	alone := kinds(t.content, found) < 2
	for i, m := range found {
		switch {
		case m.Severity != gate.SeveritySuspicious:
		case t.expanded && (m.LowConfidence || m.AsWritten):
			// What is a low-confidence signal in a path that a variable holds has rules of its own, which know
			// whether the script made it.
			found[i].Severity, found[i].Because = gate.SeverityNote, "by way of a variable"
		case m.LowConfidence && alone:
			found[i].Severity, found[i].Because = gate.SeverityNote, "without a sign of another kind"
		}
	}
}

// kinds counts the kinds of signs, as far as there are low-confidence ones. A line counts
// for one kind: one write below /etc/cron.d is no two signs.
func kinds(content []byte, found []match.Match) int {
	lowConfidence := false
	for _, m := range found {
		lowConfidence = lowConfidence || m.LowConfidence && m.Severity == gate.SeveritySuspicious
	}
	if !lowConfidence {
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
