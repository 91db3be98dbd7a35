package constprop

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

// pythonSource is a Python text, split into code, strings and comments.
type pythonSource struct {
	src  []byte
	text *lex.Text
}

func newPythonSource(src []byte) *pythonSource {
	return &pythonSource{src: src, text: lex.Scan(gate.LanguagePython, src)}
}

// blank goes over blanks, line ends and comments.
func (p *pythonSource) blank(at int) int {
	for at < len(p.src) {
		if isSpace(p.src[at]) || p.src[at] == '\\' {
			at++
			continue
		}
		s, ok := p.text.Span(at)
		if !ok || s.Class != lex.Comment {
			break
		}
		at = s.End
	}
	return at
}

// gap goes over what may be before an operator: on a line of its own it ends
// the statement, unless the line goes on.
func (p *pythonSource) gap(at, limit int) int {
	next := p.blank(at)
	if i := bytes.IndexByte(p.src[at:min(next, limit)], '\n'); i >= 0 {
		if _, joined := slices.BinarySearch(p.text.Joins, at+i); !joined {
			return at
		}
	}
	return min(next, limit)
}

// argument returns where the argument that begins at an offset ends, and where
// the next one begins; -1 where there is none.
func (p *pythonSource) argument(at int) (end, next int) {
	depth := 0
	for i := at; i < len(p.src) && i-at < maxLiteral; {
		if s, ok := p.text.Span(i); ok {
			i = s.End
			continue
		}
		switch c := p.src[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				if i == at {
					return -1, -1
				}
				return i, -1
			}
			depth--
		case ',':
			if depth == 0 {
				return i, i + 1
			}
		}
		i++
	}
	return -1, -1
}

// nameEnd is where a name that begins at an offset ends.
func nameEnd(src []byte, at int) int {
	for at < len(src) && char.IsWord(src[at]) {
		at++
	}
	return at
}

// literalAt is where the quote of a literal is that begins at an offset with its
// prefix; the offset itself for none.
func literalAt(src []byte, at int) int {
	for i := at; i < len(src) && i-at < 3; i++ {
		if c := src[i]; c == '"' || c == '\'' {
			return i
		} else if bytes.IndexByte([]byte("rRbBuUfF"), c) < 0 {
			break
		}
	}
	return at
}

// priority of the operators of two sides; higher binds closer.
var priority = map[string]int{"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "//": 6, "/": 6, "%": 6, "**": 7}

// operator is the operator of two sides at an offset, "" for none.
func operator(src []byte, at, limit int) string {
	if at >= limit {
		return ""
	}
	two := string(src[at:min(at+2, limit)])
	if priority[two] > 0 {
		return two
	}
	if one := two[:1]; priority[one] > 0 && !strings.HasSuffix(two, "=") {
		return one
	}
	return ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
