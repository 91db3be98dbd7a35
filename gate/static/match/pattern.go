package match

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/dfa"
	"github.com/aigate/gate/gate/static/rule"
)

// pattern is a matcher with its expressions, each compiled when it is first
// needed.
type pattern struct {
	matcher *rule.Matcher
	exprs   []lazyExpr
}

// lazyExpr is an expression. Most are never compiled, because no text passes
// their filter.
type lazyExpr struct {
	text   string
	sifted sync.Once
	filter rule.Filter
	read   sync.Once
	states *dfa.Expr // nil where it is not worth one
	made   sync.Once
	expr   *regexp.Regexp
	run    int // where it only asks for so many characters on a line, how many; see longRun
	at     int // index of the group atGroup, or -1
	host   int // index of the group hostGroup or packageGroup, or -1
}

func newPattern(m *rule.Matcher) *pattern {
	p := &pattern{matcher: m, exprs: make([]lazyExpr, len(m.Patterns))}
	for i, text := range m.Patterns {
		p.exprs[i].text = text
		if n := longRun(text); n > 0 {
			p.exprs[i].run, p.exprs[i].at, p.exprs[i].host = n, -1, -1
		}
	}
	return p
}

// passes reports whether the expression may match in a text.
func (e *lazyExpr) passes(text []byte) bool {
	e.sifted.Do(func() { e.filter = rule.NewFilter(multiline(e.text)) })
	return e.filter.Passes(text)
}

// fails reports whether the expression is known not to match in a text.
func (e *lazyExpr) fails(text []byte) bool {
	e.read.Do(func() { e.states = dfa.New(multiline(e.text)) })
	if e.states == nil {
		return false
	}
	matches, known := e.states.Match(text)
	return known && !matches
}

// counts reports whether looking at a text may cost what package regexp takes, although the
// expression doesn't match: it has no automaton, or one that texts may lead astray.
func (e *lazyExpr) counts() bool { return e.run == 0 && (e.states == nil || e.states.Counts()) }

// compiled returns the expression, which has no placeholders. Package rule has
// checked that it compiles.
func (e *lazyExpr) compiled() *regexp.Regexp {
	e.made.Do(func() {
		e.expr = regexp.MustCompile(multiline(e.text))
		e.at, e.host = e.expr.SubexpIndex(atGroup), max(e.expr.SubexpIndex(hostGroup), e.expr.SubexpIndex(packageGroup))
	})
	return e.expr
}

// longRun is the number of an expression that only asks for so many characters on one line, 0 for
// any other. Package regexp takes a step for each of them at every byte.
func longRun(text string) int {
	number, ok := strings.CutPrefix(text, `[^\n]{`)
	if number, found := strings.CutSuffix(number, "}"); ok && found {
		if n, err := strconv.Atoi(number); err == nil {
			return n
		}
	}
	return 0
}

// runs finds what such an expression does.
func (e *lazyExpr) runs(text []byte) (out [][]int) {
	start, n := 0, 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if r == '\n' {
			start, n = i, 0
		} else if n++; n == e.run {
			out = append(out, []int{start, i})
			start, n = i, 0
		}
	}
	return out
}

// all finds all matches with their groups, as package regexp does.
func (e *lazyExpr) all(text []byte) [][]int {
	switch {
	case e.run > 0:
		return e.runs(text)
	case e.fails(text):
		return nil
	}
	return e.compiled().FindAllSubmatchIndex(text, -1)
}

// multiline makes ^ and $ mean the borders of a line.
func multiline(text string) string { return "(?m:" + text + ")" }

// window is a stretch of the text in which a pattern runs.
type window struct{ start, end int }

// Bounds of a window around a keyword, so that one long line can't make every
// keyword in it cost the whole line.
const (
	before = 2 << 10 // bytes; a word may be the last one of its match
	after  = 2 << 10 // bytes
	slack  = 512     // bytes by which a window is longer, to serve the next hits too
)

// maxWindow bounds the windows that are merged, so that a line of any length is
// searched in pieces. The pieces overlap by what a match may take.
const maxWindow = 16 << 10 // bytes

// windows yields the lines around the words that end at those offsets. Windows
// of matches that may span lines are merged where they overlap; else each line
// is a window of its own, because expressions are much faster on short texts.
func windows(view []byte, ends []int32, span int) iter.Seq[window] {
	return func(yield func(window) bool) {
		last := window{-1, -1} // not yielded yet, because the next may belong to it
		served, clear := -1, 0 // the last word that a window was computed for, and up to where its line is known to go on
		for _, e := range ends {
			at := int(e) - 1
			if served >= 0 && at-served < slack && !breaks(view[clear:max(at, clear)]) {
				clear = max(at, clear)
				continue
			}
			served, clear = at, at
			w := window{lineStart(view, at, span), lineEnd(view, at, span)}
			if w.start < last.end && w.end-last.start <= maxWindow {
				last.end = max(last.end, w.end)
				continue
			}
			if last.end >= 0 && !yield(last) {
				return
			}
			last = w
		}
		if last.end >= 0 {
			yield(last)
		}
	}
}

// breaks reports whether a line ends in a short text.
func breaks(text []byte) bool {
	for _, c := range text {
		if c == '\n' || c == '\r' {
			return true
		}
	}
	return false
}

// holds reports whether one of the sorted offsets lies in the window.
func (w window) holds(ends []int32) bool {
	i, _ := slices.BinarySearch(ends, int32(w.start+1))
	return i < len(ends) && int(ends[i]) <= w.end
}

// lineStart returns where the line of an offset begins, span-1 lines further up
// for a longer span, and not further than the bound.
func lineStart(view []byte, at, span int) int {
	floor := max(0, at-before)
	for i := at; i > floor; i-- {
		if c := view[i-1]; c == '\n' || c == '\r' && view[i] != '\n' {
			if span--; span == 0 {
				return i
			}
		}
	}
	return floor
}

// lineEnd is the counterpart of lineStart; the line end itself is left out.
func lineEnd(view []byte, at, span int) int {
	ceiling := min(len(view), at+after+slack)
	for i := at; i < ceiling; i++ {
		if c := view[i]; c == '\n' || c == '\r' {
			if c == '\r' && i+1 < len(view) && view[i+1] == '\n' {
				i++
			}
			if span--; span == 0 {
				return i
			}
		}
	}
	return ceiling
}
