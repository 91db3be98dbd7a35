package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// merged is a JSON text and what it got.
type merged struct {
	text []byte
	// added is a document of the shape of the text with only what was added; nil for nothing.
	added map[string]any
	// pieces are the strings that were put into the text, in that order.
	pieces []string
}

// mergeJSON adds to a JSON text what want has and it lacks: members of objects, and elements
// of lists. What is there already stays as it is, with its formatting; a member that is there
// with another value is an error that names it.
func mergeJSON(text []byte, want map[string]any) (merged, error) {
	have, err := objectIn(text)
	if err != nil {
		return merged{}, err
	}
	before, body, after := spaceAround(text)
	m := merged{text: body}
	if m.added, err = m.addMembers("", have, want); err != nil {
		return merged{}, err
	}
	if len(m.added) == 0 {
		return merged{text: text}, nil
	}
	m.text = slices.Concat(before, m.text, after)
	if _, err := objectIn(m.text); err != nil {
		return merged{}, fmt.Errorf("what was added makes it unreadable: %w", err)
	}
	return m, nil
}

// spaceAround splits off the space in front of a text and behind it, which sjson drops.
func spaceAround(text []byte) (before, body, after []byte) {
	const space = " \t\r\n"
	body = bytes.TrimLeft(text, space)
	before = text[:len(text)-len(body)]
	all := len(body)
	body = bytes.TrimRight(body, space)
	return before, body, text[len(before)+len(body) : len(before)+all]
}

func (m *merged) addMembers(at string, have, want map[string]any) (map[string]any, error) {
	added := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		path := at + escaped(key)
		old, ok := have[key]
		if !ok {
			if err := m.set(path, want[key]); err != nil {
				return nil, err
			}
			added[key] = want[key]
			continue
		}
		part, err := m.addTo(path, old, want[key])
		if err != nil {
			return nil, err
		}
		if part != nil {
			added[key] = part
		}
	}
	return added, nil
}

