package lex

import (
	"bytes"

	"github.com/aigate/gate/gate/source/char"
)

// maxDelimiter bounds the words around a string, in bytes.
const maxDelimiter = 64

// outside goes from an offset outside of the tags of PHP to the next of them, or to the end. A text without
// any is code all through, as far as nothing ended before it.
func (l *styled) outside(from int) {
	i := bytes.Index(l.src[min(from, len(l.src)):], []byte("<?"))
	switch {
	case i >= 0:
		l.pos = from + i + len("<?")
	case from > 0:
		l.pos = len(l.src)
	}
	l.open, l.free = 0, min(l.free, l.pos)
}

// rawOfC is the end of R"delimiter(text)delimiter", a character, or a number with quotes in it.
func rawOfC(src []byte, at int) int {
	switch {
	case src[at] == '\'' && at > 0 && char.IsWord(src[at-1]) && at+1 < len(src) && char.IsWord(src[at+1]):
		first := at
		for first > 0 && (char.IsWord(src[first-1]) || src[first-1] == '\'') && at-first < maxDelimiter {
			first--
		}
		if src[first] >= '0' && src[first] <= '9' {
			return at + 1
		}
	case src[at] == 'R' && at+1 < len(src) && src[at+1] == '"':
		open := bytes.IndexByte(src[at:min(len(src), at+maxDelimiter)], '(')
		if open < 0 {
			return at
		}
		if i := bytes.Index(src[at+open:], []byte(")"+string(src[at+2:at+open])+`"`)); i >= 0 {
			return at + open + i + open
		}
		return -1
	}
	return at
}

// rawOfRust is the end of r#"text"#, or of a character.
func rawOfRust(src []byte, at int) int {
	rest := src[at:]
	switch {
	case rest[0] == '\'' && len(rest) > 2 && rest[1] == '\\':
		if i := bytes.IndexByte(rest[3:min(len(rest), 14)], '\''); i >= 0 {
			return at + 3 + i + 1
		}
	case rest[0] == '\'':
		if i := bytes.IndexByte(rest[1:min(len(rest), 6)], '\''); i == 1 || i > 1 && rest[1] >= 0x80 {
			return at + 1 + i + 1
		}
	case rest[0] == 'r' && (at == 0 || !char.IsWord(src[at-1]) || src[at-1] == 'b' || src[at-1] == 'c'):
		n := 1
		for n < len(rest) && n < maxDelimiter && rest[n] == '#' {
			n++
		}
		if n >= len(rest) || rest[n] != '"' {
			return at
		}
		if i := bytes.Index(rest[n+1:], append([]byte{'"'}, rest[1:n]...)); i >= 0 {
			return at + n + 1 + i + n
		}
		return -1
	}
	return at
}

// heredocOfPHP is the end of <<<WORD.
func heredocOfPHP(src []byte, at int) int { return heredocEnd(src, at, "<<<") }

// heredocEnd is the end of the here document whose operator is at an offset.
func heredocEnd(src []byte, at int, operator string) int {
	if !bytes.HasPrefix(src[at:], []byte(operator)) || at > 0 && src[at-1] == '<' {
		return at
	}
	i := at + len(operator)
	for i < len(src) && i-at < maxDelimiter && bytes.IndexByte([]byte("~-\"'`\\ \t"), src[i]) >= 0 {
		i++
	}
	from := i
	for i < len(src) && i-from < maxWord && char.IsWord(src[i]) {
		i++
	}
	if i == from || src[from] >= '0' && src[from] <= '9' {
		return at
	}
	word := src[from:i]
	for rest := i; ; {
		next := bytes.IndexByte(src[rest:], '\n')
		if next < 0 {
			return -1
		}
		rest += next + 1
		line := bytes.TrimLeft(src[rest:], " \t")
		if bytes.HasPrefix(line, word) && (len(line) == len(word) || !char.IsWord(line[len(word)])) {
			return rest
		}
	}
}

// textOfRuby is the end of a here document or of %q(text).
func textOfRuby(src []byte, at int) int {
	if src[at] == '%' && (at == 0 || !char.IsWord(src[at-1])) {
		i := at + 1
		if i < len(src) && bytes.IndexByte([]byte("qQwWiIrsx"), src[i]) >= 0 {
			i++
		}
		return delimited(src, at, i)
	}
	return heredocEnd(src, at, "<<")
}

// textOfPerl is the end of a here document or of q(text) and its relatives.
func textOfPerl(src []byte, at int) int {
	if src[at] == '<' {
		return heredocEnd(src, at, "<<")
	}
	if at > 0 && (char.IsWord(src[at-1]) || bytes.IndexByte([]byte("$@%&"), src[at-1]) >= 0) {
		return at
	}
	for _, word := range []string{"qq", "qw", "qr", "qx", "q", "m", "s", "tr", "y"} {
		if bytes.HasPrefix(src[at:], []byte(word)) {
			if end := delimited(src, at, at+len(word)); end != at {
				return end
			}
		}
	}
	return at
}

// delimited is the end of the text whose delimiter is at open, at where there is none, -1 where it has no end.
func delimited(src []byte, at, open int) int {
	for open < len(src) && isBlank(src[open]) {
		open++
	}
	if open >= len(src) || char.IsWord(src[open]) || src[open] <= ' ' || src[open] == ',' || src[open] == ';' || src[open] == '=' || src[open] == ')' || src[open] == '#' {
		return at
	}
	from, to := src[open], src[open]
	if i := bytes.IndexByte([]byte("([{<"), from); i >= 0 {
		to = ")]}>"[i]
	}
	depth := 0
	for i := open; i < len(src); i++ {
		switch {
		case src[i] == '\\':
			i++
		case src[i] == to && (depth == 1 || from == to && i > open):
			return i + 1
		case src[i] == to:
			depth--
		case src[i] == from:
			depth++
		}
	}
	return -1
}
