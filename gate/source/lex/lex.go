package lex

import (
	"sort"
	"strings"

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
	// inside brackets, or behind a backslash.
	Joins []int
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
// blank and logical lines stand on one line.
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
	return out
}

// Split splits a text of that language. Languages without a lexer of their own
// get one that knows their comments and quotes; text that has neither is code
// all through.
func Split(lang gate.Language, src []byte) *Text {
	s := &splitter{src: src, out: &Text{}}
	switch lang {
	case gate.LanguagePython:
		s.python()
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		s.javascript()
	case gate.LanguageShell:
		s.shell()
	default:
		if style, ok := styleOf(lang); ok {
			s.styled(style)
		}
	}
	return s.out
}

// maxNesting bounds how deep brackets, substitutions and templates are
// followed. What is deeper is taken as it comes, which only makes lines shorter.
const maxNesting = 200

// splitter walks over a text once, from pos to its end.
type splitter struct {
	src      []byte
	pos      int
	out      *Text
	brackets []byte // open brackets, innermost last
	noRegexp int    // no regular expression ends before this offset (JavaScript)
}

func (s *splitter) done() bool { return s.pos >= len(s.src) }

// peek returns the byte n behind the current one, 0 outside of the text.
func (s *splitter) peek(n int) byte {
	if i := s.pos + n; i >= 0 && i < len(s.src) {
		return s.src[i]
	}
	return 0
}

func (s *splitter) has(prefix string) bool {
	return len(prefix) <= len(s.src)-s.pos && string(s.src[s.pos:s.pos+len(prefix)]) == prefix
}

// add records that the text from start to pos is of a class.
func (s *splitter) add(start int, class Class) {
	end := min(s.pos, len(s.src))
	if start >= end || class == Code {
		return
	}
	if n := len(s.out.Spans); n > 0 && s.out.Spans[n-1].End == start && s.out.Spans[n-1].Class == class {
		s.out.Spans[n-1].End = end
		return
	}
	s.out.Spans = append(s.out.Spans, Span{start, end, class})
}

// join records that the line end at pos does not end the logical line.
func (s *splitter) join() { s.out.Joins = append(s.out.Joins, s.pos) }

// atEnd reports whether a line ends at pos.
func (s *splitter) atEnd() bool { return s.done() || s.src[s.pos] == '\n' || s.src[s.pos] == '\r' }

// restOfLine goes to the end of the line.
func (s *splitter) restOfLine() {
	for !s.atEnd() {
		s.pos++
	}
}

func (s *splitter) open(c byte) {
	if len(s.brackets) < maxNesting {
		s.brackets = append(s.brackets, c)
	}
}

// shut closes the innermost bracket if it is of that kind; one that doesn't fit
// is ignored.
func (s *splitter) shut(c byte) {
	if n := len(s.brackets); n > 0 && s.brackets[n-1] == c {
		s.brackets = s.brackets[:n-1]
	}
}

func (s *splitter) inside(kinds string) bool {
	n := len(s.brackets)
	return n > 0 && strings.IndexByte(kinds, s.brackets[n-1]) >= 0
}

// quoted goes behind the closing quote of a string whose opening quote is at
// pos, or to the end of the line unless it may span lines. A backslash takes
// the next byte with it when escapes is set.
func (s *splitter) quoted(quote byte, escapes, lines bool) {
	s.pos++
	for !s.done() {
		switch c := s.src[s.pos]; {
		case c == quote:
			s.pos++
			return
		case c == '\\' && escapes:
			s.pos++ // and the escaped byte, also a line end
		case !lines && s.atEnd():
			return
		}
		s.pos++
	}
	s.pos = min(s.pos, len(s.src))
}

// stopsAt makes a table of bytes.
func stopsAt(set string) (table [256]bool) {
	for i := range len(set) {
		table[set[i]] = true
	}
	return table
}

// plain passes over one byte and those behind it that nothing begins with.
func (s *splitter) plain(stops *[256]bool) {
	for s.pos++; s.pos < len(s.src) && !stops[s.src[s.pos]]; s.pos++ {
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\f' }
