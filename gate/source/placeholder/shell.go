package placeholder

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// shellChange matches a variable of a shell and how it is changed.
var shellChange = regexp.MustCompile(`(?s)^(\w+)(,,?|\^\^?|//?.*|##?.+|%%?.+|:\s*-?\d+(?:\s*:\s*\d+)?)$`)

// shellChanged is a value as a shell changes it: ${A,,}, ${A//x/y}, ${A#x}, ${A:1:3}.
func shellChanged(v, how string) (string, bool) {
	switch how[0] {
	case ',':
		return strings.ToLower(v), true
	case '^':
		return strings.ToUpper(v), true
	case '/':
		body := strings.TrimLeft(how, "/")
		from, to, _ := strings.Cut(body, "/")
		n := -1
		if !strings.HasPrefix(how, "//") {
			n = 1
		}
		if from == "" || len(to) > maxText/max(len(v), 1) {
			return "", false
		}
		return strings.Replace(v, from, to, n), true
	case '#':
		return cutFront(v, strings.TrimLeft(how, "#"), strings.HasPrefix(how, "##")), true
	case '%':
		return cutBack(v, strings.TrimLeft(how, "%"), strings.HasPrefix(how, "%%")), true
	}
	from, size, cut := strings.Cut(strings.TrimPrefix(how, ":"), ":")
	start, ok := number(from)
	if start < 0 {
		start += len(v)
	}
	if !ok || start < 0 || start > len(v) {
		return "", false
	}
	n, ok := number(size)
	if !cut || !ok {
		n = len(v)
	}
	return v[start:min(start+max(n, 0), len(v))], true
}

// cutFront removes what a pattern matches at the front: a text, or "*" and a text.
func cutFront(v, pattern string, longest bool) string {
	text, any := strings.CutPrefix(pattern, "*")
	if !any {
		return strings.TrimPrefix(v, text)
	}
	i := strings.Index(v, text)
	if longest {
		i = strings.LastIndex(v, text)
	}
	if i < 0 {
		return v
	}
	return v[i+len(text):]
}

// cutBack removes what a pattern matches at the back: a text, or a text and "*".
func cutBack(v, pattern string, longest bool) string {
	text, any := strings.CutSuffix(pattern, "*")
	if !any {
		return strings.TrimSuffix(v, text)
	}
	i := strings.LastIndex(v, text)
	if longest {
		i = strings.Index(v, text)
	}
	if i < 0 {
		return v
	}
	return v[:i]
}
