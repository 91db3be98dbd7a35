package lex

import (
	"bytes"

	"github.com/aigate/gate/gate/source/char"
)

// python is the lexer of Python. It knows prefixes, triple quotes, f-strings with
// code in them, documentation strings, brackets and backslashes.
type python struct{ scanner }

func (p *python) split() {
	for !p.done() {
		if p.token(); p.pos > len(p.src) {
			p.pos = len(p.src)
		}
	}
}

func (p *python) token() {
	start := p.pos
	switch c := p.src[p.pos]; c {
	case '#':
		p.restOfLine()
		p.add(start, Comment)
	case '"', '\'':
		p.quotes(start, 0)
	case '(', '[', '{':
		p.brackets.open(c)
		p.pos++
	case ')':
		p.brackets.shut('(')
		p.pos++
	case ']':
		p.brackets.shut('[')
		p.pos++
	case '}':
		p.brackets.shut('{')
		p.pos++
	case '\\':
		p.pos++
		p.continued()
	case '\n', '\r':
		if len(p.brackets) > 0 && p.statementFollows() {
			p.brackets = p.brackets[:0] // one was never closed: start again
		}
		if len(p.brackets) > 0 {
			p.join()
		}
		p.pos++
	default:
		p.plain(&pythonStops)
	}
}

// pythonStops are the bytes that the lexer of Python looks at.
var pythonStops = stopsAt("#\"'()[]{}\\\n\r")

// statementFollows reports whether the next line begins, in the first column,
// with a word that only begins statements.
func (p *python) statementFollows() bool {
	rest := p.src[p.pos+1:]
	for _, word := range [...]string{"def ", "class ", "import ", "from ", "async def ", "if __name__"} {
		if bytes.HasPrefix(rest, []byte(word)) {
			return true
		}
	}
	return false
}

// maxLevel bounds how deep f-strings in f-strings are followed.
const maxLevel = 4

// quotes reads the string whose opening quote is at pos. level counts f-strings in
// f-strings.
func (p *python) quotes(start, level int) {
	format, statement := p.prefix(start)
	quote := p.src[p.pos]
	triple := p.peek(1) == quote && p.peek(2) == quote
	p.pos++
	if triple {
		p.pos += 2
	}
	from := start
	for !p.done() {
		c := p.src[p.pos]
		switch {
		case c == '\\' && format && p.peek(1) == '{': // it escapes no brace
			p.pos++
			continue
		case c == '\\':
			p.pos += 2
			continue
		case c == quote && !triple:
			p.pos++
			p.stringEnds(from, statement)
			return
		case c == quote && p.peek(1) == quote && p.peek(2) == quote:
			p.pos += 3
			p.stringEnds(from, statement)
			return
		case !triple && p.atEnd():
			p.add(from, String)
			return
		case format && c == '{' && p.peek(1) == '{':
			p.pos += 2
			continue
		case format && c == '{' && level < maxLevel:
			p.pos++
			p.add(from, String)
			p.field(level, quote, triple)
			from, statement = p.pos, false
			continue
		}
		p.pos++
	}
	p.add(from, String)
}

// prefix looks at the letters before the quote. It reports whether the string is
// formatted, and whether it begins a statement.
func (p *python) prefix(quote int) (format, statement bool) {
	i := quote
	for i > 0 && quote-i < 3 && char.IsWord(p.src[i-1]) {
		i--
		format = format || p.src[i]|0x20 == 'f' || p.src[i]|0x20 == 't'
	}
	if i > 0 && char.IsWord(p.src[i-1]) {
		return false, false // an ordinary word that touches a quote
	}
	for i > 0 && isBlank(p.src[i-1]) {
		i--
	}
	return format, !format && len(p.brackets) == 0 && (i == 0 || p.src[i-1] == '\n' || p.src[i-1] == '\r')
}

// stringEnds records a string that ends at pos. One that is a whole statement is
// documentation: it does nothing.
func (p *python) stringEnds(from int, statement bool) {
	if !statement {
		p.add(from, String)
		return
	}
	i := p.pos
	for i < len(p.src) && isBlank(p.src[i]) {
		i++
	}
	if i == len(p.src) || p.src[i] == '\n' || p.src[i] == '\r' || p.src[i] == '#' {
		p.add(from, Comment)
		return
	}
	p.add(from, String)
}

// field goes through the code in braces of an f-string, up to the closing brace, which may be
// on another line since Python 3.12, whatever the quotes are. Behind a colon comes a format
// specification, which is text (Python reference, Formatted string literals).
func (p *python) field(level int, quote byte, triple bool) {
	depth := 1
	for !p.done() && depth > 0 {
		start := p.pos
		switch c := p.src[p.pos]; {
		case c == ':' && depth == 1:
			p.specification(level, quote, triple)
			return
		case c == '{' || c == '(' || c == '[':
			depth++
			p.pos++
		case c == '}' || c == ')' || c == ']':
			depth--
			p.pos++
			if depth == 0 {
				p.pos-- // the brace belongs to the string again
				return
			}
		case c == '"' || c == '\'':
			p.quotes(start, level+1)
			p.pos = min(p.pos, len(p.src))
		case c == '\n':
			p.join()
			p.pos++
		default:
			p.pos++
		}
	}
}

// specification goes through the text behind the colon of a field, up to the closing brace or
// the end of the string. It may hold fields of its own.
func (p *python) specification(level int, quote byte, triple bool) {
	from := p.pos
	for !p.done() {
		switch c := p.src[p.pos]; {
		case c == '}', c == quote && (!triple || p.peek(1) == quote && p.peek(2) == quote):
			p.add(from, String)
			return
		case c == '{' && level+1 < maxLevel:
			p.pos++
			p.add(from, String)
			p.field(level+1, quote, triple)
			from = p.pos
			if !p.done() && p.src[p.pos] == '}' {
				p.pos++
			}
		default:
			p.pos++
		}
	}
	p.add(from, String)
}
