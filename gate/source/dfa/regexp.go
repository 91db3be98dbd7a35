package dfa

import (
	"regexp"
	"sync"
)

// Regexp is an expression of package regexp that asks its automaton first. It is made
// when it is first used.
type Regexp struct {
	made   func() *regexp.Regexp
	states func() *Expr
}

// MustCompile returns an expression, and panics when it is used and can't be read.
func MustCompile(text string) *Regexp {
	return &Regexp{
		made:   sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) }),
		states: sync.OnceValue(func() *Expr { return New(text) }),
	}
}

// Match reports whether the expression matches anywhere in the text.
func (r *Regexp) Match(text []byte) bool {
	matches, known := ask(r, text)
	return matches && known || !known && r.made().Match(text)
}

// MatchString is Match for a string.
func (r *Regexp) MatchString(text string) bool {
	matches, known := ask(r, text)
	return matches && known || !known && r.made().MatchString(text)
}

// FindSubmatch returns what package regexp does.
func (r *Regexp) FindSubmatch(text []byte) [][]byte {
	if matches, known := ask(r, text); known && !matches {
		return nil
	}
	return r.made().FindSubmatch(text)
}

// FindStringSubmatch returns what package regexp does.
func (r *Regexp) FindStringSubmatch(text string) []string {
	if matches, known := ask(r, text); known && !matches {
		return nil
	}
	return r.made().FindStringSubmatch(text)
}

// FindSubmatchIndex returns what package regexp does.
func (r *Regexp) FindSubmatchIndex(text []byte) []int {
	if matches, known := ask(r, text); known && !matches {
		return nil
	}
	return r.made().FindSubmatchIndex(text)
}

func ask[T []byte | string](r *Regexp, text T) (matches, known bool) {
	e := r.states()
	if e == nil {
		return false, false
	}
	return run(e, text)
}
