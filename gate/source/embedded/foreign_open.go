package embedded

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// opensText matches what a text begins with in some language, where its lexer may see no
// text: Ruby and Perl, here documents and strings of PowerShell, raw strings of C and Rust,
// dollars of SQL, brackets of Lua, and the braces that Tcl has around an argument.
var opensText = regexp.MustCompile(`%[qQwW]?[({\[<|!]|\bqq?[ \t]*[({\[<|!]|@["'][ \t]*\r?\n|<<<?[~-]?["']?\w+["']?[^\n]*\n|"""|'''|\bR"\w*\(|\br#+"|\$\w*\$|\[=*\[|[ \t]\{|["']`)

// Bounds of the texts that are looked for by what they begin with.
const (
	maxOpened      = 20_000 // of one program
	maxOpenedBytes = 64 << 10
)

// open reads the texts that begin as one does in any language, for hosts whose lexer follows only
// some of them.
func (f *foreignReader) open(lang gate.Language, content []byte) {
	covered := map[string]bool{}
	for _, c := range f.out {
		covered[string(c.Text)] = true
	}
	before := len(f.out)
	at, looked := 0, 0
	for n := 0; ; n++ {
		m := opensText.FindIndex(content[at:])
		if m == nil {
			break
		}
		if n == maxOpened || looked > maxForeignBytes {
			f.full = true
			break
		}
		start := at + m[1]
		sign := string(content[at+m[0] : start])
		body := content[start : start+textLength(sign, content[start:min(len(content), start+maxOpenedBytes)])]
		quoted := m[1]-m[0] == 1
		at, looked = start, looked+len(body)
		sample := body
		if quoted { // it may end a text as well, and what follows is then no program from its first line on
			sample, _, _ = bytes.Cut(bytes.TrimLeft(body, " \t\r\n"), []byte{'\n'})
		}
		if !f.reads(sample) && !f.reads([]byte(withoutMargin(string(body)))) {
			continue
		}
		text := string(body)
		if quoted {
			text = strings.NewReplacer(`\\`, `\`, `\`+sign, sign).Replace(text)
		}
		first := len(f.out)
		for _, text := range []string{text, withoutMargin(text)} {
			if text != "" {
				var b builder
				b.add(text, f.lines.of(start), 1)
				f.text(lang, content, start, &b, maxForeignDepth)
			}
		}
		guessed(f.out[first:], quoted)
		at += len(body)
	}
	kept := f.out[:before]
	for _, c := range f.out[before:] {
		if !covered[string(c.Text)] {
			kept = append(kept, c)
		}
	}
	f.out = kept
}

// withoutMargin is a text of several lines without the sign that each begins with, as Kotlin and
// Scala take it away; "" for one that has none.
func withoutMargin(text string) string {
	var out []string
	sign := byte(0)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		body := strings.TrimLeft(line, " \t")
		switch {
		case body == "" || i == 0 || i == len(lines)-1 && body[0] != sign: // beside the quotes
			out = append(out, body)
			continue
		case sign == 0 && strings.IndexByte("|>#!%*~:.", body[0]) >= 0:
			sign = body[0]
		case sign == 0 || body[0] != sign:
			return ""
		}
		out = append(out, body[1:])
	}
	if sign == 0 {
		return ""
	}
	return strings.Join(out, "\n")
}

// reads reports whether a text reads like a program of one of the languages.
func (f *foreignReader) reads(text []byte) bool {
	for _, l := range f.languages {
		if l.reads.Match(text) {
			return true
		}
	}
	return false
}

// textLength is how far a text goes on that such a sign begins, up to the end of what is given
// where nothing ends it.
func textLength(sign string, text []byte) int {
	last := sign[len(sign)-1]
	end := string(last)
	switch {
	case strings.HasPrefix(sign, "<<"):
		word := hereWord.FindString(sign)
		for at := 0; at < len(text); {
			line, _, _ := bytes.Cut(text[at:], []byte{'\n'})
			if string(bytes.TrimSpace(line)) == word {
				return at
			}
			at += len(line) + 1
		}
		return len(text)
	case sign[0] == '@':
		end = "\n" + sign[1:2] + "@"
	case sign[0] == '$' || len(sign) == 3 && sign[0] == sign[2] && sign[0] != '[':
		end = sign
	case strings.HasPrefix(sign, "R\""):
		end = ")" + sign[2:len(sign)-1] + `"`
	case strings.HasPrefix(sign, "r#"):
		end = `"` + sign[1:len(sign)-1]
	case sign[0] == '[':
		end = strings.ReplaceAll(sign, "[", "]")
	case strings.IndexByte("({[<", last) >= 0:
		return nested(last, text)
	}
	from := 0
	for {
		i := bytes.Index(text[from:], []byte(end))
		if i < 0 {
			return len(text)
		}
		if i == 0 || text[from+i-1] != '\\' {
			return from + i
		}
		from += i + len(end)
	}
}

// hereWord matches the word that ends a here document.
var hereWord = regexp.MustCompile(`\w+`)

// nested is how far a text in brackets goes on that holds such brackets itself.
func nested(open byte, text []byte) int {
	shut := map[byte]byte{'(': ')', '{': '}', '[': ']', '<': '>'}[open]
	depth := 1
	for i, c := range text {
		switch {
		case i > 0 && text[i-1] == '\\':
		case c == open:
			depth++
		case c == shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// rest is what follows the first line of a Python program in a text of another
// language without signs around it: in a block of a debugger, behind the part of a script that hands
// the rest on. Nothing says that it is such a program.
func (f *foreignReader) rest(content []byte) {
	m := importAtStart.FindIndex(content)
	if m == nil {
		return
	}
	line := f.lines.of(m[0])
	for _, c := range f.out {
		if c.Language == gate.LanguagePython && len(c.Lines) > 0 && c.Lines[0] <= line && line <= c.Lines[len(c.Lines)-1] {
			return
		}
	}
	var b builder
	b.add(string(content[m[0]:]), line, 1)
	f.out = append(f.out, guessed(b.region(gate.LanguagePython, ""), true)...)
}

// importAtStart matches an import of Python at the start of a line.
var importAtStart = regexp.MustCompile(`(?m)^(?:import[ \t]+[A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?)*[ \t]*(?:$|[;#\r])|from[ \t]+[\w.]+[ \t]+import[ \t]+[\w*(])`)

// followsTexts reports whether the lexer of a language tells all of its texts.
func followsTexts(lang gate.Language) bool {
	switch lang {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageShell, gate.LanguageJava:
		return true
	}
	return false
}
