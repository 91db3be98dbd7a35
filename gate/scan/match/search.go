package match

import (
	"iter"
	"slices"

	"github.com/aigate/gate/gate/scan/rule"
)

// mayMatch reports whether words of a pattern were found.
func (r *run) mayMatch(p *pattern) bool {
	s, known := r.program.slot[p]
	if !known || s.named >= 0 && len(r.near[s.named]) == 0 {
		return false
	}
	for _, own := range s.exprs {
		if !slices.ContainsFunc(own, func(slot int32) bool { return len(r.near[slot]) == 0 }) {
			return true
		}
	}
	return false
}

// mayHold reports whether the words of all conditions on the whole text were
// found, before any expression runs.
func (r *run) mayHold(cs []rule.Condition) bool {
	for _, c := range cs {
		if c.Within < 0 && !r.mayMatch(r.engine.patterns[c.Matcher]) {
			return false
		}
	}
	return true
}

// matches reports whether a pattern matches anywhere in the text.
func (r *run) matches(p *pattern) bool {
	yes, done := r.known[p]
	if !done {
		for range r.each(p, new(int)) {
			yes = true
			break
		}
		r.known[p] = yes
	}
	return yes
}

// each yields the matches of a pattern in the whole text, expression by
// expression. Where windows overlap, a match may come twice. The caller may set
// done to an offset up to which it wants no more.
func (r *run) each(p *pattern, done *int) iter.Seq[found] {
	return func(yield func(found) bool) {
		if !r.mayMatch(p) {
			return
		}
		view := r.source(p.matcher.Place)
		s := r.program.slot[p]
		for i := range s.exprs {
			ends, named := r.words(s, i)
			*done = 0
			for _, w := range windows(view, ends, p.matcher.Lines) {
				if w.end <= *done || named != nil && !w.holds(named) {
					continue
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
