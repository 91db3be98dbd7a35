package behaviour

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/canary"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// maxShown bounds what the document holds of one run.
const maxShown = 200

// dull orders kinds by how much they say; of a long list the dullest go first.
var dull = map[sandbox.Action]int{sandbox.ActionList: 3, sandbox.ActionRead: 2, sandbox.ActionWrite: 1}

// goCache is a file of the cache of Go, or of the temporary folder of a build. A build
// writes hundreds of them, and what the program itself writes must not go for theirs.
var goCache = regexp.MustCompile(`^/tmp/(?:gocache|go-build\d+)/`)

// dullness is how little an event says.
func dullness(e sandbox.Event) int {
	switch e.Action {
	case sandbox.ActionRead, sandbox.ActionList, sandbox.ActionWrite, sandbox.ActionDelete, sandbox.ActionMode:
		if goCache.MatchString(path.Clean(e.Object)) {
			return 4
		}
	}
	return dull[e.Action]
}

// Document lists what a run did in the order of the first time, without what
// means nothing. What does not fit is counted.
func Document(seen sandbox.Behaviour) []gate.Behaviour {
	var events []sandbox.Event
	for _, e := range seen.Events {
		if len(e.Canaries) > 0 || !ignorable(e) {
			events = append(events, e)
		}
	}
	rest := 0
	if len(events) > maxShown {
		slices.SortStableFunc(events, func(a, b sandbox.Event) int {
			return cmp.Or(cmp.Compare(min(len(b.Canaries), 1), min(len(a.Canaries), 1)), cmp.Compare(dullness(a), dullness(b)))
		})
		rest = len(events) - maxShown
		events = events[:maxShown]
	}
	type entry struct {
		sandbox.Event
		text string
	}
	entries := make([]entry, len(events))
	for i, e := range events {
		entries[i] = entry{e, gate.Clip(visible(detail(e)), gate.MaxEvidence)}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Action, b.Action), cmp.Compare(a.text, b.text))
	})
	var out []gate.Behaviour
	for _, e := range entries {
		out = append(out, gate.Behaviour{Kind: string(e.Action), Detail: e.text, Count: int(min(e.Count, math.MaxInt32))})
	}
	if rest > 0 {
		out = append(out, gate.Behaviour{Kind: "more", Detail: fmt.Sprintf("%d other things, mostly reading and writing", rest), Count: rest})
	}
	return out
}

// canaryNames says which canaries were recognised, as placeholders.
func canaryNames(ids []string) string {
	var t string
	for i, id := range ids {
		if i > 0 {
			t += ", "
		}
		t += canary.Placeholder(strings.TrimSuffix(id, " (plain)"))
	}
	return t
}
