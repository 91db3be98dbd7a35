package judge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// line is one line of a file as the model sees it, or a stretch of one that is
// too long.
type line struct {
	number int // 1-based
	text   string
}

// render turns a file into what the model is shown. Characters that a reader
// would not see, or that would act on the model's input instead of standing in
// it, are written as ⟦U+202E⟧, and bytes that are no UTF-8 as ⟦xFF⟧; an opening ⟦
// of the file itself is escaped too, so that two different files never look the
// same. Blank lines and blanks at the end of a line are left out: every line
// carries its number, and padding should cost the attacker, not the model. Behind a
// character that ends a line for some languages and not for others, in JavaScript
// even a comment, the line goes on as another one with the same number.
func render(src []byte) []line { return renderWith(src, display{}) }

// display says what is left as it is, for a measurement without a defence.
type display struct{ tokens, hidden bool }

func renderWith(src []byte, as display) []line {
	var lines []line
	number := 0
	for raw := range bytes.Lines(src) {
		number++
		raw = bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte("\n")), []byte("\r"))
		raw = bytes.TrimRight(raw, " \t")
		for len(raw) > 0 {
			n := toBreak(raw)
			lines = append(lines, line{number, as.line(string(raw[:n]))})
			raw = raw[n:]
		}
	}
	return lines
}

// toBreak is how many bytes of a line come before what looks like another one, with
// the characters that break it.
func toBreak(raw []byte) int {
	breaks := func(r rune) bool { return r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029' }
	at := bytes.IndexFunc(raw, breaks)
	if at < 0 {
		return len(raw)
	}
	if n := bytes.IndexFunc(raw[at:], func(r rune) bool { return !breaks(r) }); n >= 0 {
		return at + n
	}
	return len(raw)
}

const (
	escapeOpen  = '⟦' // U+27E6
	escapeClose = '⟧'
)

// renderLine shows one line with nothing left out.
func renderLine(s string) string { return display{}.line(s) }

func (as display) line(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := controlPrefix(s[i:]); n > 0 && !as.tokens {
			b.WriteString(s[i : i+n])
			i += n
			r, size := utf8.DecodeRuneInString(s[i:])
			writeEscape(&b, r, s[i:i+size])
			i += size
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if visible(r, size) || as.hidden && (r != utf8.RuneError || size != 1) {
			b.WriteString(s[i : i+size])
		} else {
			writeEscape(&b, r, s[i:i+size])
		}
		i += size
	}
	return b.String()
}

func writeEscape(b *strings.Builder, r rune, raw string) {
	b.WriteRune(escapeOpen)
	if r == utf8.RuneError && len(raw) == 1 {
		fmt.Fprintf(b, "x%02X", raw[0])
	} else {
		fmt.Fprintf(b, "U+%04X", r)
	}
	b.WriteRune(escapeClose)
}

// visible reports whether a reader sees a character, and sees it as itself.
func visible(r rune, size int) bool {
	switch {
	case r == utf8.RuneError && size == 1:
		return false
	case r == ' ', r == '\t':
		return true
	case r == escapeOpen, slices.Contains(blankLetters, r):
		return false
	case unicode.Is(unicode.Variation_Selector, r):
		return false
	}
	// Neither spaces other than ' ' nor controls, format characters (bidirectional,
	// zero-width, tags), private use and surrogates are graphic in this sense.
	return unicode.IsPrint(r)
}

// blankLetters look like a space and count as letters or symbols.
var blankLetters = []rune{'\u034F', '\u115F', '\u1160', '\u17B4', '\u17B5', '\u2800', '\u3164', '\uFFA0', '\uFFFC', '\U00016FE4', '\U0001D159'}

// nonEscapeCut returns the highest n' ≤ n at which a rendered line can be cut
// without splitting a character or an escape.
func nonEscapeCut(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	// Escapes are at most len("⟦U+10FFFF⟧") bytes long.
	const longest = len("⟦U+10FFFF⟧")
	from := max(n-longest, 0)
	if open := strings.LastIndex(s[from:n], string(escapeOpen)); open >= 0 && !strings.Contains(s[from+open:n], string(escapeClose)) {
		return from + open
	}
	return n
}
