package guard

import (
	"strconv"
	"strings"
)

// word reads one word. quoted says that a part of it was in quotes.
func (r *reader) word() (text string, quoted bool) {
	var b strings.Builder
	for r.pos < len(r.src) && *r.refused == "" {
		c := r.src[r.pos]
		switch c {
		case ' ', '\t', '\n', '\r', ';', '&', '|', '<', '>', '(', ')':
			return b.String(), quoted
		case '\'':
			quoted = true
			r.pos++
			b.WriteString(r.until('\''))
		case '"':
			quoted = true
			r.pos++
			r.double(&b)
		case '\\':
			r.pos++
			if r.pos < len(r.src) {
				if r.src[r.pos] != '\n' {
					b.WriteByte(r.src[r.pos])
				}
				r.pos++
			}
		case '$':
			quoted = r.dollar(&b) || quoted
		case '`':
			r.backquotes(&b)
		default:
			b.WriteByte(c)
			r.pos++
		}
	}
	return b.String(), quoted
}

// until returns the text up to a byte, and goes on behind it.
func (r *reader) until(end byte) string {
	rest := r.src[r.pos:]
	i := strings.IndexByte(rest, end)
	if i < 0 {
		r.pos = len(r.src)
		return rest
	}
	r.pos += i + 1
	return rest[:i]
}

// double reads the rest of a text in double quotes.
func (r *reader) double(b *strings.Builder) {
	for r.pos < len(r.src) && *r.refused == "" {
		switch c := r.src[r.pos]; c {
		case '"':
			r.pos++
			return
		case '\\':
			r.pos++
			if r.pos >= len(r.src) {
				return
			}
			if e := r.src[r.pos]; strings.IndexByte("$`\"\\\n", e) < 0 {
				b.WriteByte('\\')
			}
			if r.src[r.pos] != '\n' {
				b.WriteByte(r.src[r.pos])
			}
			r.pos++
		case '$':
			r.dollar(b)
		case '`':
			r.backquotes(b)
		default:
			b.WriteByte(c)
			r.pos++
		}
	}
}

// dollar reads what begins with a dollar sign: a quoted text, a substitution or a
// variable.
func (r *reader) dollar(b *strings.Builder) (quoted bool) {
	rest := r.src[r.pos:]
	switch {
	case strings.HasPrefix(rest, "$'"):
		r.pos += 2
		start := r.pos
		for r.pos < len(r.src) && r.src[r.pos] != '\'' {
			if r.src[r.pos] == '\\' {
				r.pos++
			}
			r.pos++
		}
		end := min(r.pos, len(r.src))
		b.WriteString(escaped(r.src[start:end]))
		r.pos = min(r.pos+1, len(r.src))
		return true
	case strings.HasPrefix(rest, `$"`):
		r.pos += 2
		r.double(b)
		return true
	case strings.HasPrefix(rest, "$("):
		start, first := r.pos, len(*r.out)
		r.pos += 2
		r.group(')')
		r.remember(r.src[start+2 : max(start+2, min(r.pos, len(r.src))-1)])
		r.substituted(b, first, r.src[start:min(r.pos, len(r.src))])
	case strings.HasPrefix(rest, "${"):
		r.pos += 2
		r.parameter(b, r.until('}'))
	default:
		r.pos++
		start := r.pos
		for r.pos < len(r.src) && isName("_"+r.src[r.pos:r.pos+1]) {
			r.pos++
		}
		name := r.src[start:r.pos]
		value, ok := r.vars[name]
		if !ok {
			value = "$" + name
		}
		r.put(b, value)
	}
	return false
}

// put writes what a variable or a substitution expands to. Variables that hold each other
// twice grow without an end; they are given up.
func (r *reader) put(b *strings.Builder, value string) {
	if *r.expanded += len(value); *r.expanded > maxExpanded {
		r.fail("its variables become too long to be read")
		return
	}
	b.WriteString(value)
}

