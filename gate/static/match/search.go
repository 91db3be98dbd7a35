package match

import (
	"iter"
	"slices"

	"github.com/aigate/gate/gate/static/rule"
)

// mayMatch reports whether words of a pattern were found.
func (r *run) mayMatch(p *pattern) bool {
	s, known := r.program.slot[p]
	return known && holdsWords(r.near, s)
}

// holdsWords reports whether words of the pattern of those slots were found, near which it may match.
func holdsWords(near [][]int32, s slots) bool {
	if s.named >= 0 && len(near[s.named]) == 0 {
		return false
	}
	for _, own := range s.exprs {
		if !slices.ContainsFunc(own, func(slot int32) bool { return len(near[slot]) == 0 }) {
			return true
		}
	}
	return false
}

// mayHold reports whether the words of all conditions on the whole text were
// found, before any expression runs.
func (r *run) mayHold(cs []rule.Condition) bool {
	var may func(c rule.Condition) bool
	may = func(c rule.Condition) bool {
		if len(c.Any) > 0 {
			return slices.ContainsFunc(c.Any, may)
		}
		return c.Within >= 0 || r.mayMatch(r.engine.patterns[c.Matcher])
	}
	return !slices.ContainsFunc(cs, func(c rule.Condition) bool { return !may(c) })
}

// matches reports whether a pattern matches anywhere in the text. doubt is the
// answer when a bound was reached.
func (r *run) matches(p *pattern, doubt bool) bool {
	yes, done := r.known[p]
	if done {
		return yes
	}
	var walk walk
	for range r.each(p, &walk) {
		yes = true
		break
	}
	if !yes && walk.stopped {
		return doubt
	}
	r.known[p] = yes
	return yes
}

// walk is how far a search has come.
type walk struct {
	done    int  // the offset up to which anyone who asked wants no more
	stopped bool // a bound was reached, and the rest is not known
	starts  bool // only what begins where [Text.Starts] says is asked for
}

// each yields the matches of a pattern in the whole text, expression by
// expression. Where windows overlap, a match may come twice.
func (r *run) each(p *pattern, walk *walk) iter.Seq[found] {
	return func(yield func(found) bool) {
		if !r.mayMatch(p) {
			return
		}
		view := r.source(p.matcher.Place)
		s := r.program.slot[p]
		for i := range s.exprs {
			ends, named := r.words(s, i)
			walk.done = 0
			for w := range windows(view, ends, p.matcher.Lines) {
				if w.end <= walk.done || walk.starts && !r.begins(window{w.start, w.end + 1}) || named != nil && !w.holds(named) {
					continue
				}
				if !r.spend(w, true) {
					walk.stopped = true
					return
				}
				for _, f := range r.search(&p.exprs[i], p.matcher.Place, view, w) {
					if !yield(f) {
						return
					}
				}
			}
		}
	}
}

// words returns where expression i of a pattern has to be tried: around the
// rarest of its own words and of those that the author named, which have to be
// in the window, too, where they are not the rarest.
func (r *run) words(s slots, i int) (ends, named []int32) {
	rarest := int32(-1)
	for _, slot := range s.exprs[i] {
		if rarest < 0 || len(r.near[slot]) < len(r.near[rarest]) {
			rarest = slot
		}
	}
	switch {
	case s.named < 0:
		return r.near[rarest], nil // each pattern has one or the other
	case rarest < 0 || len(r.near[s.named]) < len(r.near[rarest]):
		return r.near[s.named], nil
	default:
		return r.near[rarest], r.near[s.named]
	}
}
