package modules

import (
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
)

type kind uint8

const (
	name    kind = iota + 1
	literal      // a number, a string, or a piece of one between fields
	mark
	newline // the end of a logical line
)

type token struct {
	start, end int32
	kind       kind
	depth      int32 // open brackets before it
}

// source is a text in tokens.
type source struct {
	src, view []byte
	tokens    []token
	pair      []int32 // of a bracket the index of the other one, else -1
}

const bytesPerToken = 6

func newSource(lang gate.Language, src []byte) *source {
	text := lex.Scan(lang, src)
	s := &source{src: src, view: text.View(src), tokens: make([]token, 0, len(src)/bytesPerToken)}
	spans := text.Spans
	for i := 0; i < len(s.view); {
		for len(spans) > 0 && spans[0].End <= i {
			spans = spans[1:]
		}
		if len(spans) > 0 && spans[0].Start <= i {
			if spans[0].Class == lex.String {
				appendToken(s, literal, i, spans[0].End)
			}
			i = spans[0].End
			continue
		}
		end := i + 1
		switch c := s.view[i]; {
		case c == '\n':
			appendToken(s, newline, i, end)
		case c <= ' ':
		case letter(c):
			for end < len(s.view) && (letter(s.view[end]) || digit(s.view[end])) {
				end++
			}
			appendToken(s, name, i, end)
		case digit(c):
			for end < len(s.view) && (letter(s.view[end]) || digit(s.view[end]) || s.view[end] == '.') {
				end++
			}
			appendToken(s, literal, i, end)
		default:
			if end < len(s.view) && pairs[string(s.view[i:end+1])] {
				end++
			}
			appendToken(s, mark, i, end)
		}
		i = end
	}
	pairBrackets(s)
	return s
}

// pairs are the marks of two bytes that must not be taken for an assignment or a colon.
var pairs = map[string]bool{"=>": true, "==": true, "!=": true, "<=": true, ">=": true, ":=": true, "?.": true, "+=": true, "-=": true, "&&": true, "||": true, "??": true, "->": true}

func appendToken(s *source, k kind, start, end int) {
	s.tokens = append(s.tokens, token{int32(start), int32(end), k, 0})
}

// pairBrackets pairs brackets, and says how deep each token is.
func pairBrackets(s *source) {
	s.pair = make([]int32, len(s.tokens))
	var open []int32
	for i := range s.tokens {
		s.pair[i], s.tokens[i].depth = -1, int32(len(open))
		switch s.mark(i) {
		case '(', '[', '{':
			open = append(open, int32(i))
		case ')', ']', '}':
			if n := len(open); n > 0 { // a mismatched bracket closes whatever is open
				s.pair[i], s.pair[open[n-1]] = open[n-1], int32(i)
				open = open[:n-1]
				s.tokens[i].depth = int32(len(open))
			}
		}
	}
}

// mark is the byte of a mark of one byte, else 0.
func (s *source) mark(i int) byte {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].kind != mark || s.tokens[i].end-s.tokens[i].start != 1 {
		return 0
	}
	return s.view[s.tokens[i].start]
}

// is reports whether a token that is no literal has one of those texts.
func (s *source) is(i int, texts ...string) bool {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].kind == literal {
		return false
	}
	return slices.Contains(texts, string(s.bytes(i)))
}

func (s *source) bytes(i int) []byte { return s.view[s.tokens[i].start:s.tokens[i].end] }

func (s *source) text(i int) string { return string(s.bytes(i)) }

func (s *source) isName(i int) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == name
}

// quoted is the text of a token that is a whole string without escapes.
func (s *source) quoted(i int) (string, bool) {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].kind != literal {
		return "", false
	}
	t := s.bytes(i)
	if n := len(t); n > 2 && n < maxSpec && (t[0] == '"' || t[0] == '\'' || t[0] == '`') && t[n-1] == t[0] {
		for _, c := range t[1 : n-1] {
			if c == '\\' || c == '$' || c == t[0] {
				return "", false
			}
		}
		return string(t[1 : n-1]), true
	}
	return "", false
}

// maxSpec bounds the name of a module.
const maxSpec = 300 // bytes

// close is the token that closes the bracket at i, or the last one.
func (s *source) close(i int) int {
	if i >= 0 && i < len(s.pair) && s.pair[i] >= 0 {
		return int(s.pair[i])
	}
	return max(i, len(s.tokens)-1)
}

// skip returns the first token from i on that is no line end.
func (s *source) skip(i int) int {
	for i < len(s.tokens) && s.tokens[i].kind == newline {
		i++
	}
	return i
}

// member reports whether a name is that of a member of what comes before it.
func (s *source) member(i int) bool { return s.mark(i-1) == '.' || s.is(i-1, "?.") }

// free reports whether a token is a name that stands for a value: no member, no key
// and no name of an argument.
func (s *source) free(i int) bool {
	if !s.isName(i) || s.member(i) {
		return false
	}
	before := s.mark(i - 1)
	switch s.mark(i + 1) {
	case '=':
		return !(s.tokens[i].depth > 0 && (before == '(' || before == ','))
	case ':':
		return before != '{' && before != ','
	}
	return true
}

func letter(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
