package spelling

import (
	"bytes"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
)

// quotes writes the literals that other signs than quotes surround as ones in
// quotes, so that all that comes later knows one form. One that spans lines is left
// as it is.
func quotes(lang gate.Language, in Text, limits *bounds) Text {
	find := delimiters(lang, in.Content)
	if find == nil {
		return in
	}
	b := builder{in: in}
	for i := 0; i < len(in.Content); {
		from, to, end, ok := find(in.Content, i)
		if !ok || bytes.IndexByte(in.Content[from:to], '\n') >= 0 {
			if !limits.search(max(0, end-i)) {
				break
			}
			i++
			continue
		}
		quote := `"`
		if bytes.IndexByte(in.Content[from:to], '"') >= 0 {
			quote = "'"
		}
		b.replace(i, from, quote, false)
		b.replace(to, end, quote, false)
		i = end
	}
	return b.text()
}

// delimited finds the literal that begins at an offset: where its text begins and ends,
// and where it ends itself, or how far it was looked for.
type delimited func(src []byte, i int) (from, to, end int, ok bool)

// delimiters returns what finds the literals of a language that are not in quotes, nil
// where there are none.
func delimiters(lang gate.Language, src []byte) delimited {
	switch lang {
	case gate.LanguageRuby, "crystal", gate.LanguageTemplate:
		if bytes.IndexByte(src, '%') >= 0 {
			return percentLiteral
		}
	case gate.LanguagePerl, "raku":
		if bytes.IndexByte(src, 'q') >= 0 {
			return perlLiteral
		}
	case gate.LanguageLua:
		if bytes.Contains(src, []byte("[[")) || bytes.Contains(src, []byte("[=")) {
			return longBracket
		}
	case gate.LanguageC:
		if bytes.Contains(src, []byte(`R"`)) {
			return rawC
		}
	case gate.LanguageRust, gate.LanguageSwift, "zig":
		if bytes.Contains(src, []byte(`#"`)) {
			return hashed
		}
	case gate.LanguageSQL:
		if bytes.IndexByte(src, '$') >= 0 {
			return dollars
		}
	case gate.LanguageElixir:
		if bytes.IndexByte(src, '~') >= 0 {
			return sigil
		}
	}
	return nil
}

// percentLiteral is %q(a), %Q{a} or %(a) of Ruby.
func percentLiteral(src []byte, i int) (from, to, end int, ok bool) {
	if src[i] != '%' || i+2 >= len(src) {
		return 0, 0, 0, false
	}
	if src[i+1] == 'q' || src[i+1] == 'Q' {
		return closed(src, i+2)
	}
	if src[i+1] == '(' || src[i+1] == '{' || src[i+1] == '[' {
		return closed(src, i+1)
	}
	return 0, 0, 0, false
}

// perlLiteral is q(a), qq{a} or q~a~ of Perl.
func perlLiteral(src []byte, i int) (from, to, end int, ok bool) {
	if src[i] != 'q' || i > 0 && (char.IsASCIIWord(src[i-1]) || bytes.IndexByte([]byte("$@%&-"), src[i-1]) >= 0) {
		return 0, 0, 0, false
	}
	j := i + 1
	if j < len(src) && src[j] == 'q' {
		j++
	}
	name := j
	for j < len(src) && (src[j] == ' ' || src[j] == '\t') {
		j++
	}
	if j == len(src) || char.IsASCIIWord(src[j]) && j == name || src[j] == '=' || src[j] == ',' || src[j] == ';' || src[j] == ')' {
		return 0, 0, 0, false
	}
	return closed(src, j)
}

// sigil is ~s(a) of Elixir.
func sigil(src []byte, i int) (from, to, end int, ok bool) {
	if src[i] != '~' || i+2 >= len(src) || src[i+1]|0x20 != 's' && src[i+1]|0x20 != 'c' || src[i+2] == '"' {
		return 0, 0, 0, false
	}
	return closed(src, i+2)
}

// closed is what is between a sign and its counterpart.
func closed(src []byte, i int) (from, to, end int, ok bool) {
	if i >= len(src) || src[i] <= ' ' || src[i] >= 0x80 {
		return 0, 0, 0, false
	}
	open, shut := src[i], src[i]
	if n := bytes.IndexByte([]byte("([{<"), open); n >= 0 {
		shut = ")]}>"[n]
	}
	depth, j := 0, i+1
	for ; j < len(src) && src[j] != '\n'; j++ {
		switch {
		case src[j] == '\\':
			j++
		case src[j] == shut && depth == 0:
			return i + 1, j, j + 1, true
		case src[j] == shut:
			depth--
		case src[j] == open:
			depth++
		}
	}
	return 0, 0, j, false
}

// longBracket is [==[a]==] of Lua.
func longBracket(src []byte, i int) (from, to, end int, ok bool) {
	if src[i] != '[' {
		return 0, 0, 0, false
	}
	j := i + 1
	for j < len(src) && src[j] == '=' {
		j++
	}
	if j == len(src) || src[j] != '[' {
		return 0, 0, j, false
	}
	return until(src, j+1, "]"+string(src[i+1:j])+"]")
}

// rawC is R"x(a)x" of C++.
func rawC(src []byte, i int) (from, to, end int, ok bool) {
	if !bytes.HasPrefix(src[i:], []byte(`R"`)) {
		return 0, 0, 0, false
	}
	j := i + 2
	for j < len(src) && src[j] > ' ' && src[j] != '(' && src[j] != '"' {
		j++
	}
	if j == len(src) || src[j] != '(' {
		return 0, 0, j, false
	}
	return until(src, j+1, ")"+string(src[i+2:j])+`"`)
}

// hashed is r#"a"# of Rust and #"a"# of Swift.
func hashed(src []byte, i int) (from, to, end int, ok bool) {
	j := i
	if src[j] == 'r' && (i == 0 || !char.IsASCIIWord(src[i-1])) {
		j++
	}
	level := j
	for j < len(src) && src[j] == '#' {
		j++
	}
	if j == level || j == len(src) || src[j] != '"' || level == i && i > 0 && src[i-1] == '"' {
		return 0, 0, j, false
	}
	return until(src, j+1, `"`+string(src[level:j]))
}

// dollars is $$a$$ and $x$a$x$ of SQL.
func dollars(src []byte, i int) (from, to, end int, ok bool) {
	if src[i] != '$' {
		return 0, 0, 0, false
	}
	j := i + 1
	for j < len(src) && char.IsASCIIWord(src[j]) {
		j++
	}
	if j == len(src) || src[j] != '$' {
		return 0, 0, j, false
	}
	return until(src, j+1, string(src[i:j+1]))
}

// until is what comes before a text.
func until(src []byte, from int, shut string) (start, to, end int, ok bool) {
	n := bytes.Index(src[from:], []byte(shut))
	if n < 0 {
		return 0, 0, len(src), false
	}
	return from, from + n, from + n + len(shut), true
}
