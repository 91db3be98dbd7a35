package lsp

import (
	"fmt"
	"strings"
	"unicode"
)

// visible is a hostile text as one line of characters that can be seen and stand for
// themselves.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// markdown is a hostile text in Markdown, in which nothing is markup.
func markdown(s string) string {
	var b strings.Builder
	for _, r := range visible(s) {
		if strings.ContainsRune("\\`*_[]<>#!&|~$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fenced is a hostile text as code in Markdown.
func fenced(s string) string {
	s = visible(s)
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + s + "\n" + fence
}
