package build

import (
	"strconv"
	"strings"
)

// token is a piece of a build script: a string with what is in it, a name, a number, or a sign.
type token struct {
	kind       tokenKind
	text       string // of a string: without its quotes and escapes
	start, end int    // in the script
	line       bool   // it is the first of its line
	indented   bool   // its line begins with blanks
}

type tokenKind uint8

const (
	signToken tokenKind = iota
	nameToken
	numberToken
	stringToken
)

// maxTokens bounds what is read of one script.
const maxTokens = 500_000

// tokens splits a script. hash says that "#" begins comments, slashes that "//" does.
func tokens(b *budget, src string, hash, slashes bool) []token {
	var out []token
	line, indented := true, strings.HasPrefix(src, " ") || strings.HasPrefix(src, "\t")
	for i := 0; i < len(src) && !b.full(len(out), maxTokens, "words and signs"); {
		c := src[i]
		rest := src[i:]
		switch {
		case c == '\n':
			line = true
			i++
			indented = i < len(src) && (src[i] == ' ' || src[i] == '\t')
			continue
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case hash && c == '#', slashes && strings.HasPrefix(rest, "//"):
			for i < len(src) && src[i] != '\n' {
				i++
			}
			continue
		case slashes && strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return out
			}
			i += end + 4
			continue
		}
		t := token{start: i, line: line, indented: indented}
		line = false
		switch {
		case c == '"' || c == '\'' || c == '`':
			t.kind = stringToken
			t.text, t.end = stringAt(src, i)
		case isLetter(c) || c == '_':
			for t.end = i; t.end < len(src) && isNameByte(src[t.end]); t.end++ {
			}
			t.kind, t.text = nameToken, src[i:t.end]
		case c >= '0' && c <= '9':
			for t.end = i; t.end < len(src) && (isNameByte(src[t.end]) || src[t.end] == '.' && t.end+1 < len(src) && isDigitOf(src[t.end+1], 16)); t.end++ {
			}
			t.kind, t.text = numberToken, src[i:t.end]
		default:
			t.text = src[i : i+1]
			for _, sign := range []string{"..", "++", "<>", "+=", "==", "->", "=>", ":=", "::"} {
				if strings.HasPrefix(rest, sign) {
					t.text = sign
					break
				}
			}
			t.end = i + len(t.text)
		}
		out = append(out, t)
		i = t.end
	}
	return out
}

// stringAt reads the string that begins at an offset.
func stringAt(src string, at int) (text string, end int) {
	quote := src[at : at+1]
	if strings.HasPrefix(src[at:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	i := at + len(quote)
	for i < len(src) && !strings.HasPrefix(src[i:], quote) {
		switch {
		case src[i] == '\\':
			i++
		case len(quote) == 1 && src[i] == '\n' && quote != "`":
			return unescaped(src[at+1 : i]), i // it is not closed
		case strings.HasPrefix(src[i:], "${") || strings.HasPrefix(src[i:], "#{"):
			if body, ok := inline(src[i+2:]); ok { // quotes within are others
				i += len(body) + 2
			}
		}
		i++
	}
	end = min(len(src), i+len(quote))
	return unescapedText(src[at+len(quote) : min(i, len(src))]), end
}

// inline is the code up to the bracket that closes what was open before it, on one line.
func inline(s string) (string, bool) {
	depth, quote := 1, byte(0)
	for i := 0; i < len(s) && i < 400; i++ {
		switch c := s[i]; {
		case c == '\n':
			return "", false
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return s[:i], true
			}
		}
	}
	return "", false
}

// unescapedText undoes the escapes of a string.
func unescapedText(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && s[i+1] == '\n' {
			i++
			continue
		}
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("uU", s[i+1]) >= 0 {
			if r, n := unicodeEscape(s[i+1:]); n > 0 {
				out.WriteRune(r)
				i += n
				continue
			}
		}
		if s[i] == '\\' && i+1 < len(s) {
			n := escapeLength(s[i:])
			out.WriteString(unescaped(s[i : i+n]))
			i += n - 1
			continue
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// unicodeEscape reads \u0063 or \u{63} without its backslash.
func unicodeEscape(s string) (rune, int) {
	digits, n := "", 0
	if strings.HasPrefix(s[1:], "{") {
		if i := strings.IndexByte(s, '}'); i > 2 && i < 10 {
			digits, n = s[2:i], i+1
		}
	} else if len(s) >= 5 {
		digits, n = s[1:5], 5
	}
	r, err := strconv.ParseUint(digits, 16, 21)
	if err != nil {
		return 0, 0
	}
	return rune(r), n
}

// escapeLength is how long an escape of a letter, or of octal or hexadecimal digits, is.
func escapeLength(s string) int {
	base, most, n := 8, 4, 1
	if s[1] == 'x' {
		base, n = 16, 2
	}
	for n < len(s) && n < most && isDigitOf(s[n], base) {
		n++
	}
	return max(n, 2)
}
