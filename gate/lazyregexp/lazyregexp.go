package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is an expression that is compiled when it is first used. It is safe for concurrent
// use.
type Regexp struct {
	text string
	once sync.Once
	made *regexp.Regexp
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
