package taint

import (
	"slices"
	"sort"
)

// Bounds on the functions and blocks of one text; what is beyond is not followed. Where there
// are more functions, the graph says so.
const (
	MaxFunctions = 100_000
	maxSame      = 32  // functions of one name
	maxDepth     = 200 // blocks that are open at a time
)

// function is a function, method, or function literal.
type function struct {
	name string // "" for a literal
	// receiver is the name that a method of Go gives its object.
	receiver string
	body     Span
	scope    int32 // the function around it, -1 for none
	params   []string
	// defaults are what parameters hold where a call leaves them out, by their number.
	defaults map[int]Span
	given    []Span // what flows into all of its parameters, besides the arguments of calls
	returns  []Span
	// results are the names of what a function of Go gives back, where it names them, and bare
	// the offsets of the returns without values, which give these back.
	results []string
	bare    []int
	// whole says that what the function gives back is not marked: a shell function
	// gives back what its commands print.
	whole bool
	// shown says that its body belongs to the expression around it.
	shown bool
}

// block is a stretch that is run or not run as one.
type block struct {
	Span
	parent int32
	loop   bool
}

// outline holds the functions and the blocks of a text, and which is in which.
type outline struct {
	funcs  []function         // sorted by where their bodies begin, once settled
	named  map[string][]int32 // functions by name, once settled
	heads  map[int32]bool     // the tokens with which functions in braces begin: their names, where they have one
	blocks []block            // sorted by start, once settled; blocks[0] is the whole text
	guards []Span             // what runs only as the main program
}

func newOutline(size int) *outline {
	return &outline{named: map[string][]int32{}, heads: map[int32]bool{}, blocks: []block{{Span: Span{0, size + 1}, parent: -1}}}
}

// addFunction returns the index of a new function, -1 where there are too many.
func (o *outline) addFunction(f function) int32 {
	if o.full() {
		return -1
	}
	o.funcs = append(o.funcs, f)
	return int32(len(o.funcs) - 1)
}

// full reports whether there are as many functions as are followed.
func (o *outline) full() bool { return len(o.funcs) >= MaxFunctions }

// addBlock returns the index of a new block.
func (o *outline) addBlock(span Span, loop bool) int32 {
	o.blocks = append(o.blocks, block{Span: span, loop: loop})
	return int32(len(o.blocks) - 1)
}

// shut ends a block, and the function that it is the body of, if fn is one.
func (o *outline) shut(block, fn int32, at int) {
	o.blocks[block].End = at
	if fn >= 0 {
		o.funcs[fn].body.End = at
	}
}

// returns records what a function returns.
func (o *outline) returns(fn int32, value Span) {
	if fn >= 0 && value.End > value.Start {
		o.funcs[fn].returns = append(o.funcs[fn].returns, value)
	}
}

// returnsNamed records a return without values, which returns the named results.
func (o *outline) returnsNamed(fn int32, at int) {
	if fn >= 0 && len(o.funcs[fn].results) > 0 && len(o.funcs[fn].bare) < maxSame {
		o.funcs[fn].bare = append(o.funcs[fn].bare, at)
	}
}

// outer returns the function around one while the text is being read.
func (o *outline) outer(fn int32) int32 {
	for i := fn - 1; i >= 0 && fn-i < maxDepth; i-- {
		if o.funcs[i].body.holds(o.funcs[fn].body.Start) {
			return i
		}
	}
	return -1
}

// settle sorts functions and blocks by start, gives each the one around it, and
// files functions by name. Nothing is added afterwards.
func (o *outline) settle() {
	slices.SortStableFunc(o.blocks, func(a, b block) int { return outside(a.Span, b.Span) })
	nest(len(o.blocks), func(i int32) Span { return o.blocks[i].Span }, func(i, parent int32) { o.blocks[i].parent = parent })
	slices.SortStableFunc(o.funcs, func(a, b function) int { return outside(a.body, b.body) })
	nest(len(o.funcs), func(i int32) Span { return o.funcs[i].body }, func(i, parent int32) { o.funcs[i].scope = parent })
	for i, f := range o.funcs {
		if f.name != "" && len(o.named[f.name]) < maxSame {
			o.named[f.name] = append(o.named[f.name], int32(i))
		}
	}
}

// nest tells set for each of n sorted stretches which one is around it, -1 for none.
func nest(n int, span func(i int32) Span, set func(i, parent int32)) {
	var open []int32
	for i := range int32(n) {
		for len(open) > 0 && span(open[len(open)-1]).End <= span(i).Start {
			open = open[:len(open)-1]
		}
		parent := int32(-1)
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		set(i, parent)
		open = append(open, i)
	}
}

// scopeAt returns the innermost function around an offset, -1 for none.
func (o *outline) scopeAt(offset int) int32 {
	i := int32(sort.Search(len(o.funcs), func(i int) bool { return o.funcs[i].body.Start > offset })) - 1
	for ; i >= 0; i = o.funcs[i].scope {
		if o.funcs[i].body.holds(offset) {
			return i
		}
	}
	return -1
}

// blockAt returns the innermost block around an offset.
func (o *outline) blockAt(offset int) int32 {
	i := int32(sort.Search(len(o.blocks), func(i int) bool { return o.blocks[i].Start > offset })) - 1
	for ; i > 0; i = o.blocks[i].parent {
		if o.blocks[i].holds(offset) {
			return i
		}
	}
	return 0
}

// around reports whether block a is b or around it.
func (o *outline) around(a, b int32) bool {
	for ; b >= 0; b = o.blocks[b].parent {
		if a == b {
			return true
		}
	}
	return false
}

// bodyAt returns the function whose body begins at an offset.
func (o *outline) bodyAt(offset int) (int32, bool) {
	i := sort.Search(len(o.funcs), func(i int) bool { return o.funcs[i].body.Start >= offset })
	return int32(i), i < len(o.funcs) && o.funcs[i].body.Start == offset
}

// guarded reports whether what is at an offset runs only as the main program.
func (o *outline) guarded(offset int) bool {
	return slices.ContainsFunc(o.guards, func(guard Span) bool { return guard.holds(offset) })
}
