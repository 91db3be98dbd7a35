package rule

import (
	"bytes"
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aigate/gate/gate/source/char"
)

// Filter says of a short text, much faster than the expression that it is drawn
// from, that the expression cannot match there. The zero Filter lets everything
// pass.
type Filter struct {
	word []byte   // must be part of the text
	fold bool     // … in any case; word is in lower case then
	set  string   // or one of these bytes must be
	any  []Filter // or one of these must let it pass
	all  []Filter // or all of these
}

// maxFilter bounds what one filter is made of; beyond it everything passes.
const maxFilter = 200

// NewFilter draws a filter from a pattern.
func NewFilter(pattern string) Filter {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return Filter{}
	}
	f := filter(re.Simplify())
	if f.size() > maxFilter {
		return Filter{}
	}
	return f
}

// Passes reports whether the expression may match in the text.
func (f *Filter) Passes(text []byte) bool {
	switch {
	case len(f.word) > 0 && f.fold:
		return containsFold(text, f.word)
	case len(f.word) > 0:
		return bytes.Contains(text, f.word)
	case f.set != "":
		return bytes.ContainsAny(text, f.set)
	case f.any != nil:
		for i := range f.any {
			if f.any[i].Passes(text) {
				return true
			}
		}
		return false
	}
	for i := range f.all {
		if !f.all[i].Passes(text) {
			return false
		}
	}
	return true
}

// containsFold looks for a word in lower case, whatever the case of the text.
// Other alphabets have letters that are the same as ASCII ones when case doesn't
// count: a text with any of them passes.
func containsFold(text, word []byte) bool {
	first := word[0]
	for i, c := range text {
		if c >= utf8.RuneSelf {
			return true
		}
		if lowerByte(c) != first || len(text)-i < len(word) {
			continue
		}
		n := 1
		for n < len(word) && lowerByte(text[i+n]) == word[n] {
			n++
		}
		if n == len(word) || text[i+n] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// open reports whether everything passes.
func (f *Filter) open() bool { return f.size() == 0 }

func (f *Filter) size() int {
	n := 0
	if len(f.word) > 0 || f.set != "" {
		n = 1
	}
	for _, sub := range slices.Concat(f.any, f.all) {
		n += sub.size()
	}
	return n
}

func filter(re *syntax.Regexp) Filter {
	switch re.Op {
	case syntax.OpLiteral:
		return wordFilter(re)
	case syntax.OpCharClass:
		return setFilter(re)
	case syntax.OpCapture, syntax.OpPlus:
		return filter(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return filter(re.Sub[0])
		}
	case syntax.OpConcat:
		var out Filter
		for _, sub := range re.Sub {
			if f := filter(sub); !f.open() {
				out.all = append(out.all, f)
			}
		}
		// What is longest is rarest, and one that fails is enough.
		slices.SortStableFunc(out.all, func(a, b Filter) int {
			return cmp.Or(cmp.Compare(a.size(), b.size()), cmp.Compare(len(b.word), len(a.word)))
		})
		return out
	case syntax.OpAlternate:
		var out Filter
		for _, sub := range re.Sub {
			f := filter(sub)
			if f.open() {
				return Filter{}
			}
			out.any = append(out.any, f)
		}
		return out
	}
	return Filter{}
}

func wordFilter(re *syntax.Regexp) Filter {
	word := string(re.Rune)
	switch {
	case slices.Contains(re.Rune, utf8.RuneError): // also matches bytes that are no UTF-8
		return Filter{}
	case re.Flags&syntax.FoldCase == 0:
		return Filter{word: []byte(word)}
	case strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }):
		return Filter{}
	}
	return Filter{word: []byte(lower(word)), fold: true}
}

// setFilter is for small classes of signs, such as quotes; letters, digits and
// blanks are everywhere.
func setFilter(re *syntax.Regexp) Filter {
	var set []byte
	for i := 0; i+1 < len(re.Rune); i += 2 {
		for c := re.Rune[i]; c <= re.Rune[i+1]; c++ {
			if c <= ' ' || c >= 0x7F || char.IsASCIIWord(byte(c)) || len(set) >= maxClass {
				return Filter{}
			}
			set = append(set, byte(c))
		}
	}
	return Filter{set: string(set)}
}
