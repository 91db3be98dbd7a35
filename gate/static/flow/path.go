package flow

import (
	"sort"
	"strings"

	"github.com/aigate/gate/gate"
)

// Answer is what [Graph.Path] found out.
type Answer uint8

// The answers. A bound that was reached makes Unknown, never No.
const (
	No Answer = iota + 1
	Yes
	Unknown
)

// The most steps of a way. Every step is a guess about names, and a reader has to
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

// Path looks for a way from one of the places, given as sorted offsets, into the
// expression. The path has an offset on each line that it leads over, from the
// place to the expression. Of several the shortest is taken. Each token and
// definition that is looked at is taken off the budget; when nothing is left, the
// answer is Unknown.
func (g *Graph) Path(from []int, into Span, budget *int) ([]int, Answer) {
	s := &search{Graph: g, from: from, seen: map[int32]bool{}, done: map[int32]bool{}, work: *budget}
	defer func() { *budget = s.work }()
	s.queue = append(s.queue, visit{into, -1, into.Start, 0})
	for i := 0; i < len(s.queue) && s.work >= 0; i++ {
		if at, ok := s.expand(int32(i)); ok {
			return s.path(at, int32(i)), Yes
		}
	}
	if s.work < 0 {
		return nil, Unknown
	}
	return nil, No
}

// search is one question.
type search struct {
	*Graph
	from  []int
	seen  map[int32]bool // definitions
	done  map[int32]bool // functions whose results were followed
	queue []visit
	work  int
}

// path lists the offsets from a place to the sink.
func (s *search) path(at int, last int32) []int {
	out := []int{at}
	for i := last; i >= 0; i = s.queue[i].via {
		out = append(out, s.queue[i].line)
	}
	return out
}

// expand looks at one stretch: whether a place lies in it, and what flows into
// the names in it.
func (s *search) expand(i int32) (at int, ok bool) {
	if s.script != nil {
		return s.expandShell(i)
	}
	span := s.queue[i].span
	t := s.at(span.Start)
	places := s.places(span)
	for t < len(s.tokens) && int(s.tokens[t].start) < span.End {
		s.work--
		start := int(s.tokens[t].start)
		if end, skip := s.skips(t, span, i); skip {
			for len(places) > 0 && places[0] < s.offset(end) {
				if places[0] < start {
					return places[0], true
				}
				places = places[1:]
			}
			t = end
			continue
		}
		if len(places) > 0 && places[0] <= start {
			return places[0], true
		}
		if s.isName(t) {
			s.use(t, i)
		}
		t++
	}
	if len(places) > 0 {
		return places[0], true
	}
	return 0, false
}

// places are those within a stretch.
func (s *search) places(span Span) []int {
	lo := sort.SearchInts(s.from, span.Start)
	return s.from[lo:sort.SearchInts(s.from, span.End)]
}

// skips returns the end of what begins at token t and doesn't flow: the body of
// a function literal, of which only the results count, and the arguments of
// calls that only ask about a value.
func (s *search) skips(t int, span Span, i int32) (end int, skip bool) {
	if s.mark(t) == '(' && t > 0 && s.isName(t-1) && s.asks(t-1) {
		return s.close(t), true
	}
	if s.isName(t) && aside[s.text(t)] && s.is(t+1, "=") && s.keyOnly(t) {
		for end = t + 2; end < len(s.tokens) && s.depth[end] >= s.depth[t] && !(s.mark(end) == ',' && s.depth[end] == s.depth[t]); end++ {
		}
		return end, true
	}
	f, ok := s.bodyAt(s.offset(t))
	if !ok || s.funcs[f].shown || s.offset(t) == span.Start {
		return 0, false
	}
	body := s.funcs[f].body
	s.results(f, i)
	return max(t+1, s.at(body.End)), true
}

// asks reports whether the function whose name is token t only asks about what it
// is given.
func (s *search) asks(t int) bool {
	if s.mark(t-1) == '.' && !s.is(t, "existsSync", "isfile", "isdir") {
		return s.is(t, "keys") && s.is(t-2, "Object") || s.is(t, "exists") && s.is(t-2, "path")
	}
	return neutral[s.text(t)]
}

