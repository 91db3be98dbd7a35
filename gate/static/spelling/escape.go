package spelling

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
)

// escapes resolves the escapes of one text.
type escapes struct {
	lang    gate.Language
	src     []byte
	decimal bool // \099 is a decimal number, as in Lua
	percent bool // %63 is a character
}

// plain is what an escape stands for.
type plain struct {
	text   string
	end    int  // of the escape
	marked bool // there is no honest reason to write it so
}

// resolve returns a text with its escapes resolved.
func (e escapes) resolve(in Text) Text {
	e.src = in.Content
	b := builder{in: in}
	stops := e.stops()
	for i := 0; i < len(e.src); {
		if !stops[e.src[i]] {
			i++
			continue
		}
		p, ok := e.at(i)
		if !ok {
			i = max(p.end, i+1)
			continue
		}
		b.replace(i, p.end, p.text, p.marked)
		i = p.end
	}
	return b.text()
}

// stops are the bytes that escapes begin with.
func (e escapes) stops() *[256]bool {
	var stops [256]bool
	stops['\\'], stops['&'], stops['\r'] = true, true, true
	stops['%'] = e.percent
	switch e.lang {
	case gate.LanguagePython:
		for c := utf8.RuneSelf; c < len(stops); c++ {
			stops[c] = true
		}
	case gate.LanguageC:
		stops['?'] = true
		fallthrough
	default:
		stops[0xE2], stops[0xC2] = true, true
	case gate.LanguagePowerShell:
		stops['`'] = true
	}
	if e.lang == gate.LanguageBatch {
		stops['^'] = true
	}
	return &stops
}

// at resolves the escape at an offset. Where there is none, its end says how far
// there is none.
func (e escapes) at(i int) (plain, bool) {
	switch c := e.src[i]; c {
	case '\\':
		return e.backslash(i)
	case '&':
		return e.entity(i)
	case '%':
		return number(e.src, i, i+1, 16, 2, 2)
	case '\r':
		return e.carriageReturn(i)
	case '`':
		return e.backtick(i)
	case '?':
		if bytes.HasPrefix(e.src[i:], []byte("??/")) { // a trigraph for a backslash
			return e.splice(i, i+3)
		}
	case '^':
		if i+1 < len(e.src) && e.src[i+1] > ' ' {
			return plain{e.src1(i + 1), i + 2, char.IsASCIIWord(e.src[i+1])}, true
		}
		return e.splice(i, i+1)
	default:
		return e.wide(i)
	}
	return plain{}, false
}

func (e escapes) src1(i int) string { return string(e.src[i : i+1]) }

// backslash resolves what begins with one or more of them: a text that is read twice
// has them doubled.
func (e escapes) backslash(at int) (plain, bool) {
	i := at
	for i < len(e.src) && e.src[i] == '\\' {
		i++
	}
	none := plain{end: i + 1}
	if i == len(e.src) {
		return none, false
	}
	switch c := e.src[i]; c {
	case 'x', 'u', 'U':
		for c == 'u' && i+1 < len(e.src) && e.src[i+1] == 'u' { // Java
			i++
		}
		if i+1 < len(e.src) && (e.src[i+1] == '{' || e.src[i+1] == '[') {
			return e.braced(at, i+1)
		}
		most := map[byte]int{'x': 4, 'u': 4, 'U': 8}[c]
		least := 2
		if c == 'x' && !bytes.HasPrefix(e.src[i+1:], []byte("00")) {
			most = 2
		}
		if c == 'x' && e.lang == gate.LanguageC { // as many digits as there are
			most = max(most, 2+zeros(e.src[i+1:]))
		}
		return e.lexical(number(e.src, at, i+1, 16, least, most))
	case 'o':
		if i+1 < len(e.src) && e.src[i+1] == '{' {
			p, ok := number(e.src, at, i+2, 8, 2, 4+zeros(e.src[i+2:]))
			p.end++
			return p, ok && p.end <= len(e.src)
		}
		return number(e.src, at, i+1, 8, 2, 3)
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return e.digits(at, i)
	case 'N', 'c':
		return e.named(at, i+1)
	case '\n', '\r', 0xE2:
		return e.splice(at, i)
	case 'z': // Lua: blanks that mean nothing
		return e.blanks(at, i+1)
	case ' ', '\t':
		if p, ok := e.blanks(at, i); ok && p.end < len(e.src) && e.src[p.end] == '\\' { // a gap of Haskell
			p.end++
			return p, true
		}
	case '&':
		if e.lang == "haskell" {
			return plain{"", i + 1, true}, true
		}
	}
	return none, false
}

// lexical is an escape that Java reads before it knows what a string is.
func (e escapes) lexical(p plain, ok bool) (plain, bool) {
	if ok && e.lang == gate.LanguageJava {
		switch p.text {
		case `\"`, `\'`:
			p.text = p.text[1:]
		case `\n`, `\r`:
			p.text = "\n"
		}
	}
	return p, ok
}

// digits resolves \143 or \099, and \0143 as echo reads it.
func (e escapes) digits(at, i int) (plain, bool) {
	if e.decimal {
		return number(e.src, at, i, 10, 1, 3)
	}
	if e.lang == gate.LanguageSQL {
		if p, ok := number(e.src, at, i, 16, 4, 4); ok {
			return p, true
		}
	}
	p, ok := number(e.src, at, i, 8, 2, 3)
	if !ok && e.src[i] == '0' {
		return number(e.src, at, i, 8, 4, 4)
	}
	return p, ok
}

