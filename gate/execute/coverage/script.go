package coverage

import "strings"

// scriptLines returns, for every line of a JavaScript source, where its code is:
// the places that are neither blank, nor comment, nor only brackets that end
// something. The source is in UTF-16 code units, as V8 counts. open says for every
// line how many brackets are open where it begins.
func scriptLines(src []uint16) (lines [][]int, open []int) {
	s := scanScript(src)
	return s.lines, s.open
}

// templateLines are the lines, from 1, that begin within the text of a template.
func templateLines(src []uint16) []int { return scanScript(src).texts }

func scanScript(src []uint16) *scriptScanner {
	s := &scriptScanner{src: src, lines: make([][]int, 1, 64), open: make([]int, 1, 64)}
	if s.at(0) == '#' && s.at(1) == '!' {
		s.skipLine()
	}
	for s.i < len(src) {
		s.next()
	}
	for n, code := range s.lines {
		if !s.says[n+1] {
			code = nil
		}
		s.lines[n] = code
	}
	return s
}

type scriptScanner struct {
	src   []uint16
	i     int
	lines [][]int
	says  map[int]bool // lines with more than brackets, from 1
	last  uint16       // of the code so far, to tell a division from an expression
	word  bool         // last was the end of a word after which an expression begins
	depth []int        // open brackets of the templates around
	nest  int          // open brackets of all kinds
	open  []int        // those at the beginning of each line
	texts []int        // the lines that begin within a template, from 1
}

func (s *scriptScanner) at(i int) uint16 {
	if i < len(s.src) {
		return s.src[i]
	}
	return 0
}

// take consumes one code unit; code says that it is code.
func (s *scriptScanner) take(code bool) {
	c := s.src[s.i]
	line := len(s.lines)
	switch {
	case c == '\n':
		s.lines = append(s.lines, nil)
		s.open = append(s.open, s.nest)
	case code && c != ' ' && c != '\t' && c != '\r' && c != 0xFEFF && c != 0xA0:
		s.lines[line-1] = append(s.lines[line-1], s.i)
		if c > 0x7F || strings.IndexByte("{}()[];,", byte(c)) < 0 {
			if s.says == nil {
				s.says = map[int]bool{}
			}
			s.says[line] = true
		}
	}
	s.i++
}

func (s *scriptScanner) skipLine() {
	for s.i < len(s.src) && s.src[s.i] != '\n' {
		s.take(false)
	}
}

// next consumes a comment, a text, a pattern or one unit of code.
func (s *scriptScanner) next() {
	c := s.at(s.i)
	switch {
	case c == '/' && s.at(s.i+1) == '/':
		s.skipLine()
	case c == '/' && s.at(s.i+1) == '*':
		s.take(false)
		s.take(false)
		for s.i < len(s.src) && (s.src[s.i] != '*' || s.at(s.i+1) != '/') {
			s.take(false)
		}
		for range 2 {
			if s.i < len(s.src) {
				s.take(false)
			}
		}
	case c == '\'' || c == '"' || c == '/' && s.expression():
		s.quoted(c)
	case c == '`':
		s.code()
		s.template()
	case c == '{' && len(s.depth) > 0:
		s.depth[len(s.depth)-1]++
		s.code()
	case c == '}' && len(s.depth) > 0:
		s.code()
		if s.depth[len(s.depth)-1]--; s.depth[len(s.depth)-1] == 0 {
			s.depth = s.depth[:len(s.depth)-1]
			s.template()
		}
	default:
		s.code()
	}
}

func (s *scriptScanner) code() {
	if c := s.src[s.i]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
		s.last = c
		s.word = false
		if c < 0x80 && strings.IndexByte("([{", byte(c)) >= 0 {
			s.nest++
		} else if c < 0x80 && strings.IndexByte(")]}", byte(c)) >= 0 {
			s.nest--
		}
		if letter(c) && !letter(s.at(s.i+1)) {
			s.word = s.endsWith("return") || s.endsWith("typeof") || s.endsWith("case") || s.endsWith("await") || s.endsWith("in") || s.endsWith("of")
		}
	}
	s.take(true)
}

func (s *scriptScanner) endsWith(word string) bool {
	from := s.i + 1 - len(word)
	if from < 0 || from > 0 && letter(s.src[from-1]) {
		return false
	}
	for k := range len(word) {
		if s.src[from+k] != uint16(word[k]) {
			return false
		}
	}
	return true
}

func letter(c uint16) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c > 0x7F
}

// expression reports whether a slash begins a pattern.
func (s *scriptScanner) expression() bool {
	return s.last == 0 || s.word || s.last < 0x80 && strings.IndexByte("(,=:[!&|?{};+-*%<>~^", byte(s.last)) >= 0
}

// quoted consumes what ends with the same character, in the same line.
func (s *scriptScanner) quoted(end uint16) {
	s.code()
	class := false
	for s.i < len(s.src) && s.src[s.i] != '\n' {
		c := s.src[s.i]
		switch {
		case c == '\\' && s.i+1 < len(s.src):
			s.take(true)
		case end == '/' && c == '[':
			class = true
		case end == '/' && c == ']':
			class = false
		case c == end && !class:
			s.last, s.word = ')', false // a value: what follows is a division
			s.take(true)
			return
		}
		s.take(true)
	}
}

// template consumes the text of a template up to its end or to an expression.
func (s *scriptScanner) template() {
	for s.i < len(s.src) {
		switch c := s.src[s.i]; {
		case c == '\\' && s.i+1 < len(s.src):
			s.take(true)
		case c == '$' && s.at(s.i+1) == '{':
			s.take(true)
			s.take(true)
			s.depth = append(s.depth, 1)
			s.nest++
			s.last = '{'
			return
		case c == '`':
			s.last, s.word = ')', false
			s.take(true)
			return
		case c == '\n':
			s.texts = append(s.texts, len(s.lines)+1)
		}
		s.take(true)
	}
}
