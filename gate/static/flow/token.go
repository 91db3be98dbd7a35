package flow

import (
	"slices"
	"sort"
	"strings"

	"github.com/aigate/gate/gate/source/lex"
)

// kind is what a token is.
type kind uint8

const (
	name    kind = iota + 1 // an identifier or a keyword
	literal                 // a number, a string, or a piece of one between fields
	mark                    // an operator or a bracket
	newline                 // the end of a logical line
)

// bytesPerToken is how long a token and what stands before it are in most programs.
const bytesPerToken = 6

// token is a stretch of the text.
type token struct {
	start, end int32
	kind       kind
}

// operators are the marks of more than one byte that matter, longest first.
var operators = []string{"...", "===", "!==", "**=", "//=", "<<=", ">>=", "&&=", "||=", "??=", "=>", ":=", "==", "!=", "<=", ">=", "+=", "-=",
	"*=", "/=", "%=", "|=", "&=", "^=", "->", "<-", "&&", "||", "??", "?."}

// longer are the bytes that marks of more than one byte are made of.
var longer = func() (is [256]bool) {
	for _, op := range operators {
		for _, c := range []byte(op) {
			is[c] = true
		}
	}
	return is
}()

// tokens splits a view, in which comments are blank and logical lines stand on
// one line.
func tokens(view []byte, text *lex.Text) []token {
	out := make([]token, 0, len(view)/bytesPerToken)
	spans := text.Spans
	for i := 0; i < len(view); {
		for len(spans) > 0 && spans[0].End <= i {
			spans = spans[1:]
		}
		if len(spans) > 0 && spans[0].Start <= i {
			if spans[0].Class == lex.String {
				out = append(out, token{int32(i), int32(spans[0].End), literal})
			}
			i = spans[0].End
			continue
		}
		switch c := view[i]; {
		case c == '\n':
			out = append(out, token{int32(i), int32(i + 1), newline})
			i++
		case c <= ' ':
			i++
		case letter(c):
			start := i
			for i < len(view) && (letter(view[i]) || digit(view[i])) {
				i++
			}
			out = append(out, token{int32(start), int32(i), name})
		case digit(c):
			start := i
			for i < len(view) && (letter(view[i]) || digit(view[i]) || view[i] == '.') {
				i++
			}
			out = append(out, token{int32(start), int32(i), literal})
		default:
			n := operator(view[i:])
			out = append(out, token{int32(i), int32(i + n), mark})
			i += n
		}
	}
	return out
}

// operator is the length of the mark that a text begins with.
func operator(s []byte) int {
	if len(s) < 2 || !longer[s[0]] || !longer[s[1]] {
		return 1
	}
	for _, op := range operators {
		if len(op) <= len(s) && string(s[:len(op)]) == op {
			return len(op)
		}
	}
	return 1
}

func letter(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// source is a text in tokens.
type source struct {
	view   []byte
	tokens []token
	pair   []int32 // of a bracket, the index of the other one; else -1
	depth  []int32 // how many brackets are open before a token
}

func newSource(view []byte, text *lex.Text) *source {
	s := &source{view: view, tokens: tokens(view, text)}
	s.pair = make([]int32, len(s.tokens))
	s.depth = make([]int32, len(s.tokens))
	var open []int32
	var kinds [256]int // of the open brackets
	for i := range s.tokens {
		s.pair[i], s.depth[i] = -1, int32(len(open))
		switch c := s.mark(i); c {
		case '(', '[', '{':
			open = append(open, int32(i))
			kinds[c]++
		case ')', ']', '}':
			if kinds[opening(c)] == 0 {
				continue // nothing that it closes
			}
			for { // what was never closed ends here, too
				o := open[len(open)-1]
				open = open[:len(open)-1]
				kinds[s.mark(int(o))]--
				if s.mark(int(o)) == opening(c) {
					s.pair[o], s.pair[i] = int32(i), o
					break
				}
			}
			s.depth[i] = int32(len(open))
		}
	}
	return s
}

// opening is the bracket that the given one closes.
func opening(shut byte) byte {
	switch shut {
	case ')':
		return '('
	case ']':
		return '['
	default:
		return '{'
	}
}

// mark returns the byte of a token that is a mark of one byte, else 0.
func (s *source) mark(i int) byte {
	if i < 0 || i >= len(s.tokens) {
		return 0
	}
	if t := s.tokens[i]; t.kind == mark && t.end-t.start == 1 {
		return s.view[t.start]
	}
	return 0
}

// is reports whether a token has that text.
func (s *source) is(i int, texts ...string) bool {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].kind == literal {
		return false
	}
	text := s.view[s.tokens[i].start:s.tokens[i].end]
	// Comparing makes no string of the token, which s.text would.
	return slices.ContainsFunc(texts, func(t string) bool { return string(text) == t })
}

// text returns the text of a token.
func (s *source) text(i int) string {
	return string(s.view[s.tokens[i].start:s.tokens[i].end])
}

// isName reports whether a token is a name.
func (s *source) isName(i int) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == name
}

// at returns the first token that begins at or behind an offset.
func (s *source) at(offset int) int {
	return sort.Search(len(s.tokens), func(i int) bool { return int(s.tokens[i].start) >= offset })
}

// close returns the token that closes the bracket at i, or the end of the text
// for one that is never closed.
func (s *source) close(i int) int {
	if p := s.pair[i]; p >= 0 {
		return int(p)
	}
	return len(s.tokens)
}

// offset is where a token begins; behind the last one, the end of the text.
func (s *source) offset(i int) int {
	if i >= len(s.tokens) {
		return len(s.view)
	}
	return int(s.tokens[i].start)
}

// assigns reports whether a token is an assignment, and whether it keeps the old
// value besides the new one.
func (s *source) assigns(i int) (yes, keeps bool) {
	if s.tokens[i].kind != mark {
		return false, false
	}
	switch op := s.text(i); op {
	case "=", ":=":
		return true, false
	case "==", "!=", "<=", ">=", "===", "!==":
		return false, false
	default:
		return len(op) > 1 && strings.HasSuffix(op, "="), true
	}
}
