package lex

import (
	"bytes"
	"strings"
)

// javascript knows comments, strings, templates with code in them, and regular
// expressions as far as they can be told from divisions without parsing.
func (s *splitter) javascript() {
	if s.has("#!") {
		s.restOfLine()
		s.add(0, Comment)
	}
	for !s.done() {
		if s.javascriptToken(); s.pos > len(s.src) {
			s.pos = len(s.src)
		}
	}
}

func (s *splitter) javascriptToken() {
	start := s.pos
	switch c := s.src[s.pos]; c {
	case '/':
		s.slash()
	case '"', '\'':
		s.quoted(c, true, false)
		s.add(start, String)
	case '`':
		s.pos++
		s.template(start)
	case '(', '[', '{':
		s.open(c)
		s.pos++
	case ')':
		s.shut('(')
		s.pos++
	case ']':
		s.shut('[')
		s.pos++
	case '}':
		s.pos++
		if s.inside("`") { // the code in a template ends
			s.brackets = s.brackets[:len(s.brackets)-1]
			s.template(start)
			return
		}
		s.shut('{')
	case '\n', '\r':
		if s.inside("([`") {
			s.join()
		}
		s.pos++
	default:
		s.plain(&javascriptStops)
	}
}

// javascriptStops are the bytes that the lexer of JavaScript looks at.
var javascriptStops = stopsAt("/\"'`()[]{}\n\r")

// template goes from inside a template to its end or to the code in it. The
// span begins at start.
func (s *splitter) template(start int) {
	for !s.done() {
		switch {
		case s.src[s.pos] == '\\':
			s.pos++
		case s.src[s.pos] == '`':
			s.pos++
			s.add(start, String)
			return
		case s.has("${") && len(s.brackets) < maxNesting:
			s.pos += 2
			s.add(start, String)
			s.open('`')
			return
		}
		s.pos++
	}
	s.add(start, String)
}

// slash is a comment, a regular expression or a division.
func (s *splitter) slash() {
	start := s.pos
	switch {
	case s.peek(1) == '/':
		for !s.atEnd() && !s.has("\u2028") && !s.has("\u2029") { // these end a line, and nobody sees them
			s.pos++
		}
		s.add(start, Comment)
	case s.peek(1) == '*':
		s.pos += 2
		s.skipPast("*/")
		s.add(start, Comment)
	case s.regexpMayBegin():
		if s.regexp() {
			s.add(start, String)
			return
		}
		s.pos = start + 1
	default:
		s.pos++
	}
}

// skipPast goes behind the next occurrence of a text, or to the end.
func (s *splitter) skipPast(text string) {
	s.pos = min(s.pos, len(s.src))
	i := bytes.Index(s.src[s.pos:], []byte(text))
	if i < 0 {
		s.pos = len(s.src)
		return
	}
	s.pos += i + len(text)
}

// regexpMayBegin looks at what stands before a slash: after a value it divides.
func (s *splitter) regexpMayBegin() bool {
	i := s.pos - 1
	for i >= 0 && isBlank(s.src[i]) {
		i--
	}
	if i < 0 {
		return true
	}
	c := s.src[i]
	if strings.IndexByte(")]}\"'`.$", c) >= 0 {
		return false
	}
	if !isWord(c) {
		return true
	}
	end := i + 1
	for i >= 0 && end-i < 12 && isWord(s.src[i]) {
		i--
	}
	switch string(s.src[i+1 : end]) {
	case "return", "typeof", "case", "in", "of", "void", "delete", "throw", "new", "do", "else", "yield", "await":
		return true
	}
	return false
}

// regexp goes behind a regular expression and reports whether there was one on
// this line. A failed try is remembered, so that a line full of slashes is not
// searched again for each of them.
func (s *splitter) regexp() bool {
	if s.pos < s.noRegexp {
		return false
	}
	class := false
	for s.pos++; !s.atEnd(); s.pos++ {
		switch s.src[s.pos] {
		case '\\':
			if s.peek(1) != '\n' && s.peek(1) != '\r' {
				s.pos++
			}
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				s.pos++
				return true
			}
		}
	}
	s.noRegexp = s.pos
	return false
}
