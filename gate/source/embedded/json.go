package embedded

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate/source/strlit"
)

// jsonReader reads JSON token by token and knows on which line each begins. It takes
// what programs take that are more lenient than the standard: a byte order mark,
// comments, commas too many or too few, quotes of both kinds, names without
// quotes. What makes no sense at all is left out.
type jsonReader struct {
	content []byte
	at      int
	lines   lineIndex
}

// jsonToken is a bracket, or a value or a name.
type jsonToken struct {
	delim  byte // one of {}[], or 0
	text   string
	isText bool // it is in quotes
}

func newJSONReader(content []byte) *jsonReader {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	return &jsonReader{content: content, lines: newLineIndex(content)}
}

// skipBlank goes to the next token, past blanks, comments, commas and colons.
func (r *jsonReader) skipBlank() {
	for r.at < len(r.content) {
		rest := r.content[r.at:]
		switch {
		case strings.IndexByte(" \t\r\n,:\v\f", rest[0]) >= 0:
			r.at++
		case bytes.HasPrefix(rest, []byte("//")) || rest[0] == '#':
			r.to(rest, "\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			r.to(rest, "*/")
		case bytes.HasPrefix(rest, []byte("\u00a0")) || bytes.HasPrefix(rest, []byte("\ufeff")):
			r.at += 2
		default:
			return
		}
	}
}

// to goes behind the next occurrence of a text, or to the end.
func (r *jsonReader) to(rest []byte, end string) {
	if i := bytes.Index(rest, []byte(end)); i >= 0 {
		r.at += i + len(end)
		return
	}
	r.at = len(r.content)
}

// more reports whether another value comes before the closing bracket.
func (r *jsonReader) more() bool {
	r.skipBlank()
	return r.at < len(r.content) && r.content[r.at] != '}' && r.content[r.at] != ']'
}

// token returns the next token and the line on which it begins. It reports false at
// the end.
func (r *jsonReader) token() (jsonToken, int, bool) {
	r.skipBlank()
	if r.at >= len(r.content) {
		return jsonToken{}, 0, false
	}
	start, line := r.at, r.lines.of(r.at)
	switch c := r.content[r.at]; c {
	case '{', '}', '[', ']':
		r.at++
		return jsonToken{delim: c}, line, true
	case '"', '\'', '`':
		for r.at++; r.at < len(r.content) && r.content[r.at] != c; r.at++ {
			if r.content[r.at] == '\\' {
				r.at++
			}
		}
		end := min(r.at, len(r.content))
		r.at = min(r.at+1, len(r.content))
		return jsonToken{text: strlit.UnescapeLoosely(string(r.content[start+1 : end])), isText: true}, line, true
	}
	for r.at++; r.at < len(r.content) && strings.IndexByte(" \t\r\n,:{}[]\"'/", r.content[r.at]) < 0; r.at++ {
	}
	return jsonToken{text: string(r.content[start:r.at])}, line, true
}

// object calls field for each key of the object that begins next. field must
// consume the value. It reports whether there was an object, read to its end.
func (r *jsonReader) object(field func(key string) bool) bool {
	t, _, ok := r.token()
	if !ok || t.delim != '{' {
		return ok && r.rest(t)
	}
	for r.more() {
		key, _, ok := r.token()
		if !ok || key.delim != 0 {
			return false
		}
		if !r.more() { // a key without a value
			break
		}
		if !field(key.text) {
			return false
		}
	}
	_, _, ok = r.token()
	return ok
}

// array calls element for each element of the array that begins next.
func (r *jsonReader) array(element func() bool) bool {
	t, _, ok := r.token()
	if !ok || t.delim != '[' {
		return ok && r.rest(t)
	}
	for r.more() {
		if !element() {
			return false
		}
	}
	_, _, ok = r.token()
	return ok
}

// skip consumes one value.
func (r *jsonReader) skip() bool {
	t, _, ok := r.token()
	return ok && r.rest(t)
}

// rest consumes what is left of the value that began with t.
func (r *jsonReader) rest(t jsonToken) bool {
	depth := 0
	for {
		switch t.delim {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth <= 0 {
			return true
		}
		var ok bool
		if t, _, ok = r.token(); !ok {
			return false
		}
	}
}

// texts consumes a string, or an array of strings, and passes each on.
func (r *jsonReader) texts(yield func(text string, line int)) bool {
	t, line, ok := r.token()
	if !ok {
		return false
	}
	if t.isText {
		yield(t.text, line)
		return true
	}
	if t.delim != '[' {
		return r.rest(t)
	}
	for r.more() {
		t, line, ok := r.token()
		if !ok {
			return false
		}
		if t.isText {
			yield(t.text, line)
		} else if !r.rest(t) {
			return false
		}
	}
	_, _, ok = r.token()
	return ok
}
