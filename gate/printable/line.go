package printable

import (
	"fmt"
	"strings"
	"unicode"
)

// Line returns a hostile text for one line of a terminal or of a log: what cannot be seen is
// an escape, and no line begins a command to a CI system.
func Line(s string) string {
	var b strings.Builder
	for _, c := range s {
		if c == ' ' || unicode.IsPrint(c) && c != unicode.ReplacementChar {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, `\u{%x}`, c)
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "::", `:\u{3a}`), "##[", `#\u{23}[`)
}
