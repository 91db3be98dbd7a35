package glob

import (
	"fmt"
	"iter"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// MaxAlternatives is the most ways through the brace lists of a glob: the work of the
// matcher grows with them.
const MaxAlternatives = 256

// checkExamples returns the first way through the alternatives of a glob that can match
// nothing, "" where all can. The error is that of a glob with too many of them.
func checkExamples(glob string, can func(string) bool) (useless string, err error) {
	n := 0
	for example := range examples(glob) {
		if n++; n > MaxAlternatives {
			return "", fmt.Errorf("%q has more than %d alternatives; write several globs", glob, MaxAlternatives)
		}
		if useless == "" && !can(example) {
			useless = fmt.Sprintf("%q", example)
		}
	}
	return useless, nil
}

// examples yields paths that were made from a glob: one for every way through its
// alternatives. The glob has been validated.
func examples(glob string) iter.Seq[string] {
	return func(yield func(string) bool) {
		b := builder{yield: yield}
		b.from("", strings.TrimPrefix(glob, "/"))
	}
}

// builder turns a glob into examples, depth first.
type builder struct{ yield func(string) bool }

// from yields what the rest of a glob can be behind what is built already. It returns
// false when no more are wanted.
func (b builder) from(built, rest string) bool {
	for rest != "" {
		switch rest[0] {
		case '*', '?':
			stars := len(rest) - len(strings.TrimLeft(rest, "*?"))
			built, rest = built+strings.Repeat("x", stars), rest[stars:]
		case '\\':
			built, rest = built+rest[1:2], rest[2:]
		case '[':
			end := classEnd(rest)
			built, rest = built+member(rest[:end]), rest[end:]
		case '{':
			alternatives, after := list(rest)
			for _, a := range alternatives {
				if !b.from(built, a+after) {
					return false
				}
			}
			return true
		default:
			built, rest = built+rest[:1], rest[1:]
		}
	}
	return b.yield(built)
}

// classEnd is the length of the class that a text begins with.
func classEnd(text string) int {
	i := 1
	if i < len(text) && (text[i] == '!' || text[i] == '^') {
		i++
	}
	for first := true; i < len(text); first = false {
		switch {
		case text[i] == ']' && !first:
			return i + 1
		case text[i] == '\\':
			i++
		}
		i++
	}
	return len(text)
}

// member is a character that a class matches, "" where it has none that can be typed.
func member(class string) string {
	for _, r := range class[1:] {
		if r != '/' && doublestar.MatchUnvalidated(class, string(r)) {
			return string(r)
		}
	}
	for r := '~'; r >= ' '; r-- {
		if r != '/' && doublestar.MatchUnvalidated(class, string(r)) {
			return string(r)
		}
	}
	return ""
}

// list splits the brace list that a text begins with: its alternatives, and what
// follows it.
func list(text string) (alternatives []string, after string) {
	depth, start := 0, 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			i += classEnd(text[i:]) - 1
		case '{':
			depth++
		case ',':
			if depth == 1 {
				alternatives, start = append(alternatives, text[start:i]), i+1
			}
		case '}':
			if depth--; depth == 0 {
				return append(alternatives, text[start:i]), text[i+1:]
			}
		}
	}
	return append(alternatives, text[min(start, len(text)):]), ""
}
