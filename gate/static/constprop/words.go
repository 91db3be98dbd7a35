package constprop

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/source/strlit"
)

// words takes quotes, backslashes and empty substitutions out of the words of a
// shell script that mix them with letters: c""url, 'b'ash, \r\m, $'\x63url',
// cat${IFS}x. Words that are quoted as a whole stay as they are.
func words(src []byte) ([]byte, bool) {
	if bytes.IndexByte(src, '\\') < 0 && bytes.IndexByte(src, '\'') < 0 && bytes.IndexByte(src, '"') < 0 &&
		!bytes.Contains(src, []byte("IFS")) && !hasNothing(src) {
		return nil, false
	}
	text := lex.Scan(gate.LanguageShell, src)
	var out []byte
	for at := 0; at < len(src); {
		if separates(src[at]) {
			at++
			continue
		}
		end, plain, ok := word(src, at)
		if ok && text.At(at) != lex.Comment && len(plain) < end-at {
			if out == nil {
				out = bytes.Clone(src)
			}
			write(out[at:end], plain)
		}
		at = max(end, at+1)
	}
	return out, out != nil
}

// maxWord bounds what is taken for one word.
const maxWord = 300 // bytes

// word reads one word. ok is set when it is spelled in an odd way and makes a
// plain word.
func word(src []byte, at int) (end int, plain string, ok bool) {
	w := wordReader{src: src, start: at, pos: at}
	for w.pos < len(src) && w.pos-at < maxWord {
		if n := nothing(src, w.pos); n > 0 {
			w.pos += n
			w.odd = true
			continue
		}
		if separates(src[w.pos]) {
			break
		}
		if !w.piece() {
			return w.pos, "", false
		}
	}
	return w.pos, string(w.out), w.letters && w.odd && len(w.out) > 1
}

// nothings are what a shell replaces by nothing: commands that print nothing, and the
// arguments of a script that has none.
var nothings = []string{"$(:)", "$()", "$( )", "$(true)", "$(false)", "``", "`:`", "`true`", "`false`", "$@", "$*", "${@}", "${*}", "$!", "${!}", "$(: )", "$(exit)"}

// hasNothing is a cheap test for nothing.
func hasNothing(src []byte) bool {
	for _, n := range nothings {
		if bytes.Contains(src, []byte(n)) {
			return true
		}
	}
	return false
}

// nothing is the length of what a shell replaces by nothing between two letters.
func nothing(src []byte, at int) int {
	if c := src[at]; c != '$' && c != '`' || at == 0 || !inWord(src[at-1]) {
		return 0
	}
	for _, n := range nothings {
		if end := at + len(n); bytes.HasPrefix(src[at:], []byte(n)) && end < len(src) && (inWord(src[end]) || src[end] == '$' || src[end] == '`') {
			return len(n)
		}
	}
	return 0
}

// inWord reports whether a byte may be in the middle of a word.
func inWord(c byte) bool {
	return isLatin(rune(c)) || isDigit(c) || c == ')' || c == '`' || c == '@' || c == '*' || c == '}' || c == '!' || c == '/' || c == '.'
}

// wordReader reads one word of a shell script piece by piece.
type wordReader struct {
	src     []byte
	start   int
	pos     int
	out     []byte // the word without quotes
	letters bool   // it has letters outside of quotes
	odd     bool   // it is spelled as a plain word never is
}

// piece reads a byte or a quoted piece. It reports false for what makes the word
// anything but a plain one; the search goes on at pos.
func (w *wordReader) piece() bool {
	switch c := w.src[w.pos]; c {
	case '\\':
		if w.pos+1 < len(w.src) {
			w.escape()
			return true
		}
	case '\'', '"':
		return w.quoted()
	case '$':
		return w.dollar()
	case '=', '(', '{', '*', '?', '[', '#':
		w.pos++
		return false // an assignment, an expansion or a pattern: quotes matter there
	}
	c := w.src[w.pos]
	w.letters = w.letters || isLatin(rune(c)) || c == '/' || c == '.'
	w.out = append(w.out, c)
	w.pos++
	return true
}

// escape reads a backslash and the byte behind it.
func (w *wordReader) escape() {
	next := w.src[w.pos+1]
	w.odd = w.odd || next >= 'a' && next <= 'z'
	w.out = append(w.out, next)
	w.pos += 2
}

// dollar reads $'…' and $IFS, which is a blank. Other variables make no plain word.
func (w *wordReader) dollar() bool {
	rest := w.src[w.pos:]
	switch {
	case len(rest) > 1 && rest[1] == '\'':
		w.pos++
		return w.ansi()
	case bytes.HasPrefix(rest, []byte("${IFS}")):
		w.pos += len("${IFS}")
	case bytes.HasPrefix(rest, []byte("$IFS$9")):
		w.pos += len("$IFS$9")
	case bytes.HasPrefix(rest, []byte("$IFS")):
		w.pos += len("$IFS")
	default:
		w.pos++
		return false
	}
	w.out, w.odd, w.letters = append(w.out, ' '), true, true
	return true
}

// body goes behind the quoted piece at pos and returns what is between its quotes.
func (w *wordReader) body() ([]byte, bool) {
	open := w.pos
	n := bytes.IndexByte(w.src[open+1:min(len(w.src), open+maxWord)], w.src[open])
	if n < 0 {
		w.pos = w.start + 1
		return nil, false
	}
	w.pos = open + n + 2
	return w.src[open+1 : open+1+n], true
}

// quoted reads a piece in quotes: one with blanks or expansions is no plain word.
func (w *wordReader) quoted() bool {
	body, ok := w.body()
	if !ok || bytes.ContainsAny(body, " \t\n$`\\") {
		return false
	}
	w.out, w.odd = append(w.out, body...), true
	return true
}

// ansi reads the quotes of $'…', in which escapes spell characters.
func (w *wordReader) ansi() bool {
	body, ok := w.body()
	if !ok {
		return false
	}
	value, escaped, ok := strlit.Unescape(string(body))
	if !ok || strings.ContainsAny(value, " \t\n") {
		return false
	}
	w.out, w.odd, w.letters = append(w.out, value...), w.odd || escaped, w.letters || escaped
	return true
}

func separates(c byte) bool {
	switch c {
	case ';', '|', '&', '(', ')', '<', '>', '`':
		return true
	}
	return isSpace(c)
}
