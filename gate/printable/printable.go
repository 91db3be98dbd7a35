// Package printable makes text from hostile sources safe to show on a terminal.
//
// It promises that the result is one line of printable ASCII, which no terminal obeys and
// in which nothing is hidden or reordered. It does not keep the text: every other
// character becomes a question mark, so the result is for people only. Reports, which show
// the text itself, escape it with package report.
package printable

import "strings"

// ASCII replaces every character but printable ASCII with a question mark.
func ASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}
