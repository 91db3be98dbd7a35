package lex

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aigate/gate/gate/source/char"
)

// javascript is the lexer of JavaScript and TypeScript. It knows comments, strings,
// templates with code in them, and regular expressions as far as they can be told
// from divisions without parsing.
type javascript struct {
	scanner
	noRegexp int            // no regular expression ends before this offset
	elements map[string]int // where the last end tag of a name is
}

func (j *javascript) split() {
	if j.has("#!") {
		j.restOfLine()
		j.add(0, Comment)
	}
	for !j.done() {
		if j.token(); j.pos > len(j.src) {
			j.pos = len(j.src)
		}
	}
}

func (j *javascript) token() {
	start := j.pos
	switch c := j.src[j.pos]; c {
	case '/':
		j.slash()
	case '"', '\'':
		j.quoted(c, true, false)
		j.add(start, String)
	case '`':
		j.pos++
		j.template(start)
	case '(', '[', '{':
		j.brackets.open(c)
		j.pos++
	case ')':
		j.brackets.shut('(')
		j.pos++
	case ']':
		j.brackets.shut('[')
		j.pos++
	case '}':
		j.pos++
		if j.brackets.inside("`") { // the code in a template ends
			j.brackets.pop()
			j.template(start)
			return
		}
		if j.brackets.inside(string(rune(tagKind))) { // the code in a tag ends
			j.brackets.pop()
			j.markup(true)
			return
		}
		j.brackets.shut('{')
		j.markup(false)
	case '\n', '\r':
		if j.brackets.inside("([`") {
			j.join()
		}
		j.pos++
	case '<':
		if j.element() {
			return
		}
		if j.pos++; j.has("!--") {
			j.toLineEnd()
		}
	case '-':
		if j.has("-->") && beginsLine(j.src, j.out.Spans, j.pos) {
			j.toLineEnd()
			return
		}
		j.pos++
	default:
		j.plain(&javascriptStops)
	}
}

// javascriptStops are the bytes that the lexer of JavaScript looks at.
var javascriptStops = stopsAt("/\"'`()[]{}\n\r<-")

// toLineEnd goes to the end of the line, which U+2028 and U+2029 are, too: they are invisible. What a
// script has behind "<!--", or behind "-->" at the start of a line, is a comment, and in a module it is
// code (https://tc39.es/ecma262/#sec-html-like-comments). So it stays code here, in which no comment
// and no string begins.
func (j *javascript) toLineEnd() {
	for !j.atEnd() && !j.has("\u2028") && !j.has("\u2029") {
		j.pos++
	}
}

// beginsLine reports whether only blanks and comments are before pos on its line; spans are those before it.
func beginsLine(src []byte, spans []Span, pos int) bool {
	for i := pos; i > 0; {
		if n := len(spans); n > 0 && spans[n-1].End == i && spans[n-1].Class == Comment {
			if bytes.ContainsAny(src[spans[n-1].Start:i], "\n\r\u2028\u2029") {
				return true
			}
			i, spans = spans[n-1].Start, spans[:n-1]
			continue
		}
		r, size := utf8.DecodeLastRune(src[:i])
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return true
		case !unicode.IsSpace(r) && r != '\uFEFF':
			return false
		}
		i -= size
	}
	return true
}

// template goes from inside a template to its end or to the code in it. The
// span begins at start.
func (j *javascript) template(start int) {
	for !j.done() {
		switch {
		case j.src[j.pos] == '\\':
			j.pos++
		case j.src[j.pos] == '`':
			j.pos++
			j.add(start, String)
			return
		case j.has("${") && !j.brackets.full():
			j.pos += 2
			j.add(start, String)
			j.brackets.open('`')
			return
		}
		j.pos++
	}
	j.add(start, String)
}

// slash is a comment, a regular expression or a division.
func (j *javascript) slash() {
	start := j.pos
	switch {
	case j.peek(1) == '/':
		j.toLineEnd()
		j.add(start, Comment)
	case j.peek(1) == '*':
		j.pos += 2
		j.skipPast("*/")
		j.add(start, Comment)
	case j.regexpMayBegin():
		if j.regexp() {
			j.add(start, String)
			return
		}
		j.pos = start + 1
	default:
		j.pos++
	}
}

// regexpMayBegin looks at what comes before a slash: after a value it divides.
func (j *javascript) regexpMayBegin() bool {
	i := j.pos - 1
	for i >= 0 && isBlank(j.src[i]) {
		i--
	}
	if i < 0 {
		return true
	}
	c := j.src[i]
	if strings.IndexByte(")]}\"'`.$", c) >= 0 {
		return false
	}
	if !char.IsWord(c) {
		return true
	}
	end := i + 1
	for i >= 0 && end-i < 12 && char.IsWord(j.src[i]) {
		i--
	}
	switch string(j.src[i+1 : end]) {
	case "return", "typeof", "case", "in", "of", "void", "delete", "throw", "new", "do", "else", "yield", "await":
		return true
	}
	return false
}

// regexp goes behind a regular expression and reports whether there was one on
// this line. A failed try is remembered, so that a line full of slashes is not
// searched again for each of them.
func (j *javascript) regexp() bool {
	if j.pos < j.noRegexp {
		return false
	}
	class := false
	for j.pos++; !j.atEnd(); j.pos++ {
		switch j.src[j.pos] {
		case '\\':
			if j.peek(1) != '\n' && j.peek(1) != '\r' {
				j.pos++
			}
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				j.pos++
				return true
			}
		}
	}
	j.noRegexp = j.pos
	return false
}
