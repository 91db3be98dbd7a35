package strlit

import (
	"strconv"
	"strings"
)

// TrimQuotes drops one quote, or three, from both ends, as far as they are there: the
// literal may be cut.
func TrimQuotes(raw string) string {
	quotes := 0
	for quotes < 3 && quotes < len(raw) && strings.IndexByte("\"'`", raw[quotes]) >= 0 && raw[quotes] == raw[0] {
		quotes++
	}
	if quotes == 2 { // an empty string
		quotes = 1
	}
	body := raw[quotes:]
	if n := len(body) - quotes; quotes > 0 && n >= 0 && body[n:] == raw[:quotes] {
		body = body[:n]
	}
	return body
}

// UnescapeLoosely is [Unescape] for text that is read in any case: an escape that it
// doesn't know, such as an octal one, becomes the character behind the backslash.
func UnescapeLoosely(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
		switch c := s[i]; {
		case c == 'n':
			out.WriteByte('\n')
		case c == 't':
			out.WriteByte('\t')
		case c == '\n':
		case digits > 0 && i+digits < len(s):
			if v, err := strconv.ParseUint(s[i+1:i+1+digits], 16, 32); err == nil {
				out.WriteRune(rune(v))
				i += digits
			}
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}
