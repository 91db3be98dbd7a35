package flow

import (
	"slices"
	"sort"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
)

// Span is a stretch of a text in bytes, half open.
type Span struct{ Start, End int }

func (s Span) holds(offset int) bool { return s.Start <= offset && offset < s.End }

// Graph is what one text defines. It doesn't change once it is made, and may be
// asked by many goroutines.
type Graph struct {
	*source
	lang   gate.Language
	defs   []def
	byName map[string][]int32 // definitions by name, in order of the text
	in     map[local][]int32  // the same by name and function
	funcs  []function         // sorted by where their bodies begin
	named  map[string][]int32 // functions by name
	heads  map[int32]bool     // the tokens with which functions in braces begin: their names, where they have one
	blocks []block            // sorted by start; blocks[0] is the whole text
	global map[string]bool    // names that functions declare to be those of the whole text
	paths  map[string]string  // of a name for an open file, the name of its path
	guards []Span             // what runs only as the main program
	once   sync.Once
	loaded map[int32]bool   // functions that run when the text is loaded
	script *script          // for shell, which has no tokens
	ended  map[int32][2]int // by depth, the last expression whose end was looked for
}

// def is one definition: a name gets the values of expressions.
type def struct {
	name   string
	line   int    // offset on the line that shows it
	place  int    // offset in the function and the block that it belongs to
	from   int    // offset from which on it holds
	values []Span // what flows into it
	scope  int32  // the function that it stands in, -1 for none; index finds it
	weak   bool   // what was there before stays, too
	shared bool   // it holds in the whole text, wherever it stands
	inner  bool   // it makes a new name in its function, and doesn't change one of those around it
}

