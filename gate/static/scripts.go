package static

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/static/confusables"
)

// scripts reports names that mix letters of look-alike alphabets, and carriage
// returns that hide code from tools that count lines by line feeds.
func (f *file) scripts(chunk []byte, firstLine int) {
	if !hasIdentifiers(f.view.Language) {
		return
	}
	if at := loneCR(chunk); at >= 0 && !f.loneCR {
		f.loneCR = true
		f.report(checkLoneCR, firstLine+bytes.Count(chunk[:at], []byte{'\n'}), "", "")
	}
	if f.mixed {
		return
	}
	if start, end := mixedWord(f.view.Language, chunk); end > start {
		f.mixed = true
		if hasTwin(chunk, chunk[start:end]) {
			f.report(checkTwinNames, firstLine+bytes.Count(chunk[:start], []byte{'\n'}), "", string(chunk[start:end]))
		}
		f.report(checkMixedScript, firstLine+bytes.Count(chunk[:start], []byte{'\n'}), "", string(chunk[start:end]))
	}
}

// hasTwin reports whether a text has a name in Latin letters that looks like another name of it.
func hasTwin(text, name []byte) bool {
	plain, ok := confusables.Word(name)
	if !ok || len(plain) < 2 {
		return false
	}
	for at := 0; ; {
		i := bytes.Index(text[at:], plain)
		if i < 0 {
			return false
		}
		i += at
		at = i + len(plain)
		if (i == 0 || !char.IsWord(text[i-1])) && (at == len(text) || !char.IsWord(text[at])) {
			return true
		}
	}
}

// hasIdentifiers reports whether names in files of a language mean something to
// a program, and strings and comments can be told from them.
func hasIdentifiers(lang gate.Language) bool {
	switch lang {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageShell,
		gate.LanguageRuby, gate.LanguagePHP, gate.LanguageC, gate.LanguageRust, gate.LanguageJava, gate.LanguagePowerShell:
		return true
	}
	return false
}

// loneCR is the offset of the first carriage return that is not part of CRLF,
// -1 where there is none.
func loneCR(text []byte) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(text[at:], '\r')
		if i < 0 {
			return -1
		}
		if at += i; at+1 < len(text) && text[at+1] != '\n' && text[at+1] != '\r' {
			return at
		}
	}
}

// mixedWord finds the first name in code that has both Latin and Cyrillic or
// Greek letters. Only letters that pass for Latin ones make a trap of it, but a
// name of two alphabets is odd enough.
func mixedWord(lang gate.Language, text []byte) (start, end int) {
	var split *lex.Text
	word, latin, other := 0, false, false
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[i:])
		}
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			latin = true
		case r >= utf8.RuneSelf && (unicode.Is(unicode.Cyrillic, r) || unicode.Is(unicode.Greek, r) && r != 'µ' && r != 'μ' && r != 'Δ' && r != 'π' && r != 'σ' && r != 'λ' && r != 'Ω'):
			other = true
		case r == '_' || r >= '0' && r <= '9':
		default:
			latin, other, word = false, false, i+n
		}
		i += n
		if latin && other {
			if split == nil {
				split = lex.Scan(lang, text)
			}
			if split.At(word) == lex.Code {
				for i < len(text) && (char.IsWord(text[i])) {
					i++
				}
				return word, i
			}
			latin, other = false, false
		}
	}
	return 0, 0
}
