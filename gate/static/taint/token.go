package taint

import "github.com/aigate/gate/gate/source/lex"

// kind is what a token is.
type kind uint8

const (
	name    kind = iota + 1 // an identifier or a keyword
	literal                 // a number, a string, or a piece of one between fields
	mark                    // an operator or a bracket
	newline                 // the end of a logical line
)

// bytesPerToken is how long a token and what comes before it are in most programs.
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

// tokens splits a view, in which comments are blank and logical lines are on
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
