package lazyregexp

import (
	"os"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aigate/gate/gate/source/dfa"
)

// Regexp is an expression that is compiled when it is first used. It is safe for concurrent
// use.
type Regexp struct {
	text string
	once sync.Once
	made *regexp.Regexp

	asked  atomic.Int64 // bytes of all texts so far
	states sync.Once
	quick  *dfa.Expr // nil where package regexp is as fast
	word   string    // part of every match, or empty
}

// fewBytes is how much text an expression is asked about before an automaton is made for it:
// making one takes as long as package regexp does for some kilobytes.
const fewBytes = 32 << 10

// ask says whether the expression matches, as far as an automaton knows, which takes a tenth of
// the time that package regexp does. Most texts have no match.
func ask[T []byte | string](r *Regexp, text T) (matches, known bool) {
	switch {
	case !prepared(r, len(text)):
		return false, false
	case lacks(r, text):
		return false, true
	case r.quick == nil:
		return false, false
	}
	return dfa.Ask(r.quick, text)
}

// prepared reports whether what says quickly that there is no match was made, for one more text of
// so many bytes.
func prepared(r *Regexp, bytes int) bool {
	if r.asked.Load() < fewBytes && r.asked.Add(int64(bytes)) < fewBytes {
		return false
	}
	r.states.Do(func() { r.quick, r.word = automaton(r) })
	return true
}

// none reports whether it is known that the expression doesn't match.
func none[T []byte | string](r *Regexp, text T) bool {
	matches, known := ask(r, text)
	return known && !matches
}

// all finds all matches, of which n < 0 wants all, in the lines that have some. place says what
// a match is where its part of the text begins at an offset.
func all[T []byte | string, M any](r *Regexp, text T, n int, find func(T, int) []M, place func(match M, offset int) M) []M {
	if !prepared(r, len(text)) {
		return find(text, n)
	}
	if lacks(r, text) {
		return nil
	}
	if r.quick == nil {
		return find(text, n)
	}
	parts, known := dfa.Parts(r.quick, text)
	if !known {
		if none(r, text) {
			return nil
		}
		return find(text, n)
	}
	var out []M
	for _, p := range parts {
		if n >= 0 && len(out) >= n {
			break
		}
		for _, m := range find(text[p.Start:p.End], max(n-len(out), -1)) {
			out = append(out, place(m, p.Start))
		}
	}
	return out
}

func same[M any](match M, _ int) M { return match }

// moved adds an offset to what is not missing.
func moved(match []int, offset int) []int {
	for i := range match {
		if match[i] >= 0 {
			match[i] += offset
		}
	}
	return match
}

// automaton returns nil for expressions with which package regexp is faster: it looks for text
// that all matches begin with as fast as memory is read, and looks only at the start of a text
// where a match can be nowhere else. word is part of every match, of the others.
func automaton(r *Regexp) (states *dfa.Expr, word string) {
	if prefix, _ := made(r).LiteralPrefix(); prefix != "" {
		return nil, ""
	}
	tree, err := syntax.Parse(r.text, syntax.Perl)
	if err != nil {
		return nil, ""
	}
	simple := tree.Simplify()
	prog, err := syntax.Compile(simple)
	if err != nil || prog.StartCond()&syntax.EmptyBeginText != 0 {
		return nil, ""
	}
	return dfa.New(r.text), required(simple)
}

// MustCompile returns the expression of a text. One that can't be read panics when it is
// first used, and in tests here.
func MustCompile(text string) *Regexp {
	r := &Regexp{text: text}
	if inTest() {
		made(r)
	}
	return r
}

// Compile returns the expression of a text, compiled at once: the text comes from outside, and
// the error says what is wrong with it.
func Compile(text string) (*Regexp, error) {
	made, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	r := &Regexp{text: text}
	r.once.Do(func() { r.made = made })
	return r, nil
}

// inTest reports whether this is the binary of a test.
func inTest() bool {
	return len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")
}

func made(r *Regexp) *regexp.Regexp {
	r.once.Do(func() { r.made = regexp.MustCompile(r.text) })
	return r.made
}

// QuoteMeta is that of package regexp.
func QuoteMeta(s string) string { return regexp.QuoteMeta(s) }

// String returns the text of the expression. It doesn't compile it.
func (r *Regexp) String() string { return r.text }
