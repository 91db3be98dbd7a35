package taint

import (
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
)

// Span is a stretch of a text in bytes, half open.
type Span struct{ Start, End int }

func (s Span) holds(offset int) bool { return s.Start <= offset && offset < s.End }

// outside orders stretches by where they begin, the longer before the shorter.
func outside(a, b Span) int {
	if a.Start != b.Start {
		return a.Start - b.Start
	}
	return b.End - a.End
}

// Graph is what one text defines. It doesn't change once it is made, and may be
// asked by many goroutines.
type Graph struct {
	outline *outline
	defs    *definitions
	program program
	loading *loading // nil for shell, which runs all of its text
	most    int      // steps of a path
}

// Full reports whether the text may define more than is followed.
func (g *Graph) Full() bool { return g.outline.full() || len(g.defs.defs) >= MaxDefinitions }

// program is a text in the form in which values are followed through it: the
// tokens of most languages, or the commands of a shell script.
type program interface {
	// sink returns the expression whose values a match gets.
	sink(match Span) Span
	// expand looks at one stretch of a search: what in it doesn't flow, and what flows into
	// the names in it.
	expand(s *search, i int32)
}

// New returns the graph of a text in a language, given as its view, in which
// comments are blank, and as what package lex says of it. It reports false for
// languages that it doesn't follow values in.
func New(lang gate.Language, view []byte, text *lex.Text) (*Graph, bool) {
	g := &Graph{outline: newOutline(len(view)), most: maxSteps}
	g.defs = newDefinitions(g.outline)
	switch lang {
	case gate.LanguagePython:
		g.defs.always = true
		src := newSource(view, text)
		newPythonReader(src, g.outline, g.defs).read()
		g.complete(src, lang)
	case gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo:
		if lang != gate.LanguageGo {
			g.most = maxScriptSteps
		}
		src := newSource(view, text)
		newBraceReader(src, lang == gate.LanguageGo, g.outline, g.defs).read()
		g.complete(src, lang)
	case gate.LanguageShell:
		script := newShellReader(view, text, g.outline, g.defs).read()
		g.outline.settle()
		script.link(g.defs)
		g.program = script
	default:
		return nil, false
	}
	g.defs.index()
	return g, true
}

// complete links the functions of a text in tokens.
func (g *Graph) complete(src *source, lang gate.Language) {
	g.outline.settle()
	link(src, g.outline, g.defs)
	g.program = &code{source: src, outline: g.outline, indented: lang == gate.LanguagePython,
		runsNames: sync.OnceValue(func() bool { return anyRunsName(src) })}
	g.loading = &loading{source: src, outline: g.outline, lang: lang}
}

// Sink returns the expression whose values a match at that stretch of the text
// gets: the arguments of the call that it names, or else the rest of its
// statement; in a shell script the pipeline that it is part of.
func (g *Graph) Sink(match Span) Span { return g.program.sink(match) }

// OnImport reports whether what is at an offset runs as soon as the text is
// loaded: because it is outside of every function, or in one that is called
// from there. What is guarded as the main program doesn't; in Go it is
// initialisers and the functions named init that run.
func (g *Graph) OnImport(offset int) bool { return g.loading == nil || g.loading.runs(offset) }
