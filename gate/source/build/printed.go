package build

import (
	"strconv"
	"strings"
)

// Printed is what a command prints that only prints a constant: echo or printf, through
// tr or rev. It reports false for any other.
func Printed(command string) (string, bool) {
	var out string
	for i, stage := range strings.Split(command, "|") {
		words, ok := shellWords(stage)
		if !ok || len(words) == 0 {
			return "", false
		}
		name := words[0][strings.LastIndexByte(words[0], '/')+1:]
		switch {
		case i == 0 && name == "echo":
			out = echoed(words[1:])
		case i == 0 && name == "printf" && len(words) > 1:
			if out, ok = formatted(words[1], words[2:]); !ok {
				return "", false
			}
		case i > 0 && name == "rev" && len(words) == 1:
			out = reverse(out)
		case i > 0 && name == "tr":
			if out, ok = translated(out, words[1:]); !ok {
				return "", false
			}
		case i > 0 && name == "cat" && len(words) == 1:
		default:
			return "", false
		}
	}
	return out, true
}

// shellWords splits a simple command. It reports false for one with anything in it that a
// shell would have to work out.
func shellWords(s string) ([]string, bool) {
	var words []string
	var word strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == '\'' && c != '\'':
			word.WriteByte(c)
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && i+1 < len(s):
			i++
			if quote == '"' && strings.IndexByte("\"\\$`\n", s[i]) < 0 {
				word.WriteByte('\\')
			}
			word.WriteByte(s[i])
			in = true
		case strings.IndexByte("$`", c) >= 0, quote == 0 && strings.IndexByte(";&<>()*?[]{}~#", c) >= 0:
			return nil, false
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, in = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words, quote == 0
}

func echoed(words []string) string {
	escapes := false
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "neE") == "" {
		escapes = escapes || strings.Contains(words[0], "e")
		words = words[1:]
	}
	text := strings.Join(words, " ")
	if escapes {
		text = unescaped(text)
	}
	return text
}

// formatted is what printf makes of a format and its arguments.
func formatted(format string, args []string) (string, bool) {
	format = unescaped(strings.ReplaceAll(format, "%%", "\x00"))
	var out strings.Builder
	for round := 0; round == 0 || len(args) > 0; round++ {
		if round > 0 && !strings.Contains(format, "%") || out.Len() > maxValue {
			return "", false
		}
		parts := strings.Split(format, "%")
		out.WriteString(parts[0])
		for _, part := range parts[1:] {
			if part == "" || strings.IndexByte("sbcd", part[0]) < 0 {
				return "", false
			}
			arg := ""
			if len(args) > 0 {
				arg, args = args[0], args[1:]
			}
			if part[0] == 'b' {
				arg = unescaped(arg)
			}
			if part[0] == 'c' && len(arg) > 1 {
				arg = arg[:1]
			}
			out.WriteString(arg + part[1:])
		}
	}
	return strings.ReplaceAll(out.String(), "\x00", "%"), true
}

func reverse(s string) string {
	runes := []rune(s)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

// translated is what tr makes of a text.
func translated(s string, words []string) (string, bool) {
	if len(words) != 2 {
		return "", false
	}
	if words[0] == "-d" {
		drop := characters(words[1])
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(drop, r) {
				return -1
			}
			return r
		}, s), true
	}
	from, to := []rune(characters(words[0])), []rune(characters(words[1]))
	if len(to) == 0 {
		return "", false
	}
	return strings.Map(func(r rune) rune {
		for i, f := range from {
			if f == r {
				return to[min(i, len(to)-1)]
			}
		}
		return r
	}, s), true
}

// characters writes out the ranges and classes of tr.
func characters(set string) string {
	set = strings.NewReplacer("[:lower:]", "a-z", "[:upper:]", "A-Z", "[:digit:]", "0-9").Replace(unescaped(set))
	var out strings.Builder
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' && set[i] <= set[i+2] {
			for c := set[i]; c < set[i+2]; c++ {
				out.WriteByte(c)
			}
			i++
			continue
		}
		out.WriteByte(set[i])
	}
	return out.String()
}

// unescaped undoes the escapes of printf and echo -e.
func unescaped(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		base, most, start := 8, 3, i
		switch c := s[i]; c {
		case 'n', 't', 'r':
			out.WriteByte(map[byte]byte{'n': '\n', 't': '\t', 'r': '\r'}[c])
			continue
		case 'x':
			base, most, start = 16, 2, i+1
		case '0':
			most = 4
		}
		end := start
		for end < len(s) && end-start < most && isDigitOf(s[end], base) {
			end++
		}
		n, err := strconv.ParseUint(s[start:end], base, 16)
		if err != nil {
			out.WriteByte(s[i])
			continue
		}
		out.WriteByte(byte(n))
		i = end - 1
	}
	return out.String()
}

func isDigitOf(c byte, base int) bool {
	return base == 8 && c >= '0' && c <= '7' || base == 16 && strings.IndexByte("0123456789abcdefABCDEF", c) >= 0
}
