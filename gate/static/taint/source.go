package taint

import (
	"slices"
	"sort"
	"strings"

	"github.com/aigate/gate/gate/source/lex"
)

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

// argument is one of a call; name is set where it is passed by name.
type argument struct {
	name string
	Span
}

// maxArguments bounds what is looked at in one call.
const maxArguments = 64

// arguments splits what is between the brackets at open.
func (s *source) arguments(open int) []argument {
	var out []argument
	end := s.close(open)
	start := open + 1
	for t := start; t <= end && len(out) < maxArguments; t++ {
		if t == end || s.mark(t) == ',' && s.depth[t] == s.depth[open]+1 {
			a := argument{Span: Span{s.offset(start), s.offset(t)}}
			if s.isName(start) && s.is(start+1, "=") {
				a.name = s.text(start)
			}
			if a.End > a.Start {
				out = append(out, a)
			}
			start = t + 1
		}
	}
	return out
}

// defaultOf adds what follows the sign of assignment in a parameter, for that of the number.
func defaultOf(s *source, to map[int]Span, number int, param Span) map[int]Span {
	first := s.at(param.Start)
	for i := first; i < len(s.tokens) && s.offset(i) < param.End; i++ {
		if s.mark(i) == '=' && s.depth[i] == s.depth[first] {
			if to == nil {
				to = map[int]Span{}
			}
			to[number] = Span{s.offset(i + 1), param.End}
			return to
		}
	}
	return to
}

// enclosing returns the bracket of the call that has a token among its arguments.
func (s *source) enclosing(t int) (open int, ok bool) {
	const far = 40 // tokens
	for i := t - 1; i >= 0 && t-i < far; i-- {
		switch s.mark(i) {
		case ')', ']', '}':
			if s.pair[i] < 0 {
				return 0, false
			}
			i = int(s.pair[i])
		case '(':
			return i, s.isName(i - 1)
		case '{', ';':
			return 0, false
		}
	}
	return 0, false
}
