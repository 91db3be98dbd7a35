package lex

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate/source/char"
)

// shell is the lexer of shell scripts. It knows quotes, substitutions inside double
// quotes, here documents and continued lines. What a substitution holds is code.
type shell struct {
	scanner
	pending []heredoc // whose bodies begin on the next line
	word    int       // no comment begins before this offset
	words   int       // how often its end was looked for
}

func (l *shell) split() {
	for !l.done() {
		l.token()
		l.pos = min(l.pos, len(l.src))
	}
}

func (l *shell) token() {
	start := l.pos
	switch c := l.src[l.pos]; c {
	case '#':
		if !l.wordBegins() {
			l.pos++
			return
		}
		l.lineFeed()
		l.add(start, Comment)
	case '\\':
		l.backslash()
	case '\'':
		l.quoted('\'', l.peek(-1) == '$', true)
		l.add(start, String)
	case '"':
		l.pos++
		l.doubleQuoted(start)
	case '(':
		l.brackets.open('(')
		l.pos++
	case ')':
		l.pos++
		if !l.resumed('"') {
			l.brackets.shut('(')
		}
	case '`':
		l.pos++
		l.resumed('`')
	case '<':
		if h, ok := l.heredoc(); ok {
			l.pending = append(l.pending, h)
			return
		}
		l.pos++
	case '$':
		if l.peek(1) == '{' {
			l.expansion()
		}
		l.pos++
	case '\n':
		l.lineEnd()
	default:
		l.plain(&shellStops)
	}
}

// shellStops are the bytes that the lexer of shell looks at.
var shellStops = stopsAt("#\\'\"()`<\n$")

// The bounds of an expansion: the bytes of one, and how many are looked at.
const (
	maxExpansion  = 16 << 10
	maxExpansions = 20_000
)

// expansion notes where ${name:-word} ends: there is no comment in it. One without an end, and those behind
// the bounds, go on to the end of the text.
func (l *shell) expansion() {
	if l.pos < l.word {
		return
	}
	l.words++
	depth := 0
	for i := l.pos + 1; i < len(l.src) && i-l.pos < maxExpansion && l.words < maxExpansions; i++ {
		switch l.src[i] {
		case '\\':
			i++
		case '\'':
			if n := bytes.IndexByte(l.src[i+1:], '\''); n >= 0 && n < maxExpansion {
				i += n + 1
			}
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				l.word = i
				return
			}
		}
	}
	l.word = len(l.src)
}

// backslash takes the next byte with it, or joins the next line.
func (l *shell) backslash() {
	l.pos++
	if l.peek(0) == '\n' || l.peek(0) == '\r' {
		l.continued()
		return
	}
	l.pos++
}

// resumed goes on with the string around a substitution that ended just before
// pos. It reports whether there is one.
func (l *shell) resumed(kind byte) bool {
	if n := len(l.brackets); n == 0 || l.brackets[n-1] != kind {
		return false
	}
	l.brackets.pop()
	l.doubleQuoted(l.pos - 1)
	return true
}

// lineEnd passes over a line end and the here documents that begin behind it.
func (l *shell) lineEnd() {
	if l.pipeline() {
		l.join()
	}
	l.pos++
	for _, h := range l.pending {
		l.body(h)
	}
	l.pending = nil
}

// lineFeed goes to the next line feed: to a shell, a carriage return is text.
func (l *shell) lineFeed() {
	for !l.done() && l.src[l.pos] != '\n' {
		l.pos++
	}
}

// wordBegins reports whether a word begins at pos, so that # is a comment.
func (l *shell) wordBegins() bool {
	if l.pos < l.word {
		return false
	}
	return l.pos == 0 || strings.IndexByte(" \t\n\r;&|()`", l.src[l.pos-1]) >= 0
}

// pipeline reports whether the line before pos ends with an operator that needs
// another command.
func (l *shell) pipeline() bool {
	i := l.pos - 1
	for i >= 0 && (isBlank(l.src[i]) || l.src[i] == '\r') {
		i--
	}
	return i >= 0 && (l.src[i] == '|' || i > 0 && l.src[i] == '&' && l.src[i-1] == '&') && !l.inComment(i)
}

func (l *shell) inComment(at int) bool {
	n := len(l.out.Spans)
	return n > 0 && l.out.Spans[n-1].End > at && l.out.Spans[n-1].Class == Comment
}

// doubleQuoted goes from inside a string to its end, or to the code of a
// substitution in it. The span begins at start.
func (l *shell) doubleQuoted(start int) {
	for !l.done() {
		switch c := l.src[l.pos]; {
		case c == '\\':
			l.pos++
		case c == '"':
			l.pos++
			l.add(start, String)
			return
		case c == '`' && !l.brackets.full():
			l.pos++
			l.add(start, String)
			l.brackets.open('`')
			return
		case c == '$' && l.peek(1) == '(' && !l.brackets.full():
			l.pos += 2
			l.add(start, String)
			l.brackets.open('"')
			return
		}
		l.pos++
	}
	l.add(start, String)
}

// heredoc is a here document whose body begins on the next line.
type heredoc struct {
	word string
	tabs bool // <<- : the closing word may be indented with tabs
}

// heredoc reads the operator at pos and its word.
func (l *shell) heredoc() (heredoc, bool) {
	if l.peek(1) != '<' || l.peek(2) == '<' || l.peek(-1) == '<' {
		return heredoc{}, false
	}
	i := l.pos + 2
	var h heredoc
	if i < len(l.src) && l.src[i] == '-' {
		h.tabs = true
		i++
	}
	for i < len(l.src) && isBlank(l.src[i]) {
		i++
	}
	word, end := delimiter(l.src, i)
	if word == "" || word[0] >= '0' && word[0] <= '9' || !char.IsWord(word[0]) && end-i == len(word) {
		return h, false // a shift in arithmetic
	}
	h.word, i = word, end
	l.pos = i
	return h, true
}

// delimiter reads the word of a here document without its quotes, and returns where it ends.
func delimiter(src []byte, at int) (word string, end int) {
	var out []byte
	for ; at < len(src) && len(out) < maxWord; at++ {
		switch c := src[at]; {
		case c == '\\' && at+1 < len(src) && src[at+1] != '\n':
			at++
			out = append(out, src[at])
		case c == '"' || c == '\'':
			n := bytes.IndexByte(src[at+1:min(len(src), at+1+maxWord)], c)
			if n < 0 || bytes.IndexByte(src[at+1:at+1+n], '\n') >= 0 {
				return "", at
			}
			out = append(out, src[at+1:at+1+n]...)
			at += n + 1
		case bytes.IndexByte([]byte(" \t\r\n;&|<>()`"), c) >= 0:
			return string(out), at
		default:
			out = append(out, c)
		}
	}
	return string(out), at
}

// maxWord bounds the word of a here document.
const maxWord = 4 << 10 // bytes

// body goes behind the closing word of a here document.
func (l *shell) body(h heredoc) {
	start := l.pos
	for !l.done() {
		line := l.src[l.pos:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		word := strings.TrimSuffix(string(line[:min(len(line), len(h.word)+200)]), "\r")
		if h.tabs {
			word = strings.TrimLeft(word, "\t")
		}
		if word == h.word {
			l.add(start, String)
			l.pos += len(line)
			return
		}
		l.pos = min(l.pos+len(line)+1, len(l.src))
	}
	l.add(start, String)
}