// addTo adds to a value that is there. It returns what was added, nil for nothing.
func (m *merged) addTo(path string, old, want any) (any, error) {
	switch want := want.(type) {
	case map[string]any:
		if have, ok := old.(map[string]any); ok {
			part, err := m.addMembers(path+".", have, want)
			if len(part) == 0 {
				return nil, err
			}
			return part, err
		}
	case []any:
		if have, ok := old.([]any); ok {
			var part []any
			for _, element := range want {
				if contains(have, element) {
					continue
				}
				if err := m.set(path+".-1", element); err != nil {
					return nil, err
				}
				part = append(part, element)
			}
			if part == nil {
				return nil, nil
			}
			return part, nil
		}
	default:
		if reflect.DeepEqual(old, want) {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("it has %s already, with another value", path)
}

// escaped is a key as paths name it: a colon in front would be taken for "this number is a key".
func escaped(key string) string {
	if strings.HasPrefix(key, ":") {
		return `\` + key
	}
	return gjson.Escape(key)
}

func contains(list []any, element any) bool {
	return slices.ContainsFunc(list, func(have any) bool { return reflect.DeepEqual(have, element) })
}

// set puts a value to a place that has none, and notes the string that the text got.
func (m *merged) set(path string, value any) error {
	raw, err := compact(value)
	if err != nil {
		return err
	}
	out, err := sjson.SetRawBytes(m.text, path, raw)
	if err != nil {
		return fmt.Errorf("add %s: %w", path, err)
	}
	m.pieces = append(m.pieces, inserted(m.text, out))
	m.text = out
	return nil
}

// inserted is the string that one text has and the other, which is the same otherwise, has not:
// "" where they differ in more.
func inserted(before, after []byte) string {
	first := 0
	for first < min(len(before), len(after)) && before[first] == after[first] {
		first++
	}
	more := len(after) - len(before)
	if more < 0 || !bytes.Equal(before[first:], after[first+more:]) {
		return ""
	}
	return string(after[first : first+more])
}

// subtractJSON takes away from a JSON text what [mergeJSON] added, so far as it is still there
// unchanged. What others put into lists and objects of ours stays. Where the pieces that were put
// into the text are still in it, only they go, and every other byte stays.
func subtractJSON(text []byte, added map[string]any, pieces []string) ([]byte, error) {
	have, err := objectIn(text)
	if err != nil {
		return nil, err
	}
	before, body, after := spaceAround(text)
	if err := takeMembers(&body, "", have, added); err != nil {
		return nil, err
	}
	rest := slices.Concat(before, body, after)
	if exact, ok := withoutPieces(text, pieces); ok && sameContent(exact, rest) {
		return exact, nil
	}
	return rest, nil
}

// withoutPieces takes pieces out of a text that has each of them exactly once, the last first.
func withoutPieces(text []byte, pieces []string) ([]byte, bool) {
	for _, piece := range slices.Backward(pieces) {
		if piece == "" || bytes.Count(text, []byte(piece)) != 1 {
			return nil, false
		}
		text = bytes.Replace(text, []byte(piece), nil, 1)
	}
	return text, len(pieces) > 0
}

// sameContent reports whether two JSON texts say the same, apart from objects and lists in which
// nothing is: where our part was all that was in one, it can't be told who made it.
func sameContent(a, b []byte) bool {
	x, err := objectIn(a)
	if err != nil {
		return false
	}
	y, err := objectIn(b)
	return err == nil && reflect.DeepEqual(withoutEmpty(x), withoutEmpty(y))
}

// withoutEmpty drops the members whose values have nothing in them.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, one := range v {
			if v[key] = withoutEmpty(one); v[key] == nil {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

func takeMembers(text *[]byte, at string, have, added map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(added)) {
		if now, ok := have[key]; ok {
			if err := takeValue(text, at+escaped(key), now, added[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeValue deletes a value that is as it was added, else those of its parts that are.
func takeValue(text *[]byte, path string, now, added any) error {
	if reflect.DeepEqual(now, added) {
		return deleteJSON(text, path)
	}
	switch added := added.(type) {
	case map[string]any:
		if members, ok := now.(map[string]any); ok {
			return takeMembers(text, path+".", members, added)
		}
	case []any:
		if elements, ok := now.([]any); ok {
			return takeElements(text, path, elements, added)
		}
	}
	return nil
}

func takeElements(text *[]byte, path string, have, added []any) error {
	for _, ours := range added {
		i := slices.IndexFunc(have, func(one any) bool { return reflect.DeepEqual(one, ours) })
		if i < 0 {
			continue
		}
		if err := deleteJSON(text, path+"."+strconv.Itoa(i)); err != nil {
			return err
		}
		have = slices.Delete(slices.Clone(have), i, i+1)
	}
	return nil
}

func deleteJSON(text *[]byte, path string) error {
	out, err := sjson.DeleteBytes(*text, path)
	if err != nil {
		return fmt.Errorf("take %s away: %w", path, err)
	}
	*text = out
	return nil
}

var errNoObject = errors.New("it is no JSON object")

// objectIn reads a text that is one JSON object without comments, in which no key is twice:
// programs don't agree on what other texts mean.
func objectIn(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := distinct(d, 0); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object")
	}
	var out map[string]any
	d = json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil || out == nil {
		return nil, errNoObject
	}
	return out, nil
}

// maxDepth bounds how deeply values lie in each other.
const maxDepth = 100

// distinct reads one value, and refuses one that has a key twice.
func distinct(d *json.Decoder, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("its values lie more than %d deep in each other", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return fmt.Errorf("it is no JSON (comments included): %w", err)
	}
	open, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	keys := map[string]bool{}
	for d.More() {
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return fmt.Errorf("it is no JSON (comments included): %w", err)
			}
			name, _ := key.(string)
			if keys[name] {
				return fmt.Errorf("it has the key %.40q twice", name)
			}
			keys[name] = true
		}
		if err := distinct(d, depth+1); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("it is no JSON (comments included): %w", err)
	}
	return nil
}

// compact writes a value on one line; "<" and "&" stay as they are.
func compact(value any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSpace(out.String())), nil
}
