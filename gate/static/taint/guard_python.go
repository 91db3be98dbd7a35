package taint

// inBlocks collects the conditions that decide whether what is at an offset of a text of Python
// runs: the heads of the blocks around it, and of blocks before it that leave them.
func (w *guards) inBlocks(offset, depth int) {
	w.inStatement(w.src.at(offset))
	o := w.src.outline
	for b, n := o.blockAt(offset), 0; b > 0 && n < maxDepth && w.search.work >= 0; b, n = o.blocks[b].parent, n+1 {
		w.leftBefore(b, offset)
		w.opens(b)
		if f, ok := o.bodyAt(o.blocks[b].Start); ok {
			if name := o.funcs[f].name; name != "" {
				w.callers(name, depth)
			}
			return
		}
	}
	w.leftBefore(0, offset) // sys.exit and raise at the top
}

// opens records the condition in the head of a block, and those of the blocks that it is the
// alternative to.
func (w *guards) opens(b int32) {
	o := w.src.outline
	for range maxSame {
		from, colon := w.headOf(b)
		switch {
		case w.src.is(from, "if", "elif", "while", "case"):
			w.add(from+1, colon)
		case !w.src.is(from, "else"):
			return
		}
		if !w.src.is(from, "elif", "else") {
			return
		}
		before := w.beside(b, w.src.offset(from))
		if before <= 0 {
			return
		}
		if b = before; o.blocks[b].loop {
			return
		}
	}
}

// headOf returns the tokens between which the head of a block is: its keyword and its colon.
func (w *guards) headOf(b int32) (from, colon int) {
	colon = w.src.at(w.src.outline.blocks[b].Start) - 1
	from = colon
	for n := 0; from > 0 && n < guardFar && w.search.work >= 0; n++ {
		w.search.work--
		if c := w.src.mark(from - 1); c == ';' || w.src.tokens[from-1].kind == newline {
			break
		}
		from--
	}
	return from, colon
}

// beside returns the block that ends at an offset, in the same block as b; -1 for none.
func (w *guards) beside(b int32, at int) int32 {
	o := w.src.outline
	for i := b - 1; i > 0 && b-i < maxDepth && w.search.work >= 0; i-- {
		w.search.work--
		if o.blocks[i].parent == o.blocks[b].parent {
			if o.blocks[i].End <= at {
				return i
			}
			return -1
		}
	}
	return -1
}

// leftBefore records the conditions under which block b is left before an offset in it.
func (w *guards) leftBefore(b int32, offset int) {
	o := w.src.outline
	for i := b + 1; int(i) < len(o.blocks) && o.blocks[i].Start < offset && w.search.work >= 0; i++ {
		w.search.work--
		if o.blocks[i].parent != b || o.blocks[i].End > offset {
			continue
		}
		from, colon := w.headOf(i)
		if !w.src.is(from, "if", "elif") {
			continue
		}
		for t, n := colon+1, 0; t < len(w.src.tokens) && w.src.offset(t) < o.blocks[i].End && n < guardFar; t, n = t+1, n+1 {
			if w.src.is(t, "return", "raise", "continue", "break", "exit") && o.blockAt(w.src.offset(t)) == i {
				w.add(from+1, colon)
				break
			}
		}
	}
}

// inStatement records the conditions in the statement of token t: a and t, t if a else b.
func (w *guards) inStatement(t int) {
	last := -1
	for i, n := t-1, 0; i >= 0 && n < guardFar; i, n = i-1, n+1 {
		w.search.work--
		c := w.src.mark(i)
		switch {
		case (c == ')' || c == ']' || c == '}') && w.src.pair[i] >= 0:
			i = int(w.src.pair[i])
		case c == ';' || c == '(' || c == '[' || c == '{' || w.src.tokens[i].kind == newline:
			if last >= 0 {
				w.add(i+1, last)
			}
			w.either(t)
			return
		case w.src.is(i, "and", "or"):
			last = max(last, i)
		}
	}
	if last >= 0 { // the statement begins the text
		w.add(0, last)
	}
	w.either(t)
}

// either records the condition of the first value behind token t that is one of two: a if b else c.
func (w *guards) either(t int) {
	from := -1
	for i, n := t, 0; i < len(w.src.tokens) && n < guardFar; i, n = i+1, n+1 {
		w.search.work--
		switch c := w.src.mark(i); {
		case c == '(' || c == '[' || c == '{':
			i = w.src.close(i)
		case c == ';' || w.src.tokens[i].kind == newline:
			return
		case w.src.is(i, "if"):
			from = i + 1
		case w.src.is(i, "else") && from > 0:
			w.add(from, i)
			return
		}
	}
}
