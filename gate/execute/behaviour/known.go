package behaviour

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// Known is what rules say of runs that are not in question, such as those of the base. The
// zero value knows nothing.
type Known map[knownHit]bool

// knownHit is what a rule says of an event, in the same words and with the same data.
type knownHit struct {
	rule, text     string
	event          key
	data           [sha256.Size]byte
	canaries, kind string
}

// Learn adds what follows from a run.
func (k Known) Learn(r Run) {
	s := newScene(r)
	for _, check := range checks {
		for _, h := range check(s) {
			k[knownOf(r.Kind, h)] = true
		}
	}
}

func knownOf(kind Kind, h hit) knownHit {
	return knownHit{
		rule: h.rule.ID, text: h.text, event: keyOf(h.event), data: sha256.Sum256(h.event.Data),
		canaries: strings.Join(slices.Sorted(slices.Values(h.event.Canaries)), "\x00"), kind: string(kind),
	}
}

// weighed is a hit with what the base says of it.
type weighed struct {
	hit
	before bool // it does the same, so that this is a note
}

// weigh makes a note of what is known.
func (k Known) weigh(kind Kind, h hit) weighed {
	before := h.severity > gate.SeverityNote && k[knownOf(kind, h)]
	if before {
		h.severity = gate.SeverityNote
	}
	return weighed{h, before}
}
