package lex

import (
	"bytes"
	"strings"
)

// shell knows quotes, substitutions inside double quotes, here documents and
// continued lines. What a substitution holds is code.
func (s *splitter) shell() {
	var pending []heredoc
	for !s.done() {
		start := s.pos
		switch c := s.src[s.pos]; c {
		case '#':
			if s.wordBegins() {
				s.lineFeed()
				s.add(start, Comment)
				continue
			}
			s.pos++
		case '\\':
			s.pos++
			if s.peek(0) == '\n' || s.peek(0) == '\r' {
				s.continued()
				continue
			}
			s.pos++
		case '\'':
			s.quoted('\'', s.peek(-1) == '$', true)
			s.add(start, String)
		case '"':
			s.pos++
			s.doubleQuoted(start)
		case '(':
			s.open('(')
			s.pos++
		case ')':
			s.pos++
			if s.inside("\"") { // the substitution ends and its string goes on
				s.brackets = s.brackets[:len(s.brackets)-1]
				s.doubleQuoted(s.pos - 1)
				continue
			}
			s.shut('(')
		case '`':
			s.pos++
			if s.inside("`") {
				s.brackets = s.brackets[:len(s.brackets)-1]
				s.doubleQuoted(s.pos - 1)
			}
		case '<':
			if h, ok := s.heredoc(); ok {
				pending = append(pending, h)
				continue
			}
			s.pos++
		case '\n':
			if s.pipeline() {
				s.join()
			}
			s.pos++
			for _, h := range pending {
				s.body(h)
			}
			pending = nil
		default:
			s.plain(&shellStops)
		}
		s.pos = min(s.pos, len(s.src))
	}
}

// shellStops are the bytes that the lexer of shell looks at.
var shellStops = stopsAt("#\\'\"()`<\n")

// lineFeed goes to the next line feed: to a shell, a carriage return is text.
func (s *splitter) lineFeed() {
	for !s.done() && s.src[s.pos] != '\n' {
		s.pos++
	}
}

// wordBegins reports whether a word begins at pos, so that # is a comment.
func (s *splitter) wordBegins() bool {
	return s.pos == 0 || strings.IndexByte(" \t\n\r;&|()`", s.src[s.pos-1]) >= 0
}

// pipeline reports whether the line before pos ends with an operator that needs
// another command.
func (s *splitter) pipeline() bool {
	i := s.pos - 1
	for i >= 0 && (isBlank(s.src[i]) || s.src[i] == '\r') {
		i--
	}
	return i >= 0 && (s.src[i] == '|' || i > 0 && s.src[i] == '&' && s.src[i-1] == '&') && !s.inComment(i)
}

func (s *splitter) inComment(at int) bool {
	n := len(s.out.Spans)
	return n > 0 && s.out.Spans[n-1].End > at && s.out.Spans[n-1].Class == Comment
}

// doubleQuoted goes from inside a string to its end, or to the code of a
// substitution in it. The span begins at start.
func (s *splitter) doubleQuoted(start int) {
	for !s.done() {
		switch c := s.src[s.pos]; {
		case c == '\\':
			s.pos++
		case c == '"':
			s.pos++
			s.add(start, String)
			return
		case c == '`' && len(s.brackets) < maxNesting:
			s.pos++
			s.add(start, String)
			s.open('`')
			return
		case c == '$' && s.peek(1) == '(' && len(s.brackets) < maxNesting:
			s.pos += 2
			s.add(start, String)
			s.open('"')
			return
		}
		s.pos++
	}
	s.add(start, String)
}

// heredoc is a here document whose body begins on the next line.
type heredoc struct {
	word string
	tabs bool // <<- : the closing word may be indented with tabs
}

// heredoc reads the operator at pos and its word.
func (s *splitter) heredoc() (heredoc, bool) {
	if s.peek(1) != '<' || s.peek(2) == '<' || s.peek(-1) == '<' {
		return heredoc{}, false
	}
	i := s.pos + 2
	var h heredoc
	if i < len(s.src) && s.src[i] == '-' {
		h.tabs = true
		i++
	}
	for i < len(s.src) && isBlank(s.src[i]) {
		i++
	}
	quote := byte(0)
	if i < len(s.src) && (s.src[i] == '"' || s.src[i] == '\'' || s.src[i] == '\\') {
		quote = s.src[i]
		i++
	}
	from := i
	for i < len(s.src) && i-from < 64 && isWord(s.src[i]) {
		i++
	}
	if i == from || s.src[from] >= '0' && s.src[from] <= '9' {
		return h, false // a shift in arithmetic
	}
	h.word = string(s.src[from:i])
	if quote != 0 && quote != '\\' && i < len(s.src) && s.src[i] == quote {
		i++
	}
	s.pos = i
	return h, true
}

// body goes behind the closing word of a here document.
func (s *splitter) body(h heredoc) {
	start := s.pos
	for !s.done() {
		line := s.src[s.pos:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		word := strings.TrimSuffix(string(line[:min(len(line), 200)]), "\r")
		if h.tabs {
			word = strings.TrimLeft(word, "\t")
		}
		if word == h.word {
			s.add(start, String)
			s.pos += len(line)
			return
		}
		s.pos = min(s.pos+len(line)+1, len(s.src))
	}
	s.add(start, String)
}
