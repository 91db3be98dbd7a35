package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/aigate/gate/gate"
)

// maxMarks is how many combining marks in a row are shown as such. Living
// languages stay below it; stacks of them are drawn over the lines around.
const maxMarks = 4

// visible returns hostile text as one line in which everything stands for
// itself: what a terminal would obey, what reorders or hides the text around
// it, and what cannot be seen at all becomes an escape such as \x1b or \u202e.
// A backslash that is there anyway is left alone, so the result is for reading
// and cannot be turned back.
func visible(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	marks := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case isVisible(r) && marks <= maxMarks:
			b.WriteRune(r)
		default:
			b.WriteString(escape(r))
		}
		i += size
	}
	return b.String()
}

// isPlain reports whether s is printable ASCII, as nearly all of it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isVisible reports whether r shows as itself. IsPrint leaves out controls,
// format characters (bidirectional overrides, zero-width, tags), private use,
// unassigned code points and every space but the plain one.
func isVisible(r rune) bool {
	const brailleBlank = '\u2800'
	return unicode.IsPrint(r) && r != brailleBlank &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	default:
		return fmt.Sprintf(`\U%08x`, r)
	}
}

// visibleCode is visible for a line of code or output, where tabs are layout.
func visibleCode(line string) string {
	return visible(strings.ReplaceAll(strings.TrimRight(line, " \t\r\n"), "\t", "    "))
}

// visibleLines splits a block of hostile text into at most limit shown lines,
// each cut at maxLine bytes, and says how many lines were left out.
func visibleLines(s string, limit int) (lines []string, more int) {
	const maxLine = 1000
	s = strings.TrimRight(s, "\r\n")
	if s == "" {
		return nil, 0
	}
	for line := range strings.SplitSeq(s, "\n") {
		if len(lines) == limit {
			more++
			continue
		}
		lines = append(lines, visibleCode(gate.Clip(line, maxLine)))
	}
	return lines, more
}

// columns returns how many columns of a terminal s takes. s has been made
// visible.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// shortened cuts s at its beginning, which for paths is the dull end, to at most
// n columns.
func shortened(s string, n int) string {
	if columns(s) <= n {
		return s
	}
	runes := []rune(s)
	used, i := 1, len(runes) // one column for the mark of the cut
	for i > 0 && used+runeColumns(runes[i-1]) <= n {
		i--
		used += runeColumns(runes[i])
	}
	return "…" + string(runes[i:])
}

// wrapped breaks s at spaces into lines of at most n columns; a word that is
// longer is broken where the line ends.
func wrapped(s string, n int) []string {
	var lines []string
	line, used := "", 0
	flush := func() {
		lines = append(lines, strings.TrimRight(line, " "))
		line, used = "", 0
	}
	for word := range strings.SplitAfterSeq(s, " ") {
		if used > 0 && used+columns(strings.TrimRight(word, " ")) > n {
			flush()
		}
		for _, r := range word {
			if used+runeColumns(r) > n {
				if r == ' ' {
					continue
				}
				flush()
			}
			line += string(r)
			used += runeColumns(r)
		}
	}
	flush()
	return lines
}
