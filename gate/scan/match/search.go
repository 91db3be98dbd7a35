package match

import (
	"iter"

	"github.com/aigate/gate/gate/scan/rule"
)

// mayMatch reports whether words of a pattern were found.
func (r *run) mayMatch(p *pattern) bool {
	s, known := r.program.slot[p]
	if !known || s.named >= 0 && len(r.near[s.named]) == 0 {
		return false
	}
	for _, slot := range s.exprs {
		if slot < 0 || len(r.near[slot]) > 0 {
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
			ends, filter := r.words(s, i)
			*done = 0
			for _, w := range windows(view, ends, p.matcher.Lines) {
				if w.end <= *done || filter != nil && !w.holds(filter) {
					continue
				}
				for _, f := range r.search(p.expression(i), p.matcher.Place, view, w) {
					if !yield(f) {
						return
					}
				}
			}
		}
	}
}

// words returns where expression i of a pattern has to be tried: around the
// rarer of its own words and those that the author named. The others, where
// there are both, must be in the window too.
func (r *run) words(s slots, i int) (ends, filter []int32) {
	own := s.exprs[i]
	switch {
	case own < 0:
		return r.near[s.named], nil
	case s.named < 0:
		return r.near[own], nil
	case len(r.near[own]) == 0 || len(r.near[s.named]) == 0:
		return nil, nil
	case len(r.near[own]) <= len(r.near[s.named]):
		return r.near[own], r.near[s.named]
	default:
		return r.near[s.named], r.near[own]
	}
}
