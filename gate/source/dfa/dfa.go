package dfa

import (
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Bounds of an expression's automaton. What is beyond them is left to package regexp.
const (
	maxInstructions = 4000
	maxClasses      = 250
	// maxWords is the size of the states that one goroutine's automaton keeps, in numbers
	// of 32 bits. When it is full, the automaton begins again.
	maxWords = 8 << 10
	// An expression that counts may need a new state for every byte, which costs more than
	// package regexp does: a text may lead to so many new ones, and more by its length.
	leastNew = 64
	perNew   = 16 // bytes of text
	maxTries = 8  // texts that lead to more, after which no text is tried
)

// Expr is an expression that says whether it matches. It is safe for concurrent use.
type Expr struct {
	prog    *syntax.Prog
	ascii   [utf8.RuneSelf]uint8 // the class of a rune
	borders []rune               // the first rune of each class, sorted
	end     int                  // the class of the end of the text
	word    []bool               // of a class, whether its runes count as part of a word
	byLine  bool                 // see Parts
	counts  bool                 // it has a repetition with a number

	mu     sync.Mutex
	free   []*machine
	freeOn []*machine // those that go on
	tries  int        // texts that led to too many states
}

// New reads an expression as package regexp does. It returns nil where it can't be read,
// and where it is too large to be worth it.
func New(text string) *Expr {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil
	}
	counts := counted(tree)
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxInstructions {
		return nil
	}
	e := &Expr{prog: prog, counts: counts, byLine: takesSomething(tree) && !slices.ContainsFunc(prog.Inst, atBegin)}
	if !e.classify() {
		return nil
	}
	return e
}

// Counts reports whether the expression asks for so many repetitions of something. Texts
// can lead such an automaton to any number of states, all others to few.
func (e *Expr) Counts() bool { return e.counts }

// atBegin reports whether an instruction asks for the begin of the text, for which that of a part
// would pass. At the end of a part nothing has begun to match, so nothing asks for the end there.
func atBegin(in syntax.Inst) bool {
	return in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&syntax.EmptyBeginText != 0
}

// takesSomething reports whether all matches have at least one rune, as far as is easily known.
func takesSomething(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpLiteral:
		return len(tree.Rune) > 0
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return takesSomething(tree.Sub[0])
	case syntax.OpRepeat:
		return tree.Min > 0 && takesSomething(tree.Sub[0])
	case syntax.OpConcat:
		return slices.ContainsFunc(tree.Sub, takesSomething)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(tree.Sub, func(s *syntax.Regexp) bool { return !takesSomething(s) })
	}
	return false
}

// manyTimes is the lowest number of repetitions that counts.
const manyTimes = 8

func counted(tree *syntax.Regexp) bool {
	return tree.Op == syntax.OpRepeat && (tree.Min >= manyTimes || tree.Max >= manyTimes) || slices.ContainsFunc(tree.Sub, counted)
}

// classify splits all runes into ranges that no instruction tells apart.
func (e *Expr) classify() bool {
	borders := map[rune]bool{0: true}
	between := func(first, last rune) {
		borders[first] = true
		borders[last+1] = true
	}
	between('\n', '\n')
	between('0', '9')
	between('A', 'Z')
	between('_', '_')
	between('a', 'z')
	for i := range e.prog.Inst {
		in := &e.prog.Inst[i]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1:
			if len(in.Rune) == 1 {
				r := in.Rune[0]
				between(r, r)
				for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
					between(o, o)
				}
			}
			for j := 0; j+1 < len(in.Rune); j += 2 {
				between(in.Rune[j], in.Rune[j+1])
			}
		}
	}
	for r := range borders {
		if r <= unicode.MaxRune {
			e.borders = append(e.borders, r)
		}
	}
	if len(e.borders) >= maxClasses {
		return false
	}
	slices.Sort(e.borders)
	for _, r := range e.borders {
		e.word = append(e.word, syntax.IsWordChar(r))
	}
	e.end = len(e.borders)
	for r := range e.ascii {
		e.ascii[r] = uint8(e.classOf(rune(r)))
	}
	return true
}

func (e *Expr) classOf(r rune) int {
	i, ok := slices.BinarySearch(e.borders, r)
	if !ok {
		i--
	}
	return i
}

// Match reports whether the expression matches anywhere in the text. known is false where
// that would take too many states: then package regexp is the one to ask.
func (e *Expr) Match(text []byte) (matches, known bool) { return run(e, text) }

// Ask is [Expr.Match] for a text of either type.
func Ask[T []byte | string](e *Expr, text T) (matches, known bool) { return run(e, text) }

func run[T []byte | string](e *Expr, text T) (matches, known bool) {
	m := e.take(false)
	if m == nil {
		return false, false
	}
	matches, known = match(m, text)
	e.put(m, known)
	return matches, known
}

// Part is a part of a text, in bytes.
type Part struct{ Start, End int }

// Parts returns the parts of a text that hold all matches. Each is whole lines, and what
// package regexp finds in one alone is what it finds there in the text. known is false where
// that would take too many states, and for expressions that can match nothing at all, or ask
// where the text begins.
func Parts[T []byte | string](e *Expr, text T) (found []Part, known bool) {
	if !e.byLine {
		return nil, false
	}
	m := e.take(true)
	if m == nil {
		return nil, false
	}
	found, known = parts(m, text)
	e.put(m, known)
	return found, known
}

// take returns an automaton that no other goroutine uses, nil where none is worth it.
func (e *Expr) take(goesOn bool) *machine {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tries >= maxTries {
		e.free, e.freeOn = nil, nil
		return nil
	}
	free := e.pool(goesOn)
	if n := len(*free); n > 0 {
		m := (*free)[n-1]
		*free = (*free)[:n-1]
		return m
	}
	return newMachine(e, goesOn)
}

func (e *Expr) pool(goesOn bool) *[]*machine {
	if goesOn {
		return &e.freeOn
	}
	return &e.free
}

func (e *Expr) put(m *machine, known bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !known {
		e.tries++
	}
	free := e.pool(m.goesOn)
	*free = append(*free, m)
}
