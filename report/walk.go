package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
)

// check walks a document and returns the first thing in it that the schema or
// the bounds of [Decode] do not allow.
func (s *shape) check(doc []byte) error {
	w := &walker{dec: json.NewDecoder(bytes.NewReader(doc))}
	w.dec.UseNumber()
	if err := w.value(s); err != nil {
		return err
	}
	if _, err := w.dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("something follows the document, at byte %d", w.dec.InputOffset())
	}
	return nil
}

// walker reads one document. at is where it is: a name for each object and an
// index for each list that it is in.
type walker struct {
	dec    *json.Decoder
	at     []place
	values int
}

type place struct {
	name  string
	index int
}

func (w *walker) errorf(format string, args ...any) error {
	var at strings.Builder
	for i, p := range w.at {
		switch {
		case p.name == "":
			at.WriteString("[" + strconv.Itoa(p.index) + "]")
		case i > 0:
			at.WriteString("." + visible(p.name))
		default:
			at.WriteString(visible(p.name))
		}
	}
	if at.Len() == 0 {
		at.WriteString("the document")
	}
	return fmt.Errorf("%s: %w", at.String(), fmt.Errorf(format, args...))
}

// value reads the next value. A nil shape allows anything.
func (w *walker) value(s *shape) error {
	if w.values++; w.values > MaxValues {
		return w.errorf("more than %d values", MaxValues)
	}
	if len(w.at) > maxNesting {
		return w.errorf("nested more than %d levels deep", maxNesting)
	}
	token, err := w.dec.Token()
	if err != nil {
		return w.errorf("%w at byte %d", err, w.dec.InputOffset())
	}
	if got := typeOf(token); s != nil && got != s.Type && !(s.Type == "integer" && got == "number") {
		return w.errorf("%s where %s is expected", article(got), article(s.Type))
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			return w.object(s)
		}
		return w.list(s)
	case string:
		return w.text(s, v)
	case json.Number:
		return w.number(s, v)
	}
	return nil
}

func (w *walker) object(s *shape) error {
	seen := map[string]bool{}
	for w.dec.More() {
		token, err := w.dec.Token()
		if err != nil {
			return w.errorf("%w at byte %d", err, w.dec.InputOffset())
		}
		name, _ := token.(string) // the decoder has checked that it is one
		if len(name) > MaxString {
			return w.errorf("a name of %d bytes (at most %d)", len(name), MaxString)
		}
		member, err := w.member(s, name, seen)
		if err != nil {
			return err
		}
		w.at = append(w.at, place{name: name})
		if err := w.value(member); err != nil {
			return err
		}
		w.at = w.at[:len(w.at)-1]
	}
	if s != nil {
		for _, name := range s.Required {
			if !seen[name] {
				return w.errorf("%q is missing", name)
			}
		}
	}
	return w.end()
}

// member returns the shape of a member. encoding/json takes the last of two
// members with one name and any mix of capitals for a name, other readers do
// not: a document that depends on it is meant to be read in two ways.
func (w *walker) member(s *shape, name string, seen map[string]bool) (*shape, error) {
	if seen[name] {
		return nil, w.errorf("%s appears twice", quoted(name))
	}
	seen[name] = true
	if s == nil {
		return nil, nil
	}
	if p, ok := s.Properties[name]; ok {
		return p, nil
	}
	for known := range s.Properties {
		if strings.EqualFold(known, name) {
			return nil, w.errorf("%s is spelt %q", quoted(name), known)
		}
	}
	return s.Additional, nil
}

func (w *walker) list(s *shape) error {
	var items *shape
	if s != nil {
		items = s.Items
	}
	n := 0
	for ; w.dec.More(); n++ {
		if s != nil && s.MaxItems != nil && n == *s.MaxItems {
			return w.errorf("more than %d entries", n)
		}
		w.at = append(w.at, place{index: n})
		if err := w.value(items); err != nil {
			return err
		}
		w.at = w.at[:len(w.at)-1]
	}
	if s != nil && n < s.MinItems {
		return w.errorf("%d entries where %d are expected", n, s.MinItems)
	}
	return w.end()
}

// end reads the bracket that closes an object or a list.
func (w *walker) end() error {
	if _, err := w.dec.Token(); err != nil {
		return w.errorf("%w at byte %d", err, w.dec.InputOffset())
	}
	return nil
}

func (w *walker) text(s *shape, v string) error {
	if len(v) > MaxString {
		return w.errorf("a string of %d bytes (at most %d)", len(v), MaxString)
	}
	switch {
	case s == nil:
	case s.MaxLength != nil && utf8.RuneCountInString(v) > *s.MaxLength:
		return w.errorf("%d characters (at most %d)", utf8.RuneCountInString(v), *s.MaxLength)
	case s.Enum != nil && !slices.Contains(s.Enum, v):
		return w.errorf("%s is not one of %s", quoted(v), strings.Join(s.Enum, ", "))
	case s.pattern != nil && !s.pattern.MatchString(v):
		return w.errorf("%s does not match %s", quoted(v), s.Pattern)
	}
	return nil
}

func (w *walker) number(s *shape, v json.Number) error {
	if s == nil {
		return nil
	}
	if s.Type == "integer" {
		if _, err := v.Int64(); err != nil {
			return w.errorf("%s is not a whole number of 64 bits", cut(v))
		}
	}
	f, err := v.Float64()
	switch {
	case err != nil:
		return w.errorf("%s is out of range", cut(v))
	case s.Const != nil && f != float64(*s.Const):
		return w.errorf("%s where %d is expected", cut(v), *s.Const)
	case s.Minimum != nil && f < *s.Minimum:
		return w.errorf("%s is below %v", cut(v), *s.Minimum)
	case s.Maximum != nil && f > *s.Maximum:
		return w.errorf("%s is above %v", cut(v), *s.Maximum)
	}
	return nil
}

// typeOf names a token's type as JSON Schema does.
func typeOf(token json.Token) string {
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			return "object"
		}
		return "array"
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	default:
		return "null"
	}
}

func article(typ string) string {
	switch typ {
	case "null":
		return typ
	case "array":
		return "a list"
	case "object", "integer":
		return "an " + typ
	default:
		return "a " + typ
	}
}

// cut shows a number in an error; it can be as long as the document.
func cut(v json.Number) string { return gate.Clip(v.String(), 40) }
