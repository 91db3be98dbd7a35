package printable

import (
	"fmt"
	"strings"
	"unicode"
)

// Lines returns a text that may quote hostile names, such as an error, for a terminal or a log:
// tabs and line breaks stay, everything else that cannot be seen is an escape, and no line begins
// a command to a CI system.
func Lines(s string) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		if strings.HasPrefix(strings.TrimSpace(l), "::") {
			l = strings.Replace(l, "::", `:\u{3a}`, 1)
		}
		for _, c := range strings.ReplaceAll(l, "##[", `#\u{23}[`) {
			if c == '\t' || c == '\n' {
				b.WriteRune(c)
			} else {
				write(&b, c)
			}
		}
	}
	return b.String()
}

// write writes a character, or an escape of one that cannot be seen.
func write(b *strings.Builder, c rune) {
	if c == ' ' || unicode.IsPrint(c) && c != unicode.ReplacementChar {
		b.WriteRune(c)
	} else {
		fmt.Fprintf(b, `\u{%x}`, c)
	}
}

// Line returns a hostile text for one line of a terminal or of a log: what cannot be seen is
// an escape, and no line begins a command to a CI system.
func Line(s string) string {
	var b strings.Builder
	for _, c := range s {
		write(&b, c)
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "::", `:\u{3a}`), "##[", `#\u{23}[`)
}
