package lex

import "bytes"

// scanner walks over a text once, from pos to its end, and records what it finds.
// The lexer of each language moves it.
type scanner struct {
	src      []byte
	pos      int
	out      *Text
	brackets nesting
}

func (s *scanner) done() bool { return s.pos >= len(s.src) }

// peek returns the byte n behind the current one, 0 outside of the text.
func (s *scanner) peek(n int) byte {
	if i := s.pos + n; i >= 0 && i < len(s.src) {
		return s.src[i]
	}
	return 0
}

func (s *scanner) has(prefix string) bool {
	return len(prefix) <= len(s.src)-s.pos && string(s.src[s.pos:s.pos+len(prefix)]) == prefix
}

// add records that the text from start to pos is of a class.
func (s *scanner) add(start int, class Class) {
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
func (s *scanner) join() { s.out.Joins = append(s.out.Joins, s.pos) }

// atEnd reports whether a line ends at pos.
func (s *scanner) atEnd() bool { return s.done() || s.src[s.pos] == '\n' || s.src[s.pos] == '\r' }

// restOfLine goes to the end of the line.
func (s *scanner) restOfLine() {
	for !s.atEnd() {
		s.pos++
	}
}

// quoted goes behind the closing quote of a string whose opening quote is at
// pos, or to the end of the line unless it may span lines. A backslash takes
// the next byte with it when escapes is set.
func (s *scanner) quoted(quote byte, escapes, lines bool) {
	escape := byte(0)
	if escapes {
		escape = '\\'
	}
	s.quotedWith(quote, escape, lines)
}

// quotedWith is quoted with another escape character, 0 for none.
func (s *scanner) quotedWith(quote, escape byte, lines bool) {
	s.pos++
	for !s.done() {
		switch c := s.src[s.pos]; {
		case c == quote:
			s.pos++
			return
		case c == escape && escape != 0:
			s.pos++ // and the escaped byte, also a line end
		case !lines && s.atEnd():
			return
		}
		s.pos++
	}
	s.pos = min(s.pos, len(s.src))
}

// skipPast goes behind the next occurrence of a text, or to the end.
func (s *scanner) skipPast(text string) {
	s.pos = min(s.pos, len(s.src))
	i := bytes.Index(s.src[s.pos:], []byte(text))
	if i < 0 {
		s.pos = len(s.src)
		return
	}
	s.pos += i + len(text)
}

// continued joins the line whose backslash is just before pos with the next one.
func (s *scanner) continued() {
	if s.peek(0) == '\r' && s.peek(1) == '\n' {
		s.pos++
	}
	if !s.done() && s.atEnd() {
		s.join()
		s.pos++
	}
}

// plain passes over one byte and those behind it that nothing begins with.
func (s *scanner) plain(stops *[256]bool) {
	i := s.pos + 1
	for i < len(s.src) && !stops[s.src[i]] {
		i++
	}
	s.pos = i
}

// stopsAt makes a table of bytes.
func stopsAt(set string) (table [256]bool) {
	for i := range len(set) {
		table[set[i]] = true
	}
	return table
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\f' }
