package lex

import "strings"

// maxNesting bounds how deep brackets, substitutions and templates are
// followed. What is deeper is taken as it comes, which only makes lines shorter.
const maxNesting = 200

// nesting holds the open brackets, innermost last.
type nesting []byte

// open adds a bracket, unless there are too many.
func (n *nesting) open(c byte) {
	if !n.full() {
		*n = append(*n, c)
	}
}

// full reports whether one more bracket would be too deep.
func (n *nesting) full() bool { return len(*n) >= maxNesting }

// shut closes the innermost bracket if it is of that kind; one that doesn't fit
// is ignored.
func (n *nesting) shut(c byte) {
	if i := len(*n); i > 0 && (*n)[i-1] == c {
		n.pop()
	}
}

// pop closes the innermost bracket.
func (n *nesting) pop() { *n = (*n)[:len(*n)-1] }

// inside reports whether the innermost bracket is of one of the kinds.
func (n *nesting) inside(kinds string) bool {
	i := len(*n)
	return i > 0 && strings.IndexByte(kinds, (*n)[i-1]) >= 0
}
