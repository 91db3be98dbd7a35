package lex

import (
	"sort"

	"github.com/aigate/gate/gate"
)

// Class is what a stretch of text is.
type Class uint8

// The classes. Code is what is neither string nor comment.
const (
	Code Class = iota
	String
	Comment // also documentation strings
)

// Span is a stretch of text of one class. Code has no spans: it is what lies
// between.
type Span struct {
	Start, End int // byte offsets, half open
	Class      Class
}

// Text is a text split into classes.
type Text struct {
	Spans []Span // sorted, not overlapping, none empty
	// Joins are the offsets of line ends that don't end a logical line, sorted:
	// inside brackets, behind a backslash, or between a name and its member.
	Joins []int
	// dots are the offsets of those between a name and its member that have blanks around them.
	dots []int
}

// At returns the class of the byte at an offset.
func (t *Text) At(offset int) Class {
	span, _ := t.Span(offset)
	return span.Class
}

// Span returns the string or comment that the byte at an offset belongs to.
func (t *Text) Span(offset int) (Span, bool) {
	i := sort.Search(len(t.Spans), func(i int) bool { return t.Spans[i].End > offset })
	if i < len(t.Spans) && t.Spans[i].Start <= offset {
		return t.Spans[i], true
	}
	return Span{}, false
}

// From returns the spans that end behind an offset.
func (t *Text) From(offset int) []Span {
	return t.Spans[sort.Search(len(t.Spans), func(i int) bool { return t.Spans[i].End > offset }):]
}

// View returns a copy of the text, of the same length, in which comments are
// blank, logical lines are on one line, and a member is beside what it is a member of.
func (t *Text) View(src []byte) []byte {
	out := make([]byte, len(src))
	copy(out, src)
	for _, s := range t.Spans {
		if s.Class != Comment {
			continue
		}
		for i := s.Start; i < s.End; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	for _, i := range t.Joins {
		out[i] = ' '
		if i > 0 && (out[i-1] == '\\' || out[i-1] == '\r') {
			out[i-1] = ' '
		}
		if i > 1 && out[i-1] == ' ' && out[i-2] == '\\' {
			out[i-2] = ' '
		}
	}
	t.beside(out)
	return out
}

// Scan splits a text of that language into tokens. Languages without a lexer of their own
// get one that knows their comments and quotes; text that has neither is code
// all through.
func Scan(lang gate.Language, src []byte) *Text {
	out := &Text{}
	split(lang, src, out)
	withInserts(lang, src, out)
	return out
}

func split(lang gate.Language, src []byte, out *Text) {
	s := scanner{src: src, out: out}
	switch lang {
	case gate.LanguagePython:
		(&python{scanner: s}).split()
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		(&javascript{scanner: s}).split()
	case gate.LanguageShell:
		(&shell{scanner: s}).split()
	default:
		if style, ok := styleOf(lang); ok {
			(&styled{scanner: s, style: style}).split()
		}
	}
	if hasMembers(lang) {
		out.members(src)
	}
}
