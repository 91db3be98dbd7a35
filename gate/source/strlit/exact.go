package strlit

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Unquote returns the value of a literal with its quotes, and whether an escape wrote a
// character that needs none. ok is false for what is no literal, and for an escape that
// is no valid one. In a raw literal a backslash has no meaning.
func Unquote(lit []byte, raw bool) (value string, escaped, ok bool) {
	if len(lit) < 2 {
		return "", false, false
	}
	mark := lit[0]
	n := 1
	if len(lit) >= 6 && lit[1] == mark && lit[2] == mark {
		n = 3
	}
	if mark != '"' && mark != '\'' && mark != '`' || lit[len(lit)-1] != mark {
		return "", false, false
	}
	body := string(lit[n : len(lit)-n])
	if raw || strings.IndexByte(body, '\\') < 0 {
		return body, false, true
	}
	return Unescape(body)
}

// Unescape resolves the escapes that Python, JavaScript and Go share, as [Unquote] does.
func Unescape(s string) (value string, escaped, ok bool) {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case '\n':
		case 'x', 'u', 'U':
			digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			text := s[i+1 : min(len(s), i+1+digits)]
			if c == 'u' && strings.HasPrefix(s[i+1:], "{") {
				end := strings.IndexByte(s[i:], '}')
				if end < 0 || end > 10 {
					return "", false, false
				}
				text, digits = s[i+2:i+end], end
			}
			v, err := strconv.ParseUint(text, 16, 32)
			if err != nil || v > utf8.MaxRune {
				return "", false, false
			}
			out = utf8.AppendRune(out, rune(v))
			i += digits
			escaped = true
		case '0', '1', '2', '3', '4', '5', '6', '7':
			end := i
			for end < len(s) && end < i+3 && s[end] >= '0' && s[end] <= '7' {
				end++
			}
			v, _ := strconv.ParseUint(s[i:end], 8, 16) // at most three octal digits
			out = append(out, byte(v))
			escaped = escaped || v >= ' '
			i = end - 1
		default:
			out = append(out, c)
		}
	}
	return string(out), escaped, true
}
