// Package printable makes text from hostile sources safe to show on a terminal.
//
// It promises that no terminal obeys the result and that nothing in it is hidden or reordered.
// [ASCII] is one line in which every character but printable ASCII is a question mark; [Line]
// and [Lines] keep what can be seen and escape the rest. The text cannot be had back: the
// result is for people only. Reports, which show the text itself, escape it with package report.
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
