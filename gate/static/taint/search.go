package taint

import "sort"

// Answer is what [Graph.Trace] found out.
type Answer uint8

// The answers. A bound that was reached makes Unknown, never No.
const (
	No Answer = iota + 1
	Yes
	Unknown
)

// The most steps of a path. Every step is a guess about names, and a reader has to
// be able to check them. In bundles of JavaScript many things have the same name.
const (
	maxSteps       = 6
	maxScriptSteps = 5
)

// visit is a stretch that flows into the one that it was reached from.
type visit struct {
	span Span
	via  int32 // index of the visit before, -1 for the sink
	line int   // offset that stands for it in the path
	step int   // how far it is from the sink
}

// search is one question.
type search struct {
	outline *outline
	defs    *definitions
	program program
	from    []int          // the sources, sorted
	most    int            // steps of a path
	seen    map[int32]bool // definitions
	done    map[int32]bool // functions whose results were followed
	queue   []visit
	work    int  // what is left of the budget
	asked   bool // what is asked about a value counts as the value: the search begins in a condition
}

func newSearch(g *Graph, from []int, budget int) *search {
	return &search{outline: g.outline, defs: g.defs, program: g.program, from: from, most: g.most, seen: map[int32]bool{}, done: map[int32]bool{}, work: budget}
}

// run looks for a path into an expression, breadth first.
func (s *search) run(into Span) ([]int, Answer) {
	s.queue = append(s.queue, visit{into, -1, into.Start, 0})
	for i := 0; i < len(s.queue) && s.work >= 0; i++ {
		if at, ok := s.program.expand(s, int32(i)); ok {
			return s.path(at, int32(i)), Yes
		}
	}
	if s.work < 0 {
		return nil, Unknown
	}
	return nil, No
}

// path lists the offsets from a place to the sink.
func (s *search) path(at int, last int32) []int {
	out := []int{at}
	for i := last; i >= 0; i = s.queue[i].via {
		out = append(out, s.queue[i].line)
	}
	return out
}

// places are those within a stretch.
func (s *search) places(span Span) []int {
	lo := sort.SearchInts(s.from, span.Start)
	return s.from[lo:sort.SearchInts(s.from, span.End)]
}

// follow goes on to the definitions of a name.
func (s *search) follow(n string, offset int, i int32) {
	s.work -= 1 + len(s.defs.byName[n])/8
	if s.work < 0 {
		return
	}
	for _, d := range s.defs.reaching(n, offset) {
		s.work--
		if s.seen[d] {
			continue
		}
		s.seen[d] = true
		for _, v := range s.defs.defs[d].values {
			s.next(v, i, s.defs.defs[d].line)
		}
	}
}

// next queues a stretch that flows into the one of visit i.
func (s *search) next(span Span, i int32, line int) {
	if step := s.queue[i].step + 1; step <= s.most {
		s.queue = append(s.queue, visit{span, i, line, step})
	}
}

// results goes on to what a function gives back.
func (s *search) results(f, i int32) {
	if s.done[f] {
		return
	}
	s.done[f] = true
	fn := &s.outline.funcs[f]
	for _, r := range fn.returns {
		s.next(r, i, r.Start)
	}
	for _, at := range fn.bare {
		for _, n := range fn.results {
			s.follow(n, at, i)
		}
	}
	if fn.whole {
		s.next(fn.body, i, fn.body.Start)
	}
}
