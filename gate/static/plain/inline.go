package plain

import (
	"bytes"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// inlined writes functions out where they are called, if a download and what may run it come
// together by that, and reports whether it did: the result is read once more.
func (r *rewriter) inlined(calls []call, fetches bool) bool {
	var found []int
	for i, c := range calls {
		body, ok := r.body(c)
		if !ok {
			continue
		}
		found = append(found, i)
		fetches = fetches || mayFetch(body) && (len(calls) > 1 || bytes.IndexByte(body, '|') >= 0 && parameter.Match(body))
	}
	if !fetches {
		return false
	}
	for _, i := range found {
		c := calls[i]
		body, _ := r.body(c)
		text := r.onOneLine(body, c.rest)
		if r.written += len(text); r.written > maxWritten {
			return true
		}
		if len(calls) > 1 {
			text = "{ " + text + "; }"
		}
		r.replace(c.verb.start, c.words[len(c.words)-1].end, text)
		r.again = true
	}
	return len(found) > 0
}

// body is what a function does that a command calls.
func (r *rewriter) body(c call) ([]byte, bool) {
	f, ok := r.facts.functions[c.verb.value]
	if !ok || !c.verb.constant || f.end > len(r.src) || f.end <= f.start || f.end-f.start > maxBody || c.verb.start < f.end {
		return nil, false
	}
	return r.src[f.start:f.end], true
}

// parameter matches what a function is given.
var parameter = regexp.MustCompile(`"?\$(?:\{[1-9@*]\}|[1-9@*])"?`)

// onOneLine is the body of a function on one line, with what it is given.
func (r *rewriter) onOneLine(body []byte, given []word) string {
	var lines []string
	for line := range strings.Lines(string(body)) {
		if line = strings.TrimRight(strings.TrimSpace(line), "; "); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	text := strings.Join(lines, "; ")
	return parameter.ReplaceAllStringFunc(text, func(p string) string {
		name := strings.Trim(p, `"${}`)
		if name == "@" || name == "*" {
			if len(given) == 0 {
				return ""
			}
			return r.text(given[0].start, given[len(given)-1].end)
		}
		if i := int(name[0] - '1'); i < len(given) {
			return r.text(given[i].start, given[i].end)
		}
		return ""
	})
}

// text is a stretch of the script on one line.
func (r *rewriter) text(start, end int) string {
	return strings.ReplaceAll(string(r.src[start:min(end, start+maxWord)]), "\n", " ")
}