// aside are arguments that say how something is done and not with what.
var aside = map[string]bool{"env": true, "cwd": true, "timeout": true, "encoding": true, "verify": true, "cert": true, "auth": true}

// neutral are functions whose result doesn't hold what they are given.
var neutral = map[string]bool{"len": true, "bool": true, "isinstance": true, "type": true, "hasattr": true, "callable": true, "id": true,
	"existsSync": true, "isfile": true, "isdir": true, "typeof": true, "cap": true}

// neutralMethods are those of a value that only answer a question about it.
var neutralMethods = map[string]bool{"startswith": true, "endswith": true, "exists": true, "is_file": true, "is_dir": true, "isdigit": true,
	"startsWith": true, "endsWith": true, "includes": true, "length": true, "status_code": true, "ok": true, "StatusCode": true, "Status": true,
	"size": true, "statusCode": true}

// use follows the name at token t.
func (s *search) use(t int, i int32) {
	if s.mark(t-1) == '.' || s.is(t-1, "?.") {
		s.method(t, i)
		return
	}
	if s.keyOnly(t) {
		return
	}
	n := s.text(t)
	full := n
	if s.mark(t+1) == '.' && s.isName(t+2) {
		if neutralMethods[s.text(t+2)] {
			return
		}
		full = n + "." + s.text(t+2)
	}
	offset := s.offset(t)
	if full != n {
		s.follow(full, offset, i)
	}
	if !receivers[n] {
		s.follow(n, offset, i)
	}
	for _, f := range s.named[n] {
		s.results(f, i)
	}
}

// keyOnly reports whether a name is that of an argument or a key, and not of a
// value.
func (s *search) keyOnly(t int) bool {
	before := s.mark(t - 1)
	opens := before == '(' || before == ',' || before == '{'
	switch s.mark(t + 1) {
	case '=':
		return opens && s.depth[t] > 0
	case ':':
		return opens && before != '('
	}
	return false
}

// method follows a call of a method that the text defines.
func (s *search) method(t int, i int32) {
	if s.mark(t+1) != '(' || t < 2 {
		return
	}
	n := s.text(t)
	fs := s.named[n]
	if len(fs) == 0 || !receivers[s.text(t-2)] && (len(fs) > 1 || len(n) < 6) {
		return
	}
	for _, f := range fs {
		s.results(f, i)
	}
}

// follow goes on to the definitions of a name.
func (s *search) follow(n string, offset int, i int32) {
	s.work -= 1 + len(s.byName[n])/8
	if s.work < 0 {
		return
	}
	for _, d := range s.reaching(n, offset) {
		s.work--
		if s.seen[d] {
			continue
		}
		s.seen[d] = true
		for _, v := range s.defs[d].values {
			s.next(v, i, s.defs[d].line)
		}
	}
}

// next queues a stretch that flows into the one of visit i.
func (s *search) next(span Span, i int32, line int) {
	most := maxSteps
	if s.lang == gate.LanguageJavaScript || s.lang == gate.LanguageTypeScript {
		most = maxScriptSteps
	}
	if step := s.queue[i].step + 1; step <= most {
		s.queue = append(s.queue, visit{span, i, line, step})
	}
}

// results goes on to what a function gives back.
func (s *search) results(f, i int32) {
	if s.done[f] {
		return
	}
	s.done[f] = true
	fn := &s.funcs[f]
	for _, r := range fn.returns {
		s.next(r, i, r.Start)
	}
	if fn.whole {
		s.next(fn.body, i, fn.body.Start)
	}
}

// bodyAt returns the function whose body begins at an offset.
func (g *Graph) bodyAt(offset int) (int32, bool) {
	i := sort.Search(len(g.funcs), func(i int) bool { return g.funcs[i].body.Start >= offset })
	return int32(i), i < len(g.funcs) && g.funcs[i].body.Start == offset
}

// receivers are the names under which a method knows its own object.
var receivers = map[string]bool{"self": true, "this": true, "cls": true}

// member reports whether a name is that of a field of the own object, which all
// methods share.
func member(n string) bool {
	r, _, dotted := strings.Cut(n, ".")
	return dotted && receivers[r]
}
