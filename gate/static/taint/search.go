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

// Questions are those about one graph. They share what one of them found out: many rules ask
// about the same sink. They are for one goroutine.
type Questions struct {
	graph   *Graph
	into    map[Span]*search // by sink
	visits  int              // of all of those
	reached map[int32]reached
}

// Questions returns what answers questions about the graph.
func (g *Graph) Questions() *Questions {
	return &Questions{graph: g, into: map[Span]*search{}, reached: map[int32]reached{}}
}

// maxVisits bounds the stretches that are kept of sinks asked about before.
const maxVisits = 100_000

// reached are the definitions that a use of a name may see.
type reached struct {
	defs  []int32
	price int // of finding them
}

// Trace looks for a flow from one of the sources, given as sorted offsets, into the
// sink. The trace has an offset on each line that it leads over, from the
// source to the sink. Of several the shortest is taken. Each token and
// definition that is looked at is taken off the budget; when nothing is left, the
// answer is Unknown.
func (q *Questions) Trace(from []int, sink Span, budget *int) ([]int, Answer) {
	s := q.into[sink]
	if s == nil {
		if q.visits > maxVisits {
			q.into, q.visits = map[Span]*search{}, 0
		}
		s = newSearch(q, sink)
		q.into[sink] = s
	}
	before := len(s.queue)
	s.work = *budget
	path, answer := s.run(from)
	*budget = s.work
	q.visits += len(s.queue) - before
	return path, answer
}

// visit is a stretch that flows into the one that it was reached from.
type visit struct {
	span Span
	via  int32 // index of the visit before, -1 for the sink
	line int   // offset that stands for it in the path
	step int   // how far it is from the sink
	// aside are the stretches in it that don't flow, sorted: from behind where each begins.
	aside []Span
}

// search is what flows into one sink, as far as anyone asked.
type search struct {
	outline   *outline
	defs      *definitions
	program   program
	most      int     // steps of a path
	seen      numbers // definitions
	done      numbers // functions whose results were followed
	queue     []visit
	expanded  int // how many of them were looked at
	questions *Questions
	work      int  // what is left of the budget
	asked     bool // what is asked about a value counts as the value: the search begins in a condition
}

func newSearch(q *Questions, into Span) *search {
	return &search{outline: q.graph.outline, defs: q.graph.defs, program: q.graph.program, most: q.graph.most, questions: q, queue: []visit{{span: into, via: -1, line: into.Start}}}
}

// run looks for a path from one of the sources, breadth first. Without any it only looks at all
// that flows into the sink.
func (s *search) run(from []int) ([]int, Answer) {
	for i := 0; i < len(s.queue) && s.work >= 0; i++ {
		if s.work--; i == s.expanded {
			s.program.expand(s, int32(i))
			s.expanded++
		}
		if at, ok := s.queue[i].first(from); ok {
			return s.path(at, int32(i)), Yes
		}
	}
	if s.work < 0 {
		return nil, Unknown
	}
	return nil, No
}

// first returns the first of some sorted places that flows from the stretch.
func (v *visit) first(places []int) (at int, ok bool) {
	lo := sort.SearchInts(places, v.span.Start)
	places = places[lo:sort.SearchInts(places, v.span.End)]
	for _, a := range v.aside {
		for len(places) > 0 && places[0] < a.End {
			if places[0] < a.Start {
				return places[0], true
			}
			places = places[1:]
		}
	}
	if len(places) > 0 {
		return places[0], true
	}
	return 0, false
}

// numbers is a set of small numbers.
type numbers []uint64

// add adds one of fewer than that many, and reports whether it is new.
func (n *numbers) add(i int32, of int) bool {
	if *n == nil {
		*n = make(numbers, of/64+1)
	}
	word, bit := &(*n)[i/64], uint64(1)<<(i%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// path lists the offsets from a place to the sink.
func (s *search) path(at int, last int32) []int {
	out := []int{at}
	for i := last; i >= 0; i = s.queue[i].via {
		out = append(out, s.queue[i].line)
	}
	return out
}

// follow goes on to the definitions of a name.
func (s *search) follow(n string, offset int, i int32) {
	s.reach(reached{s.defs.reaching(n, offset), 1 + len(s.defs.byName[n])/8}, i)
}

// reach goes on to definitions.
func (s *search) reach(r reached, i int32) {
	if s.work -= r.price; s.work < 0 {
		return
	}
	for _, d := range r.defs {
		s.work--
		if !s.seen.add(d, len(s.defs.defs)) {
			continue
		}
		for _, v := range s.defs.defs[d].values {
			s.next(v, i, s.defs.defs[d].line)
		}
	}
}

// use goes on to the definitions of a name that a token has, alone or with its member: what they
// are doesn't depend on the sink.
func (s *search) use(t int, member bool, n string, offset int, i int32) {
	key := 2 * int32(t)
	if member {
		key++
	}
	r, known := s.questions.reached[key]
	if !known {
		r = reached{s.defs.reaching(n, offset), 1 + len(s.defs.byName[n])/8}
		s.questions.reached[key] = r
	}
	s.reach(r, i)
}

// next queues a stretch that flows into the one of visit i.
func (s *search) next(span Span, i int32, line int) {
	if step := s.queue[i].step + 1; step <= s.most {
		s.queue = append(s.queue, visit{span: span, via: i, line: line, step: step})
	}
}

// results goes on to what a function gives back.
func (s *search) results(f, i int32) {
	if !s.done.add(f, len(s.outline.funcs)) {
		return
	}
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
