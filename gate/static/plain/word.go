package plain

import (
	"bytes"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/strlit"
)

// wordReader reads one word.
type wordReader struct {
	*reader
	at    int
	text  []byte
	fixed bool   // nothing is put in when it runs
	inner string // the program of a substitution
	parts int    // pieces that the word is made of
}

// word reads the word at an offset, with the commands in it.
func (r *reader) word(i int) word {
	w := &wordReader{reader: r, at: i, fixed: true}
	for w.at < len(r.src) && w.piece() {
		w.parts++
	}
	end := min(w.at, len(r.src))
	out := word{start: i, end: end, value: string(w.text[:min(len(w.text), maxWord)]), constant: w.fixed}
	if w.parts == 1 {
		out.inner = w.inner
	}
	return out
}

// piece reads a piece of a word; false at its end.
func (w *wordReader) piece() bool {
	c := w.src[w.at]
	rest := w.src[w.at:]
	switch {
	case c == '\'':
		w.quoted()
	case c == '"':
		w.double()
	case bytes.HasPrefix(rest, []byte("$'")):
		w.ansi()
	case bytes.HasPrefix(rest, []byte(`$"`)):
		w.at++
	case c == '$':
		w.dollar()
	case c == '`':
		if w.ticks {
			return false
		}
		w.substitution(w.at+1, '`')
	case c == '\\':
		if len(rest) > 1 && rest[1] != '\n' && rest[1] != '\r' {
			w.text = append(w.text, rest[1])
		} else if len(rest) > 1 && w.parts == 0 {
			return false
		}
		w.at += 2
	case c <= ' ' || bytes.IndexByte([]byte(";|&<>()"), c) >= 0:
		return false
	default:
		start := w.at
		for w.at < len(w.src) && w.src[w.at] > ' ' && bytes.IndexByte([]byte(";|&<>()'\"$`\\"), w.src[w.at]) < 0 {
			w.at++
		}
		w.text = append(w.text, w.src[start:w.at]...)
	}
	return true
}

// quoted reads '…'. One that doesn't end ends with its line.
func (w *wordReader) quoted() {
	start := w.at + 1
	n := bytes.IndexByte(w.src[start:], '\'')
	if n < 0 {
		n = w.comment(start) - start
		w.at = start + n
	} else {
		w.at = start + n + 1
	}
	w.text = append(w.text, w.src[start:start+n]...)
}

// ansi reads $'…'.
func (w *wordReader) ansi() {
	start := w.at + 2
	end := start
	for end < len(w.src) && w.src[end] != '\'' {
		if w.src[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(w.src))
	if value, _, ok := strlit.Unescape(string(w.src[start:end])); ok {
		w.text = append(w.text, value...)
	} else {
		w.fixed = false
	}
	w.at = end + 1
}

// double reads "…" with the commands in it.
func (w *wordReader) double() {
	for w.at++; w.at < len(w.src); {
		switch c := w.src[w.at]; {
		case c == '"':
			w.at++
			return
		case c == '\\' && w.at+1 < len(w.src):
			w.text = append(w.text, w.src[w.at+1])
			w.at += 2
		case c == '$':
			w.dollar()
		case c == '`':
			if w.ticks {
				return
			}
			w.substitution(w.at+1, '`')
		default:
			w.text = append(w.text, c)
			w.at++
		}
	}
}

// dollar reads what follows a $.
func (w *wordReader) dollar() {
	rest := w.src[w.at:]
	switch {
	case bytes.HasPrefix(rest, []byte("$(")):
		w.substitution(w.at+2, ')')
		return
	case bytes.HasPrefix(rest, []byte("${")):
		end := bytes.IndexAny(rest, "}\n")
		if end < 0 {
			end = len(rest) - 1
		}
		w.text = append(w.text, rest[:end+1]...)
		w.at += end + 1
	default:
		end := 1
		for end < len(rest) && char.IsWord(rest[end]) {
			end++
		}
		if end == 1 && len(rest) > 1 && bytes.IndexByte([]byte("@*#?$!-"), rest[1]) >= 0 {
			end = 2
		}
		w.text = append(w.text, rest[:end]...)
		w.at += end
	}
	w.fixed = false
}

// says matches commands that only print a word.
var says = regexp.MustCompile(`^\s*(?:printf|echo)\s+(?:-n\s+)?(?:--\s+)?(?:["']?%s["']?\s+)?["']?([\w./-]+)["']?\s*$`)

// substitution reads the commands from an offset to a closing byte.
func (w *wordReader) substitution(start int, closing byte) {
	ticks := w.ticks
	w.ticks = closing == '`'
	w.reader.out.inner = ""
	end := w.list(start, closing)
	w.ticks, w.inner = ticks, w.reader.out.inner
	if m := says.FindSubmatch(w.src[start:min(end, start+maxWord)]); m != nil {
		w.text = append(w.text, m[1]...)
	} else {
		w.fixed = false
		w.text = append(w.text, '$')
	}
	w.at = end + 1
}