// function is a function, method, or function literal.
type function struct {
	name    string // "" for a literal
	body    Span
	scope   int32 // the function around it, -1 for none
	params  []string
	given   []Span // what flows into all of its parameters, besides the arguments of calls
	returns []Span
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

// New returns the graph of a text in a language, given as its view, in which
// comments are blank, and as what package lex says of it. It reports false for
// languages that it doesn't follow values in.
func New(lang gate.Language, view []byte, text *lex.Text) (*Graph, bool) {
	g := &Graph{lang: lang, byName: map[string][]int32{}, in: map[local][]int32{}, named: map[string][]int32{}, heads: map[int32]bool{}, global: map[string]bool{}, paths: map[string]string{}, ended: map[int32][2]int{}}
	g.blocks = []block{{Span: Span{0, len(view) + 1}, parent: -1}}
	switch lang {
	case gate.LanguagePython:
		g.source = newSource(view, text)
		g.python()
	case gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo:
		g.source = newSource(view, text)
		g.braces()
	case gate.LanguageShell:
		g.source = &source{view: view}
		g.shell(text)
	default:
		return nil, false
	}
	g.nest()
	g.link()
	g.index()
	return g, true
}

// index puts definitions in order and gives each the function that it is in.
func (g *Graph) index() {
	slices.SortStableFunc(g.defs, func(a, b def) int { return a.from - b.from })
	made := map[local]bool{}
	for i := range g.defs {
		d := &g.defs[i]
		d.scope = g.scopeAt(d.place)
		if d.shared || member(d.name) || g.global[d.name] {
			d.scope = -1
		}
		if d.inner || g.lang == gate.LanguagePython && !d.weak {
			made[local{d.name, d.scope}] = true
		}
		g.byName[d.name] = append(g.byName[d.name], int32(i))
	}
	for i := range g.defs {
		d := &g.defs[i]
		for d.scope >= 0 && !made[local{d.name, d.scope}] {
			d.scope = g.funcs[d.scope].scope // it changes a name of a function around it
		}
		key := local{d.name, d.scope}
		g.in[key] = append(g.in[key], int32(i))
	}
}

// local is a name in a function.
type local struct {
	name  string
	scope int32
}

// Bounds on what one text may define; what is beyond is not followed.
const (
	maxDefs  = 50_000
	maxFuncs = 10_000
	maxSame  = 32 // functions of one name
)

func (g *Graph) define(d def) {
	if len(g.defs) < maxDefs && d.name != "" && !ignored[d.name] {
		g.defs = append(g.defs, d)
	}
}

// ignored are names that by custom hold errors, flags and nothing.
var ignored = map[string]bool{"_": true, "err": true, "error": true, "ok": true, "e": true, "exc": true}

// scopeAt returns the innermost function around an offset, -1 for none.
func (g *Graph) scopeAt(offset int) int32 {
	i := int32(sort.Search(len(g.funcs), func(i int) bool { return g.funcs[i].body.Start > offset })) - 1
	for ; i >= 0; i = g.funcs[i].scope {
		if g.funcs[i].body.holds(offset) {
			return i
		}
	}
	return -1
}

// blockAt returns the innermost block around an offset.
func (g *Graph) blockAt(offset int) int32 {
	i := int32(sort.Search(len(g.blocks), func(i int) bool { return g.blocks[i].Start > offset })) - 1
	for ; i > 0; i = g.blocks[i].parent {
		if g.blocks[i].holds(offset) {
			return i
		}
	}
	return 0
}

// around reports whether block a is b or around it.
func (g *Graph) around(a, b int32) bool {
	for ; b >= 0; b = g.blocks[b].parent {
		if a == b {
			return true
		}
	}
	return false
}

// nest gives functions and blocks, sorted by start, those that are around them.
func (g *Graph) nest() {
	slices.SortStableFunc(g.blocks, func(a, b block) int { return outside(a.Span, b.Span) })
	var open []int32
	for i := range g.blocks {
		for len(open) > 0 && g.blocks[open[len(open)-1]].End <= g.blocks[i].Start {
			open = open[:len(open)-1]
		}
		g.blocks[i].parent = -1
		if len(open) > 0 {
			g.blocks[i].parent = open[len(open)-1]
		}
		open = append(open, int32(i))
	}
	slices.SortStableFunc(g.funcs, func(a, b function) int { return outside(a.body, b.body) })
	open = open[:0]
	for i := range g.funcs {
		for len(open) > 0 && g.funcs[open[len(open)-1]].body.End <= g.funcs[i].body.Start {
			open = open[:len(open)-1]
		}
		g.funcs[i].scope = -1
		if len(open) > 0 {
			g.funcs[i].scope = open[len(open)-1]
		}
		open = append(open, int32(i))
	}
}

// outside orders stretches by where they begin, the longer before the shorter.
func outside(a, b Span) int {
	if a.Start != b.Start {
		return a.Start - b.Start
	}
	return b.End - a.End
}

// reaching returns the definitions of a name that a use at an offset may see.
func (g *Graph) reaching(n string, offset int) []int32 {
	all := g.byName[n]
	if len(all) == 0 {
		return nil
	}
	if member(n) {
		return all
	}
	for scope := g.scopeAt(offset); ; scope = g.funcs[scope].scope {
		if mine := g.in[local{n, scope}]; len(mine) > 0 {
			if scope != g.scopeAt(offset) {
				return mine // seen from inside of a function that may run at any time
			}
			return g.live(mine, offset)
		}
		if scope < 0 {
			return nil
		}
	}
}

// live leaves out the definitions that later ones before the offset replace.
func (g *Graph) live(of []int32, offset int) []int32 {
	here := g.blockAt(offset)
	n := sort.Search(len(of), func(i int) bool { return g.defs[of[i]].from > offset })
	var out []int32
	for i := n - 1; i >= 0; i-- {
		d := &g.defs[of[i]]
		out = append(out, of[i])
		if !d.weak && g.around(g.blockAt(d.place), here) {
			break
		}
	}
	for b := here; b >= 0; b = g.blocks[b].parent {
		if !g.blocks[b].loop {
			continue
		}
		for _, i := range of[n:] { // what a later line of the loop defines
			if g.blocks[b].holds(g.defs[i].place) {
				out = append(out, i)
			}
		}
	}
	return out
}
