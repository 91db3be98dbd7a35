package match

import (
	"slices"

	"github.com/aigate/gate/gate/static/flow"
	"github.com/aigate/gate/gate/static/rule"
)

// flows is what is known about the flows of one text.
type flows struct {
	graph  *flow.Graph
	made   bool
	places map[*pattern][]int // where a pattern matches, sorted
	path   []int              // of the last condition that held
}

// flows reports whether something that the pattern matches flows into the match.
// The text's language may be one in which nothing is followed; then it doesn't.
func (r *run) flows(p *pattern, f found, doubt bool) bool {
	x := &r.flow
	if r.graph() == nil {
		return false
	}
	places, known := x.places[p]
	if !known {
		var walk walk
		for m := range r.each(p, &walk) {
			places = append(places, m.start)
		}
		if walk.stopped {
			return doubt
		}
		slices.Sort(places)
		places = slices.Compact(places)
		x.places[p] = places
	}
	if len(places) == 0 {
		return false
	}
	path, answer := x.graph.Path(places, x.graph.Into(flow.Span{Start: f.start, End: f.end}), &r.Budget.flow)
	switch answer {
	case flow.Yes:
		x.path = path
		return true
	case flow.Unknown:
		return doubt
	default:
		return false
	}
}

// graph returns what the text defines, nil for a language in which nothing is
// followed.
func (r *run) graph() *flow.Graph {
	if !r.flow.made {
		r.flow.made, r.flow.places = true, map[*pattern][]int{}
		r.flow.graph, _ = flow.New(r.Language, r.source(rule.PlaceSource), r.lex())
	}
	return r.flow.graph
}
