package lex

import (
	"bytes"
	"slices"
	"sort"

	"github.com/aigate/gate/gate"
)

// maxGap is how far a member may stand from what it is a member of, blanks and comments, in bytes.
const maxGap = 1000

// hasMembers reports whether a dot between two names, with blanks or line ends around it, is the same as
// one without in a language:
//
//	http
//	  .get(address)
func hasMembers(lang gate.Language) bool {
	switch lang {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageJava, gate.LanguageKotlin,
		gate.LanguageGroovy, gate.LanguageRuby, gate.LanguageCSharp, gate.LanguageScala, gate.LanguageSwift:
		return true
	}
	return false
}

// members notes the dots between a name and its member that have blanks around them, and that line ends among
// these join lines. Those behind a call or an index are left alone: how many steps a chain has says nothing,
// and each keeps a line of its own.
func (t *Text) members(src []byte) {
	span, joins := 0, len(t.Joins)
	for dot := 0; ; dot++ {
		next := bytes.IndexByte(src[dot:], '.')
		if next < 0 {
			break
		}
		dot += next
		for span < len(t.Spans) && t.Spans[span].End <= dot {
			span++
		}
		if span < len(t.Spans) && t.Spans[span].Start <= dot {
			continue
		}
		from, to := t.gapBefore(src, dot, span), t.gapBehind(src, dot, span)
		if from == dot && to == dot+1 || to >= len(src) || !nameBegins(src[to]) || !isReceiver(src[:from]) && !t.ofMember(src[:from]) {
			continue
		}
		t.dots = append(t.dots, dot)
		for i := from; i < to; i++ {
			if src[i] == '\n' || src[i] == '\r' {
				t.Joins = append(t.Joins, i)
			}
		}
	}
	if len(t.Joins) > joins {
		slices.Sort(t.Joins)
		t.Joins = slices.Compact(t.Joins)
	}
}

// ofMember reports whether a text ends with a member that was noted last.
func (t *Text) ofMember(text []byte) bool {
	at := len(text)
	for at > 0 && len(text)-at < maxGap && nameGoesOn(text[at-1]) {
		at--
	}
	n := len(t.dots)
	if n == 0 || at == len(text) {
		return false
	}
	return t.gapBehind(text, t.dots[n-1], sort.Search(len(t.Spans), func(i int) bool { return t.Spans[i].End > t.dots[n-1] })) == at
}

// gapBefore returns where the blanks and comments before a dot begin; span is the first that ends behind it.
func (t *Text) gapBefore(src []byte, dot, span int) int {
	at := dot
	for at > 0 && dot-at < maxGap {
		switch {
		case isGap(src[at-1]):
			at--
		case span > 0 && t.Spans[span-1].Class == Comment && t.Spans[span-1].End == at:
			span--
			at = t.Spans[span].Start
		default:
			return at
		}
	}
	return at
}

// gapBehind returns where the blanks and comments behind a dot end.
func (t *Text) gapBehind(src []byte, dot, span int) int {
	at := dot + 1
	for at < len(src) && at-dot < maxGap {
		switch {
		case isGap(src[at]):
			at++
		case span < len(t.Spans) && t.Spans[span].Class == Comment && t.Spans[span].Start == at:
			at = t.Spans[span].End
			span++
		default:
			return at
		}
	}
	return at
}

// beside puts the names of members beside what they are members of, in a view with blanks for comments: what
// comes before a dot moves behind the blanks.
func (t *Text) beside(view []byte) {
	for _, dot := range t.dots {
		from, to := dot, dot+1
		for from > 0 && isGap(view[from-1]) {
			from--
		}
		for to < len(view) && isGap(view[to]) {
			to++
		}
		start := from - len(receiver(view[:from]))
		name := from - start
		copy(view[to-1-name:], view[start:from])
		view[to-1] = '.'
		for i := start; i < to-1-name; i++ {
			view[i] = ' '
		}
	}
}

// isReceiver reports whether a text ends with a name that may have members. Behind some words a dot begins
// something else: a number, a relative import, a member of what is expected there.
func isReceiver(text []byte) bool {
	switch string(receiver(text)) {
	case "", "from", "import", "return", "yield", "await", "in", "of", "is", "not", "and", "or", "case", "else", "elif", "if", "when", "typeof", "new",
		"delete", "void", "throw", "raise", "do", "while", "until", "unless", "then", "assert", "del", "print":
		return false
	}
	return true
}

// receiver is the name with dots that a text ends with; nil where it is a number, or the end of something else.
func receiver(text []byte) []byte {
	start := len(text)
	for start > 0 && len(text)-start < maxGap && (nameGoesOn(text[start-1]) || text[start-1] == '.') {
		start--
	}
	r := text[start:]
	if len(r) == 0 || !nameBegins(r[0]) || r[len(r)-1] == '.' {
		return nil
	}
	return r
}

func isGap(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

func nameBegins(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func nameGoesOn(c byte) bool { return nameBegins(c) || c >= '0' && c <= '9' }
