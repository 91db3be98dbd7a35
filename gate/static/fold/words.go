package fold

import (
	"bytes"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
)

// words takes quotes, backslashes and empty substitutions out of the words of a
// shell script that mix them with letters: c""url, 'b'ash, \r\m, $'\x63url',
// cat${IFS}x. Words that are quoted as a whole stay as they are.
func words(src []byte) ([]byte, bool) {
	if bytes.IndexByte(src, '\\') < 0 && bytes.IndexByte(src, '\'') < 0 && bytes.IndexByte(src, '"') < 0 &&
		!bytes.Contains(src, []byte("IFS")) {
		return nil, false
	}
	text := lex.Split(gate.LanguageShell, src)
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
	var out []byte
	letters, odd := false, false
	i := at
	for i < len(src) && i-at < maxWord && !separates(src[i]) {
		switch c := src[i]; {
		case c == '\\' && i+1 < len(src):
			if next := src[i+1]; next >= 'a' && next <= 'z' {
				odd = true
			}
			out = append(out, src[i+1])
			i += 2
		case c == '\'' || c == '"', c == '$' && i+1 < len(src) && src[i+1] == '\'':
			ansi := c == '$'
			if ansi {
				i++
			}
			n := bytes.IndexByte(src[i+1:min(len(src), i+maxWord)], src[i])
			if n < 0 {
				return at + 1, "", false
			}
			body := src[i+1 : i+1+n]
			if bytes.ContainsAny(body, " \t\n$`\\") && !ansi {
				return i + n + 2, "", false
			}
			if ansi {
				value, escaped, fine := unescape(string(body))
				if !fine || bytes.ContainsAny([]byte(value), " \t\n") {
					return i + n + 2, "", false
				}
				body, odd, letters = []byte(value), odd || escaped, letters || escaped
			} else {
				odd = true
			}
			out = append(out, body...)
			i += n + 2
		case bytes.HasPrefix(src[i:], []byte("${IFS}")):
			out, odd, letters = append(out, ' '), true, true
			i += 6
		case bytes.HasPrefix(src[i:], []byte("$IFS")):
			out, odd, letters = append(out, ' '), true, true
			i += 4
			if i < len(src) && src[i] == '$' && i+1 < len(src) && src[i+1] == '9' {
				i += 2
			}
		case c == '=' || c == '$' || c == '(' || c == '{' || c == '*' || c == '?' || c == '[' || c == '#':
			return i + 1, "", false // an assignment, an expansion or a pattern: quotes matter there
		default:
			letters = letters || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '/' || c == '.'
			out = append(out, c)
			i++
		}
	}
	return i, string(out), letters && odd && len(out) > 1
}

func separates(c byte) bool {
	switch c {
	case ';', '|', '&', '(', ')', '<', '>', '`':
		return true
	}
	return isSpace(c)
}
