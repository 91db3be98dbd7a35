package taint

// Bounds on the conditions that are asked about one match.
const (
	maxGuards  = 48  // conditions
	maxValues  = 120 // stretches that flow into the match, whose conditions count, too
	maxCallers = 8   // calls of the function around a match
	guardDepth = 3   // functions around one another, by their calls
	guardFar   = 60  // tokens of a condition
	maxBefore  = 400 // tokens before a match in one block in which it may be left
)

// Guarded looks for a flow from one of the sources, given as sorted offsets, into a condition
// that decides whether a match runs, or what it is given: the head of a block around it, of one that is left before it,
// of one around a call of its function, and of one around a definition that flows into it.
// Shell has no such conditions.
func (q *Questions) Guarded(from []int, match Span, budget *int) ([]int, Answer) {
	c, ok := q.graph.program.(*code)
	if !ok || len(from) == 0 {
		return nil, No
	}
	s := newSearch(q, c.sink(match))
	s.work = *budget
	defer func() { *budget = s.work }()
	s.run(nil)
	w := &guards{src: c, search: s, seen: map[Span]bool{}}
	w.of(match.Start, 0)
	for _, v := range s.queue[:min(len(s.queue), maxValues)] {
		w.of(v.line, 1)
		w.choice(v.span)
	}
	for _, head := range w.found {
		if s.work < 0 {
			return nil, Unknown
		}
		h := newSearch(q, head)
		h.work, h.asked = s.work, true
		path, answer := h.run(from)
		if s.work = h.work; answer == Yes {
			return append(path, match.Start), Yes
		}
	}
	if s.work < 0 {
		return nil, Unknown
	}
	return nil, No
}

// guards collects the conditions around places.
type guards struct {
	src    *code
	search *search
	seen   map[Span]bool
	found  []Span
}

// of collects the conditions that decide whether what is at an offset runs.
func (w *guards) of(offset, depth int) {
	if w.src.indented {
		w.inBlocks(offset, depth)
		return
	}
	t := w.src.at(offset)
	for n := 0; n < maxDepth && w.search.work >= 0; n++ {
		w.before(t)
		o := w.around(t)
		if o < 0 {
			return
		}
		if w.src.mark(o) == '{' {
			w.left(o, t)
			w.head(o)
		}
		if f, ok := w.src.outline.bodyAt(w.src.offset(o)); ok && w.src.outline.funcs[f].name != "" {
			w.callers(w.src.outline.funcs[f].name, depth)
			return
		}
		t = o
	}
}

// around returns the bracket around a token, -1 for none.
func (w *guards) around(t int) int {
	for i := t - 1; i >= 0 && w.search.work >= 0; i-- {
		w.search.work--
		switch w.src.mark(i) {
		case ')', ']', '}':
			if w.src.pair[i] >= 0 {
				i = int(w.src.pair[i])
			}
		case '(', '[', '{':
			return i
		}
	}
	return -1
}

// choice records the condition of a value that is one of two: a ? b : c.
func (w *guards) choice(span Span) {
	start := w.src.at(span.Start)
	if w.src.indented {
		w.either(start)
		return
	}
	for i, n := start, 0; i < len(w.src.tokens) && w.src.offset(i) < span.End && n < guardFar; i, n = i+1, n+1 {
		w.search.work--
		switch c := w.src.mark(i); {
		case c == '?' && i > start:
			w.add(start, i)
			return
		case c == '(' || c == '[' || c == '{':
			i = w.src.close(i)
		}
	}
}

// add records a condition.
func (w *guards) add(from, to int) {
	span := Span{w.src.offset(from), w.src.offset(to)}
	if span.End > span.Start && !w.seen[span] && len(w.found) < maxGuards {
		w.seen[span] = true
		w.found = append(w.found, span)
	}
}

