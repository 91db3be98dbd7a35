package placeholder

import (
	"encoding/json"
	"strings"
)

// Value is what an expression holds: a text, a list or an object. The zero value
// is not known.
type Value struct {
	kind   kind
	text   string
	list   []Value
	fields map[string]Value
	over   bool // it is not known because it is too long
}

type kind int

const (
	unknown kind = iota
	isText
	isList
	isObject
)

// Text is a known text.
func Text(s string) Value { return Value{kind: isText, text: s} }

// List is a known list.
func List(of ...Value) Value { return Value{kind: isList, list: of} }

// Known reports whether the value is known.
func (v Value) Known() bool { return v.kind != unknown }

// String is the text of a value, the words of a list with blanks between them. It
// reports false for what has none.
func (v Value) String() (string, bool) {
	switch v.kind {
	case isText:
		return v.text, true
	case isList:
		return joined(v.list, " ")
	}
	return "", false
}

// size is how long the texts of a list are together.
func size(list []Value, separator string) int {
	n := 0
	for _, item := range list {
		n += len(item.text) + len(separator)
	}
	return n
}

// joined puts the texts of a list together.
func joined(list []Value, separator string) (string, bool) {
	words := make([]string, len(list))
	size := 0
	for i, item := range list {
		word, ok := item.String()
		if size += len(word) + len(separator); !ok || size > maxText {
			return "", false
		}
		words[i] = word
	}
	return strings.Join(words, separator), true
}

// member is the field of an object, or the element of a list.
func (v Value) member(name string) Value {
	switch v.kind {
	case isObject:
		return v.fields[name]
	case isList:
		i, ok := number(name)
		if ok && i < 0 {
			i += len(v.list)
		}
		if ok && i >= 0 && i < len(v.list) {
			return v.list[i]
		}
	case isText:
		if i, ok := number(name); ok && i >= 0 && i < len(v.text) {
			return Text(v.text[i : i+1])
		}
	}
	return Value{}
}

// fromJSON is the value of a JSON text.
func fromJSON(text string) Value {
	var of any
	if json.Unmarshal([]byte(text), &of) != nil {
		return Value{}
	}
	return fromAny(of)
}

func fromAny(of any) Value {
	switch of := of.(type) {
	case string:
		return Text(of)
	case []any:
		out := List()
		for _, item := range of {
			out.list = append(out.list, fromAny(item))
		}
		return out
	case map[string]any:
		out := Value{kind: isObject, fields: map[string]Value{}}
		for key, item := range of {
			out.fields[key] = fromAny(item)
		}
		return out
	case nil:
		return Text("")
	}
	text, err := json.Marshal(of)
	if err != nil {
		return Value{}
	}
	return Text(string(text))
}
