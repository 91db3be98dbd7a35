package match

import (
	"cmp"
	"slices"

	"github.com/aigate/gate/gate/static/rule"
	"github.com/aigate/gate/gate/static/taint"
)

// flows is what is known about the flows of one text.
type flows struct {
	graph  *taint.Graph
	asks   *taint.Questions
	made   bool
	places map[sought]places // where a pattern matches
	path   []int             // of the last condition that held
	host   []int             // of a condition that asks for a new host and held
}

// sought is what a condition looks for in the whole text.
type sought struct {
	pattern *pattern
	newHost bool
}

// places are where a pattern matches, sorted, and the new hosts that it names there.
type places struct {
	offsets []int
	hosts   map[int]string
}

// flows reports whether something that the pattern matches flows into the match.
// The text's language may be one in which nothing is followed; then it doesn't.
func (r *run) flows(c rule.Condition, p *pattern, f found, doubt bool) bool {
	x := &r.flow
	if r.graph() == nil {
		return false
	}
	key := sought{p, c.NewHost}
	from, known := x.places[key]
	if !known {
		from.hosts = map[int]string{}
		var walk walk
		for m := range r.each(p, &walk) {
			host, ok := r.counts(c, r.source(p.matcher.Place), m)
			if !ok || p.matcher.Whole && byName(r.Language, r.source(p.matcher.Place), m) {
				continue
			}
			from.offsets = append(from.offsets, m.start)
			if c.NewHost {
				from.hosts[m.start] = host
			}
		}
		if walk.stopped {
			return doubt
		}
		slices.Sort(from.offsets)
		from.offsets = slices.Compact(from.offsets)
		x.places[key] = from
	}
	if len(from.offsets) == 0 {
		return false
	}
	span := taint.Span{Start: f.start, End: f.end}
	var path []int
	var answer taint.Answer
	if c.Within == rule.WithinGuard {
		path, answer = x.asks.Guarded(from.offsets, span, &r.Budget.flow)
	} else {
		path, answer = x.asks.Trace(from.offsets, x.graph.Sink(span), &r.Budget.flow)
	}
	switch answer {
	case taint.Yes:
		if x.path = path; c.NewHost {
			x.host = path
		}
		if len(path) > 0 {
			r.host = cmp.Or(from.hosts[path[0]], r.host)
		}
		return true
	case taint.Unknown:
		return doubt
	default:
		return false
	}
}

// along is the path of a match: that of the last condition that held, behind that of a new
// host. An address and what is sent there take different ways to the same call, and may come
// from different files.
func (x *flows) along() []int {
	out := make([]int, 0, len(x.host)+len(x.path))
	for _, offset := range x.host {
		if !slices.Contains(x.path, offset) {
			out = append(out, offset)
		}
	}
	return append(out, x.path...)
}

// graph returns what the text defines, nil for a language in which nothing is
// followed.
func (r *run) graph() *taint.Graph {
	if !r.flow.made {
		r.flow.made, r.flow.places = true, map[sought]places{}
		r.flow.graph, _ = taint.New(r.Language, r.source(rule.PlaceSource), r.lex())
		if r.flow.graph != nil {
			r.flow.asks = r.flow.graph.Questions()
		}
		r.Budget.unfollowed = r.Budget.unfollowed || r.flow.graph != nil && r.flow.graph.Full()
	}
	return r.flow.graph
}