// parameter puts in the value of a variable, or its default where it isn't known.
func (r *reader) parameter(b *strings.Builder, expr string) {
	n := 0
	for n < len(expr) && isName("_"+expr[n:n+1]) {
		n++
	}
	name, rest := expr[:n], expr[n:]
	value, ok := r.vars[name]
	switch {
	case ok && value != "":
		r.put(b, value)
	case strings.HasPrefix(rest, ":-"), strings.HasPrefix(rest, ":="), strings.HasPrefix(rest, ":+"):
		b.WriteString(rest[2:])
	case strings.HasPrefix(rest, "-"), strings.HasPrefix(rest, "="), strings.HasPrefix(rest, "+"):
		b.WriteString(rest[1:])
	case !ok && name != "" && rest == "":
		b.WriteString("$" + name)
	}
}

// backquotes reads a substitution of the old form.
func (r *reader) backquotes(b *strings.Builder) {
	r.pos++
	var inner strings.Builder
	start := r.pos
	for r.pos < len(r.src) && r.src[r.pos] != '`' {
		if r.src[r.pos] == '\\' && r.pos+1 < len(r.src) {
			r.pos++
		}
		inner.WriteByte(r.src[r.pos])
		r.pos++
	}
	raw := r.src[start:min(r.pos, len(r.src))]
	r.pos = min(r.pos+1, len(r.src))
	first := len(*r.out)
	r.remember(inner.String())
	r.nested(inner.String())
	r.substituted(b, first, "`"+raw+"`")
}

// remember keeps the text of a substitution, as long as all of them together aren't much.
func (r *reader) remember(text string) {
	if r.depth <= maxDepth && len(*r.inner) < maxInner {
		*r.inner = append(*r.inner, text)
	}
}

// substituted writes what a substitution gives: what its only command prints, or its own
// text, in which names can still be looked for.
func (r *reader) substituted(b *strings.Builder, first int, raw string) {
	if inner := (*r.out)[min(first, len(*r.out)):]; len(inner) == 1 {
		if text := printed(inner[0]); text != "" {
			r.put(b, strings.TrimRight(text, "\n"))
			return
		}
	}
	r.put(b, raw)
}

// escaped undoes the escapes of $'…', echo -e and printf.
func escaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c == 'x' || c == 'u' || c == 'U':
			i += number(&b, s[i+1:], 16, map[byte]int{'x': 2, 'u': 4, 'U': 8}[c])
		case c >= '0' && c <= '7':
			i += number(&b, s[i:], 8, 3+boolInt(c == '0')) - 1
		case strings.IndexByte("abefnrtv", c) >= 0:
			b.WriteByte("\a\b\x1b\f\n\r\t\v"[strings.IndexByte("abefnrtv", c)])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// number writes the character of a number and returns how many digits it has.
func number(b *strings.Builder, s string, base, most int) int {
	n := 0
	for n < len(s) && n < most {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	if v, err := strconv.ParseUint(s[:n], base, 32); err == nil {
		b.WriteRune(rune(v))
	}
	return n
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// maxBraces bounds what the braces of one word become.
const maxBraces = 64

// braces expands {a,b} as Bash does.
func braces(word string, quoted bool) []string {
	out := []string{word}
	for i := 0; i < len(out) && len(out) < maxBraces && !quoted; i++ {
		w := out[i]
		open := strings.IndexByte(w, '{')
		if open < 0 || open > 0 && w[open-1] == '$' {
			continue
		}
		end := strings.IndexByte(w[open:], '}')
		if end < 0 || !strings.Contains(w[open:open+end], ",") {
			continue
		}
		for j, part := range strings.Split(w[open+1:open+end], ",") {
			full := w[:open] + part + w[open+end+1:]
			if j == 0 {
				out[i] = full
			} else {
				out = append(out, full)
			}
		}
		i--
	}
	return out
}