// head records the condition of the block that the brace at o opens, and those of the blocks
// that it is the alternative to.
func (w *guards) head(o int) {
	for i, n := o-1, 0; i >= 0 && n < guardFar; i, n = i-1, n+1 {
		w.search.work--
		switch c := w.src.mark(i); {
		case w.src.is(i, "else") && w.src.mark(i-1) == '}' && w.src.pair[i-1] >= 0:
			w.head(int(w.src.pair[i-1]))
			return
		case w.src.is(i, "if", "while", "switch"):
			w.add(i+1, o)
			if w.src.is(i-1, "else") && w.src.mark(i-2) == '}' && w.src.pair[i-2] >= 0 {
				w.head(int(w.src.pair[i-2]))
			}
			return
		case c == ')' || c == ']':
			if w.src.pair[i] < 0 {
				return
			}
			i = int(w.src.pair[i])
		case c == '{' || c == '}' || c == '(' || c == '[' || w.src.tokens[i].kind == newline || w.src.is(i, "=>", "func", "function", "for"):
			return
		}
	}
}

// before records the condition in front of token t in its own statement: if (a) t, a && t, a ? t : u.
func (w *guards) before(t int) {
	last := -1
	for i, n := t-1, 0; i >= 0 && n < guardFar; i, n = i-1, n+1 {
		w.search.work--
		switch c := w.src.mark(i); {
		case c == ')' || c == ']' || c == '}':
			if w.src.pair[i] < 0 {
				return
			}
			if c == '}' && last < 0 {
				return
			}
			if o := int(w.src.pair[i]); c == ')' && w.src.is(o-1, "if", "while") {
				w.add(o, i)
				return
			}
			i = int(w.src.pair[i])
		case c == '(' || c == '[' || c == '{' || c == ';':
			if last >= 0 {
				w.add(i+1, last)
			}
			return
		case w.src.tokens[i].kind == newline && last >= 0:
			w.add(i+1, last)
			return
		case w.src.is(i, "&&", "||") || c == '?':
			last = max(last, i)
		}
	}
}

// left records the conditions under which the block that the brace at o opens is left before
// token t.
func (w *guards) left(o, t int) {
	for i := max(o+1, t-maxBefore); i < t && w.search.work >= 0; i++ {
		w.search.work--
		if !w.src.is(i, "if") || w.src.depth[i] != w.src.depth[o]+1 {
			continue
		}
		head, body := i+1, -1
		for n := head; n < t && n-head < guardFar; n++ {
			if w.src.mark(n) == '{' {
				body = n
				break
			}
			if c := w.src.mark(n); c == '(' || c == '[' {
				n = w.src.close(n)
				if w.src.mark(n+1) != '{' && n == w.src.close(head) {
					body = n
					break
				}
			}
		}
		if body > 0 && w.leaves(body, t) {
			w.add(head, body)
		}
	}
}

// leaves reports whether the branch behind token b ends what is around it, before token t.
func (w *guards) leaves(b, t int) bool {
	if w.src.mark(b) != '{' {
		return w.src.is(b+1, "return", "throw", "continue", "break")
	}
	end := w.src.close(b)
	if end >= t {
		return false
	}
	for i := b + 1; i < end && i-b < guardFar; i++ {
		if w.src.depth[i] == w.src.depth[b]+1 && w.src.is(i, "return", "throw", "continue", "break", "panic") {
			return true
		}
	}
	return false
}

// callers collects the conditions around the calls of a function.
func (w *guards) callers(name string, depth int) {
	if depth >= guardDepth || len(name) < 3 {
		return
	}
	calls := 0
	w.search.work -= len(w.src.tokens) / 16
	for t := range w.src.tokens {
		if !w.src.isName(t) || !w.src.is(t, name) || w.src.outline.heads[int32(t)] || w.src.indented && w.src.is(t-1, "def") {
			continue
		}
		if calls++; calls > maxCallers {
			return
		}
		w.of(w.src.offset(t), depth+1)
	}
}
