package taint

// statements finds out where statements and expressions begin and end in a language
// with braces.
type statements struct {
	*source
	golang bool
	ended  map[int32][2]int // by depth, the last expression whose end was looked for
}

// begins returns the first token of the targets that end before token t.
func (s *statements) begins(t int) int {
	const far = 64 // tokens
	i := t
	for i > 0 && t-i < far {
		switch {
		case s.mark(i-1) == ']' || s.mark(i-1) == '}' || s.mark(i-1) == ')':
			if s.pair[i-1] < 0 || s.depth[i-1] < s.depth[t] {
				return i
			}
			if s.mark(i-1) == '}' && i != t && s.mark(i) != '=' && s.mark(i) != ':' {
				return i
			}
			i = int(s.pair[i-1])
			continue
		case s.tokens[i-1].kind == newline || s.depth[i-1] < s.depth[t]:
			return i
		case s.mark(i-1) == ';' || s.mark(i-1) == '{' || s.mark(i-1) == '(':
			return i
		case s.mark(i-1) == ',' && !s.golang:
			return i
		case s.is(i-1, "=>", "&&", "||", "?", "if", "for", "switch", "else", "=", ":=", "return", "case"):
			return i
		}
		i--
	}
	return i
}

// bare reports whether the return at token t of a Go program gives no values.
func (s *statements) bare(t int) bool {
	return s.golang && (t+1 >= len(s.tokens) || s.tokens[t+1].kind == newline || s.mark(t+1) == ';' || s.mark(t+1) == '}')
}

// ends returns the token at which the expression that begins with token t ends.
func (s *statements) ends(t int) int {
	if t >= len(s.tokens) {
		return len(s.tokens)
	}
	depth := s.depth[t]
	if last, ok := s.ended[depth]; ok && last[0] <= t && t < last[1] {
		return last[1] // within a = b = c
	}
	end := s.end(t, depth)
	s.ended[depth] = [2]int{t, end}
	return end
}

func (s *statements) end(t int, depth int32) int {
	if c := s.mark(t); c == ')' || c == ']' || c == '}' {
		return t
	}
	for i := t; i < len(s.tokens); i++ {
		switch c := s.mark(i); {
		case c == '(' || c == '[' || c == '{':
			if s.golang && c == '{' && i > t && s.isHead(i, "for", "if", "switch") {
				return i // the block of a statement
			}
			i = s.close(i)
		case c == ';' || c == ')' || c == ']' || c == '}':
			return i
		case c == ',' && s.depth[i] == depth && !s.golang:
			return i
		case s.tokens[i].kind == newline && i > t && !s.continues(i):
			return i
		}
	}
	return len(s.tokens)
}

// continues reports whether the statement before the line end at i goes on
// behind it.
func (s *statements) continues(i int) bool {
	if !s.golang {
		next := i + 1
		for next < len(s.tokens) && s.tokens[next].kind == newline && next-i < 20 {
			next++
		}
		if c := s.mark(next); c == '.' || c == '?' || c == ':' || c == '+' || s.is(next, "?.", "&&", "||", "??") {
			return true
		}
	}
	switch s.mark(i - 1) {
	case '=', '+', '.', '?', ',':
		return true
	}
	return s.is(i-1, "&&", "||", "??", "=>", ":=", "+=", "await")
}

// isHead reports whether token t is in the head of one of the statements.
func (s *statements) isHead(t int, words ...string) bool {
	const far = 60 // tokens
	for i := t - 1; i >= 0 && t-i < far; i-- {
		switch {
		case s.is(i, words...):
			return s.mark(i-1) != '.'
		case s.tokens[i].kind == newline || s.mark(i) == '{' && s.pair[i] < 0:
			return false
		case s.mark(i) == ')' || s.mark(i) == ']' || s.mark(i) == '}':
			if s.pair[i] < 0 {
				return false
			}
			if s.mark(i) == '}' {
				return false
			}
			i = int(s.pair[i])
		}
	}
	return false
}

// loops reports whether the brace at t opens the body of a loop.
func (s *statements) loops(t int) bool {
	return s.isHead(t, "for", "while", "do")
}
