package lex

import (
	"bytes"
	"slices"

	"github.com/aigate/gate/gate/source/char"
)

// The kinds of nesting that JSX adds: the content of an element, and code in braces in a tag.
const (
	elementKind = 'e'
	tagKind     = 't'
)

// maxElementNames bounds the names of elements whose end is looked for.
const maxElementNames = 1000

// element goes behind a tag that begins at pos, where one does: at the start of an expression, with an end of
// its own or an end tag behind it. Quotes and comment signs in the text of an element are text.
func (j *javascript) element() bool {
	if !j.regexpMayBegin() || j.brackets.full() {
		return false
	}
	i := j.pos + 1
	for i < len(j.src) && (char.IsWord(j.src[i]) || j.src[i] == '.' || j.src[i] == '-' || j.src[i] == ':' || j.src[i] == '$') {
		i++
	}
	name := string(j.src[j.pos+1 : i])
	if name == "" && (i >= len(j.src) || j.src[i] != '>') || i >= len(j.src) || name != "" && name[0] >= '0' && name[0] <= '9' {
		return false
	}
	if !j.ends(name, i) {
		return false
	}
	j.pos = i
	j.markup(true)
	return true
}

// markup goes on in a tag or in the content of an element, to where that ends or code begins in it.
func (j *javascript) markup(inTag bool) {
	for more := true; more; inTag = !inTag {
		if inTag {
			more = j.tag()
		} else {
			more = j.content()
		}
	}
}

// ends reports whether an element with that name has an end behind an offset.
func (j *javascript) ends(name string, at int) bool {
	if last, ok := j.elements[name]; ok {
		return last > at || endsItself(j.src, at)
	}
	if len(j.elements) >= maxElementNames {
		return false
	}
	if j.elements == nil {
		j.elements = map[string]int{}
	}
	j.elements[name] = bytes.LastIndex(j.src, []byte("</"+name))
	return j.elements[name] > at || endsItself(j.src, at)
}

// maxTag bounds the tag that ends itself, in bytes.
const maxTag = 4 << 10

// endsItself reports whether the tag of an offset ends with "/>".
func endsItself(src []byte, at int) bool {
	inside, _, found := bytes.Cut(src[at:min(len(src), at+maxTag)], []byte("/>"))
	return found && !bytes.ContainsAny(inside, ";<")
}

// tag goes from inside a tag to its end, or to the code in it: then ended does not hold.
func (j *javascript) tag() (ended bool) {
	inner := 0 // arguments of a generic component
	for !j.done() {
		start := j.pos
		switch c := j.src[j.pos]; {
		case c == '"' || c == '\'':
			j.quoted(c, false, true)
			j.add(start, String)
		case c == '{' && !j.brackets.full():
			j.brackets.open(tagKind)
			j.pos++
			return false
		case c == '/' && j.peek(1) == '>':
			j.pos += 2
			return true
		case c == '/' && (j.peek(1) == '/' || j.peek(1) == '*'):
			j.slash()
		case c == '<':
			inner++
			j.pos++
		case c == '>' && inner > 0:
			inner--
			j.pos++
		case c == '>':
			j.pos++
			j.brackets.open(elementKind)
			return true
		default:
			j.lineIn(c)
		}
	}
	return false
}

// lineIn passes over one byte of an element.
func (j *javascript) lineIn(c byte) {
	if c == '\n' || c == '\r' {
		for _, kind := range slices.Backward(j.brackets) {
			if kind != elementKind {
				if kind == '(' || kind == '[' || kind == '`' {
					j.join()
				}
				break
			}
		}
	}
	j.pos++
}

// content goes through the content of an element, as far as pos is in one, to the next tag: then begins holds.
func (j *javascript) content() (begins bool) {
	for !j.done() && j.brackets.inside(string(rune(elementKind))) {
		c := j.src[j.pos]
		switch {
		case c == '{' && !j.brackets.full():
			j.brackets.open('{')
			j.pos++
			return false
		case c == '<' && j.peek(1) == '/':
			j.brackets.pop()
			for !j.done() && j.src[j.pos] != '>' {
				j.lineIn(j.src[j.pos])
			}
			j.pos++
		case c == '<' && (char.IsNameStart(j.peek(1)) || j.peek(1) == '>') && !j.brackets.full():
			j.pos++
			return true
		default:
			j.lineIn(c)
		}
	}
	return false
}
