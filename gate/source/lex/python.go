package lex

import "bytes"

// python knows prefixes, triple quotes, f-strings with code in them,
// documentation strings, brackets and backslashes.
func (s *splitter) python() {
	for !s.done() {
		if s.pythonToken(); s.pos > len(s.src) {
			s.pos = len(s.src)
		}
	}
}

func (s *splitter) pythonToken() {
	start := s.pos
	switch c := s.src[s.pos]; c {
	case '#':
		s.restOfLine()
		s.add(start, Comment)
	case '"', '\'':
		s.pythonString(start, 0)
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
		s.shut('{')
		s.pos++
	case '\\':
		s.pos++
		s.continued()
	case '\n', '\r':
		if len(s.brackets) > 0 && s.pythonStatement() {
			s.brackets = s.brackets[:0] // somebody forgot to close: begin anew
		}
		if len(s.brackets) > 0 {
			s.join()
		}
		s.pos++
	default:
		s.plain(&pythonStops)
	}
}

// pythonStops are the bytes that the lexer of Python looks at.
var pythonStops = stopsAt("#\"'()[]{}\\\n\r")

// continued joins the line whose backslash is just before pos with the next one.
func (s *splitter) continued() {
	if s.peek(0) == '\r' && s.peek(1) == '\n' {
		s.pos++
	}
	if !s.done() && s.atEnd() {
		s.join()
		s.pos++
	}
}

// pythonStatement reports whether the next line begins, in the first column,
// with a word that only begins statements.
func (s *splitter) pythonStatement() bool {
	rest := s.src[s.pos+1:]
	for _, word := range [...]string{"def ", "class ", "import ", "from ", "async def ", "if __name__"} {
		if bytes.HasPrefix(rest, []byte(word)) {
			return true
		}
	}
	return false
}

// pythonString is at an opening quote. nesting counts f-strings in f-strings.
func (s *splitter) pythonString(start, nesting int) {
	format, statement := s.pythonPrefix(start)
	quote := s.src[s.pos]
	triple := s.peek(1) == quote && s.peek(2) == quote
	s.pos++
	if triple {
		s.pos += 2
	}
	from := start
	for !s.done() {
		c := s.src[s.pos]
		switch {
		case c == '\\':
			s.pos += 2
			continue
		case c == quote && !triple:
			s.pos++
			s.pythonStringEnds(from, statement)
			return
		case c == quote && s.peek(1) == quote && s.peek(2) == quote:
			s.pos += 3
			s.pythonStringEnds(from, statement)
			return
		case !triple && s.atEnd():
			s.add(from, String)
			return
		case format && c == '{' && s.peek(1) == '{':
			s.pos += 2
			continue
		case format && c == '{' && nesting < 4:
			s.pos++
			s.add(from, String)
			s.pythonField(triple, nesting)
			from, statement = s.pos, false
			continue
		}
		s.pos++
	}
	s.add(from, String)
}

// pythonPrefix looks at the letters before the quote. It reports whether the
// string is formatted, and whether it begins a statement.
func (s *splitter) pythonPrefix(quote int) (format, statement bool) {
	i := quote
	for i > 0 && quote-i < 3 && isWord(s.src[i-1]) {
		i--
		format = format || s.src[i]|0x20 == 'f' || s.src[i]|0x20 == 't'
	}
	if i > 0 && isWord(s.src[i-1]) {
		return false, false // an ordinary word that touches a quote
	}
	for i > 0 && isBlank(s.src[i-1]) {
		i--
	}
	return format, !format && len(s.brackets) == 0 && (i == 0 || s.src[i-1] == '\n' || s.src[i-1] == '\r')
}

// pythonStringEnds records a string that ends at pos: one that is a whole
// statement documents and does nothing.
func (s *splitter) pythonStringEnds(from int, statement bool) {
	if !statement {
		s.add(from, String)
		return
	}
	i := s.pos
	for i < len(s.src) && isBlank(s.src[i]) {
		i++
	}
	if i == len(s.src) || s.src[i] == '\n' || s.src[i] == '\r' || s.src[i] == '#' {
		s.add(from, Comment)
		return
	}
	s.add(from, String)
}

// pythonField goes through the code in braces of an f-string, up to and
// including the closing brace.
func (s *splitter) pythonField(triple bool, nesting int) {
	depth := 1
	for !s.done() && depth > 0 {
		start := s.pos
		switch c := s.src[s.pos]; {
		case c == '{' || c == '(' || c == '[':
			depth++
			s.pos++
		case c == '}' || c == ')' || c == ']':
			depth--
			s.pos++
			if depth == 0 {
				s.pos-- // the brace belongs to the string again
				return
			}
		case c == '"' || c == '\'':
			s.pythonString(start, nesting+1)
			s.pos = min(s.pos, len(s.src))
		case !triple && s.atEnd():
			return
		default:
			s.pos++
		}
	}
}
