package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// object is a JSON document with the code in one value.
type object struct {
	path   []string // keys down to the value; "[]" is a list of one
	before string   // pairs of the outermost object, in front of the path
}

// depth is a level of an object: of its path.
type depth int

const (
	nowhere depth = iota
	outer         // the first key
	inner         // the last key
)

// objectStyle is how an object is written.
type objectStyle struct {
	duplicate                depth // a harmless pair of the same name comes first: the last one counts
	otherCase                depth // a harmless pair whose name differs in case comes behind
	escapedKeys, escapedText bool
	spread                   bool // every token on a line of its own
	nested                   int  // brackets of another value in front
}

func (o *object) text(value string, s objectStyle) string {
	text := jsonString(value)
	if s.escapedText {
		text = `"` + escapedAll(value) + `"`
	}
	return o.level(0, text, s) + "\n"
}

func (o *object) level(i int, value string, s objectStyle) string {
	if i == len(o.path) {
		return value
	}
	if o.path[i] == "[]" {
		return "[" + o.level(i+1, value, s) + "]"
	}
	var pairs []string
	if i == 0 && s.nested > 0 {
		pairs = append(pairs, `"x": `+strings.Repeat("[", s.nested)+strings.Repeat("]", s.nested))
	}
	if i == 0 && o.before != "" {
		pairs = append(pairs, o.before)
	}
	key := o.path[i]
	decoy, last := `{}`, i == len(o.path)-1
	switch {
	case last:
		decoy = `"true"`
	case o.path[i+1] == "[]":
		decoy = `[]`
	}
	here := func(d depth) bool { return d == outer && i == 0 || d == inner && last }
	if here(s.duplicate) {
		pairs = append(pairs, fmt.Sprintf("%q: %s", key, decoy))
	}
	name := jsonString(key)
	if s.escapedKeys {
		name = `"` + escapedAll(key) + `"`
	}
	pairs = append(pairs, name+": "+o.level(i+1, value, s))
	if here(s.otherCase) {
		pairs = append(pairs, fmt.Sprintf("%q: %s", otherCase(key), decoy))
	}
	if s.spread {
		return "{\n" + strings.Join(pairs, "\n,\n") + "\n}"
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

// otherCase is a word that differs in case only.
func otherCase(word string) string {
	if up := strings.ToUpper(word[:1]) + word[1:]; up != word {
		return up
	}
	return strings.ToLower(word)
}

// jsonString quotes a text for JSON, which YAML reads as well.
func jsonString(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return `""` // a string can be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// escapedAll writes every character as \uXXXX.
func escapedAll(text string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}
