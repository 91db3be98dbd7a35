package constprop

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/source/strlit"
)

// Bounds of the work on one text.
const (
	maxPasses  = 8       // how deep pieces are nested
	maxLiteral = 4 << 10 // bytes of a constant; longer ones are left to package decode
)

// Text returns the text with its constants put together, and whether there were
// any. The result has the same length and the same line ends.
func Text(lang gate.Language, src []byte, limits *Bounds) ([]byte, bool) {
	switch lang {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo:
		return constants(lang, src, limits)
	case gate.LanguageShell:
		return words(src)
	}
	return nil, false
}

// constants folds until nothing changes.
func constants(lang gate.Language, src []byte, limits *Bounds) ([]byte, bool) {
	if !mayFold(src) {
		return nil, false
	}
	var out []byte
	for n := 0; ; n++ {
		from := src
		if out != nil {
			from = out
		}
		next, changed := pass(lang, from)
		if lang == gate.LanguageJavaScript || lang == gate.LanguageTypeScript {
			if !changed {
				next = from
			}
			if filled, ok := templates(lang, next); ok {
				next, changed = filled, true
			}
		}
		if !changed {
			break
		}
		if n == maxPasses {
			limits.reach("texts are put together from pieces %d deep", maxPasses)
			break
		}
		out = next
	}
	return out, out != nil
}

// mayFold is a cheap test that most texts fail.
func mayFold(src []byte) bool {
	for _, sign := range []string{`" +`, `' +`, `"+`, `'+`, `\x`, `\u`, `\0`, `\1`, "chr(", "fromCharCode", "::-1", "::", "join(", "Join(", "joinpath(", "Path(", `/ "`, `/ '`, "replace(", "replaceAll(", "format(", "Sprintf(", "lower(", "upper(", "swapcase(", "toLowerCase(", "toUpperCase(", "hex", "64", "atob", "rot", "quote", "unescape", "decodeURI", "Unescape", "\" \"", "' '", "\"\n",
		"concat(", "${'", "${\"", "['exec", "[\"exec", "['spawn", "[\"spawn", "['env", "[\"env", "['require", "[\"require", "['eval", "[\"eval", "['Func", "[\"Func"} {
		if bytes.Contains(src, []byte(sign)) {
			return true
		}
	}
	return false
}

// literal is one constant of the text.
type literal struct {
	start, end int // with quotes and prefix
	value      string
	folded     bool   // its text was worked out and has to be written
	code       string // what is written instead of the value in quotes
}

// folder works on one text in one pass.
type folder struct {
	lang gate.Language
	src  []byte
	lits []literal
	// decoders are functions of the text that only decode, with what they decode.
	decoders map[string]string
}

// pass folds the innermost pieces once.
func pass(lang gate.Language, src []byte) ([]byte, bool) {
	f := &folder{lang: lang, src: src, decoders: helpers(lang, src)}
	f.collect()
	f.combine()
	var out []byte
	for _, l := range f.lits {
		if !l.folded {
			continue
		}
		text, ok := quote(l.value, l.end-l.start)
		if l.code != "" {
			text, ok = l.code, true
		}
		if ok {
			if out == nil {
				out = bytes.Clone(src)
			}
			write(out[l.start:l.end], text)
		}
	}
	return out, out != nil && !bytes.Equal(out, src)
}

// collect finds the literals, and calls that make a character of a number.
func (f *folder) collect() {
	text := lex.Scan(f.lang, f.src)
	at := 0
	for _, s := range text.Spans {
		f.characters(at, s.Start)
		at = s.End
		if s.Class != lex.String || s.End-s.Start > maxLiteral {
			continue
		}
		value, escaped, ok := strlit.Unquote(f.src[s.Start:s.End], raw(f.lang, f.src, s.Start))
		if !ok {
			continue
		}
		f.lits = append(f.lits, literal{start: prefix(f.lang, f.src, s.Start), end: s.End, value: value, folded: escaped})
	}
	f.characters(at, len(f.src))
	slices.SortFunc(f.lits, func(a, b literal) int { return a.start - b.start })
}

// raw reports whether backslashes mean themselves in the string at an offset.
func raw(lang gate.Language, src []byte, start int) bool {
	if src[start] == '`' {
		return lang == gate.LanguageGo
	}
	return lang == gate.LanguagePython && start > 0 && src[start-1]|0x20 == 'r' &&
		(start < 2 || !char.IsWord(src[start-2]) || src[start-2]|0x20 == 'b')
}

// prefix is where a literal begins, with the letters before its quote.
func prefix(lang gate.Language, src []byte, start int) int {
	if lang != gate.LanguagePython {
		return start
	}
	i := start
	for i > 0 && start-i < 2 && bytes.IndexByte([]byte("rRbBuUfF"), src[i-1]) >= 0 {
		i--
	}
	if i > 0 && char.IsWord(src[i-1]) {
		return start
	}
	return i
}

// quote writes a value as a literal of at most n bytes. What would break the
// line, or has quotes of both kinds, is left as it was.
func quote(value string, n int) (string, bool) {
	if len(value)+2 > n || !utf8.ValidString(value) {
		return "", false
	}
	mark := byte('"')
	for i := range len(value) {
		switch c := value[i]; {
		case c < ' ' && c != '\t' || c == 0x7F || c == '\\':
			return "", false
		case c == '"' && mark == '"':
			mark = '\''
		}
	}
	if mark == '\'' && bytes.IndexByte([]byte(value), '\'') >= 0 {
		return "", false
	}
	return string(mark) + value + string(mark), true
}

// write puts a text into the first line of a place that has room for it, and
// blanks the rest; line ends stay where they are. It reports whether there was
// room.
func write(place []byte, text string) bool {
	for at := 0; at < len(place); {
		end := at
		for end < len(place) && place[end] != '\n' && place[end] != '\r' {
			end++
		}
		if end-at < len(text) {
			at = end + 1
			continue
		}
		for i := range place {
			if place[i] != '\n' && place[i] != '\r' {
				place[i] = ' '
			}
		}
		copy(place[at:], text)
		return true
	}
	return false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isLatin reports whether a character is a letter of ASCII.
func isLatin(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
