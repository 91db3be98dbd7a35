package confusables

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// minLetters is how many letters of a text have to be other than they look
// before it is read a second time.
const minLetters = 3

// Letters returns the text with the letters that it looks like to a reader, and
// whether they are others than those it is written with: letters from other
// alphabets within Latin words, wide and mathematical letters, and words with
// characters of no width in them. Lines stay as they are; offsets within them
// don't.
func Letters(src []byte) ([]byte, bool) {
	if !hasHigh(src) {
		return nil, false
	}
	var out []byte
	kept, changed := 0, 0
	for i := 0; i < len(src); {
		if src[i] < utf8.RuneSelf && !isLatin(rune(src[i])) {
			i++
			continue
		}
		end, high := wordEnd(src, i)
		if high {
			if plain, n := latin(src[i:end]); n > 0 {
				out = append(append(out, src[kept:i]...), plain...)
				kept, changed = end, changed+n
			}
		}
		i = max(end, i+1)
	}
	if changed < minLetters {
		return nil, false
	}
	return append(out, src[kept:]...), true
}

// Word returns a name with the letters that it looks like, and whether any of them is another
// than the one it is written with.
func Word(name []byte) ([]byte, bool) {
	plain, n := latin(name)
	return plain, n > 0
}

// hasHigh reports whether anything is not ASCII.
func hasHigh(src []byte) bool {
	const high = 0x8080808080808080
	for ; len(src) >= 8; src = src[8:] {
		if binary.LittleEndian.Uint64(src)&high != 0 {
			return true
		}
	}
	for _, c := range src {
		if c >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// wordEnd goes to the end of a word of letters, digits and characters of no
// width, and reports whether any of them is not ASCII.
func wordEnd(src []byte, i int) (end int, high bool) {
	for i < len(src) {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !noWidth(r) {
			break
		}
		high = high || n > 1
		i += n
	}
	return i, high
}

// latin spells a word with the letters it looks like, and counts those that it
// replaced. A word with a letter that looks like none is in another language,
// and so is one without any Latin letter.
func latin(word []byte) (plain []byte, replaced int) {
	own := 0
	for _, r := range string(word) {
		switch to := lookalike(r); {
		case r < utf8.RuneSelf:
			plain = append(plain, byte(r))
			if isLatin(r) {
				own++
			}
		case noWidth(r):
			replaced++
		case to == 0:
			return nil, 0
		default:
			plain = append(plain, byte(to))
			replaced++
			if isStyled(r) {
				own++
			}
		}
	}
	if own == 0 {
		return nil, 0
	}
	return plain, replaced
}

func isLatin(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// noWidth are characters that are not shown within a word.
func noWidth(r rune) bool {
	return r >= 0x200B && r <= 0x200D || r == 0x2060 || r == 0xFEFF || r == 0xAD || r == 0x180E
}

// isStyled reports whether a character is a Latin letter or a digit of another
// width or style.
func isStyled(r rune) bool {
	return r >= 0xFF10 && r <= 0xFF5A || r >= 0x1D400 && r <= 0x1D7FF || r >= 0x24B6 && r <= 0x24E9 || r >= 0x2102 && r <= 0x2149
}

// lookalike is the Latin letter or digit that a character looks like, 0 for
// none.
func lookalike(r rune) rune {
	if isStyled(r) {
		if s := norm.NFKC.String(string(r)); len(s) == 1 {
			return rune(s[0])
		}
		return 0
	}
	const others = "аеорсухіјѕһԁԛԝѵАВЕКМНОРСТУХІЈЅԌοανικρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧſ"
	const plain = "aeopcyxijshdqwvABEKMHOPCTYXIJSGoavikpuABEZHIKMNOPTYXs"
	i := 0
	for _, o := range others {
		if o == r {
			return rune(plain[i])
		}
		i++
	}
	return 0
}