// braced resolves \u{63}, \x{63}, \x[63] and \u{63 75}.
func (e escapes) braced(at, open int) (plain, bool) {
	digits := e.src[open+1:]
	n := bytes.IndexFunc(digits, func(r rune) bool { return r > '~' || digit(byte(r)) == 16 && r != ' ' && r != '\t' && r != ',' })
	if n < 0 || digits[n] != '}' && digits[n] != ']' {
		return plain{end: open}, false
	}
	n++
	out := plain{end: open + n + 1, marked: true}
	for _, digits := range bytes.FieldsFunc(e.src[open+1:open+n], func(r rune) bool { return r == ' ' || r == '\t' || r == ',' }) {
		v, err := strconv.ParseUint(string(digits), 16, 32)
		if err != nil {
			return plain{end: open}, false
		}
		text, ok := written(v)
		if !ok {
			return plain{end: open}, false
		}
		out.text += text
	}
	return out, out.text != ""
}

// number resolves a number of a base with so many digits.
func number(src []byte, at, from, base, least, most int) (plain, bool) {
	i := from
	v := 0
	for i < len(src) && i-from < most {
		d := digit(src[i])
		if d >= base {
			break
		}
		v = v*base + d
		i++
	}
	text, ok := written(uint64(v))
	if !ok || i-from < least {
		return plain{end: at + 1}, false
	}
	return plain{text, i, true}, true
}

// zeros is how many a text begins with.
func zeros(src []byte) int { return len(src) - len(bytes.TrimLeft(src, "0")) }

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 16
}

// written is how a character is written without its number. What is not printable
// has no other way, and a backslash would begin another escape.
func written(v uint64) (string, bool) {
	switch {
	case v == '\n', v == '\r':
		return `\n`, true
	case v == '\t':
		return " ", true
	case v == '"', v == '\'':
		return `\` + string(rune(v)), true
	case v < ' ' || v > '~' || v == '\\':
		return "", false
	}
	return string(rune(v)), true
}

// splice resolves a line end that is escaped.
func (e escapes) splice(at, i int) (plain, bool) {
	switch {
	case bytes.HasPrefix(e.src[i:], []byte("\r\n")):
		i += 2
	case bytes.HasPrefix(e.src[i:], []byte("\u2028")):
		i += len("\u2028")
	case i < len(e.src) && (e.src[i] == '\n' || e.src[i] == '\r'):
		i++
	default:
		return plain{end: at + 1}, false
	}
	switch e.lang {
	case gate.LanguageRust, gate.LanguageTOML, gate.LanguageYAML, gate.LanguageWorkflow, "ocaml", "julia", "haskell", "fsharp":
		p, _ := e.blanks(at, i) // they leave the indentation of the next line out
		p.marked = e.within(at, p.end)
		if p.end < len(e.src) && e.src[p.end] == '\\' && e.lang == "haskell" {
			p.end++
		}
		return p, true
	}
	return plain{"", i, e.within(at, i)}, true
}

// blanks resolves blanks and line ends that mean nothing.
func (e escapes) blanks(at, i int) (plain, bool) {
	from := i
	for i < len(e.src) && (e.src[i] == ' ' || e.src[i] == '\t' || e.src[i] == '\n' || e.src[i] == '\r') {
		i++
	}
	return plain{"", i, e.within(at, i)}, i > from
}

// within reports whether the text from one offset to another splits a word.
func (e escapes) within(at, end int) bool {
	return at > 0 && end < len(e.src) && e.src[at-1] > ' ' && e.src[end] > ' '
}

// carriageReturn reads one that stands alone as the end of a line, as many languages
// do.
func (e escapes) carriageReturn(i int) (plain, bool) {
	if i+1 < len(e.src) && e.src[i+1] != '\n' && e.lang != gate.LanguageShell {
		return plain{"\n", i + 1, true}, true
	}
	return plain{}, false
}

// backtick resolves the escapes of PowerShell.
func (e escapes) backtick(i int) (plain, bool) {
	if bytes.HasPrefix(e.src[i:], []byte("`u{")) {
		return e.braced(i, i+2)
	}
	if i > 0 && i+1 < len(e.src) && char.IsASCIIWord(e.src[i-1]) && char.IsASCIIWord(e.src[i+1]) && bytes.IndexByte([]byte("0abefnrtuv"), e.src[i+1]) < 0 {
		return plain{"", i + 1, true}, true
	}
	return plain{}, false
}

// wide resolves a character beyond ASCII: one that ends a line in some languages, and
// in Python one that is another form of a letter.
func (e escapes) wide(i int) (plain, bool) {
	r, n := utf8.DecodeRune(e.src[i:])
	if e.lang != gate.LanguagePython {
		if r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return plain{"\n", i + n, true}, true
		}
		return plain{end: i + n}, false
	}
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.No, r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Pc, r) {
		if s := norm.NFKC.String(string(r)); s[0] < utf8.RuneSelf && char.IsASCIIWord(s[0]) {
			return plain{s, i + n, true}, true
		}
	}
	return plain{end: i + n}, false
}

// numbered reports whether a backslash precedes two digits, which may be a number
// of either base.
func numbered(src []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(src[at:], '\\')
		if i < 0 {
			return false
		}
		at += i
		if at+2 < len(src) && digit(src[at+1]) < 10 && digit(src[at+2]) < 10 {
			return true
		}
	}
}
