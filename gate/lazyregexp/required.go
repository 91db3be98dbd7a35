package lazyregexp

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// leastRequired is how long a text is that every match holds: shorter ones are in most texts.
const leastRequired = 3 // bytes

// required returns the longest text that is part of every match of an expression, empty where
// none is long enough. Looking for it takes a tenth of what an automaton does.
func required(tree *syntax.Regexp) string {
	word := longest(tree)
	if len(word) < leastRequired || strings.ContainsRune(word, utf8.RuneError) { // which matches bytes that are no text
		return ""
	}
	return word
}

func longest(tree *syntax.Regexp) string {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return string(tree.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return longest(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return longest(tree.Sub[0])
		}
	case syntax.OpConcat:
		word := ""
		for _, sub := range tree.Sub {
			if one := longest(sub); len(one) > len(word) {
				word = one
			}
		}
		return word
	}
	return ""
}

// lacks reports whether a text doesn't hold what every match does.
func lacks[T []byte | string](r *Regexp, text T) bool {
	if r.word == "" {
		return false
	}
	if text, is := any(text).(string); is {
		return !strings.Contains(text, r.word)
	}
	return !bytes.Contains([]byte(text), []byte(r.word))
}
