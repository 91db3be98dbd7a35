package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Bounds of what a tool sends.
const (
	MaxMessage = 16 << 20 // bytes
	maxNesting = 64
	maxValues  = 200_000
)

// object is a JSON object whose keys are distinct.
type object map[string]any

// decode reads one JSON object and nothing behind it.
func decode(data []byte) (object, error) {
	switch {
	case len(data) > MaxMessage:
		return nil, fmt.Errorf("it is larger than %d bytes", MaxMessage)
	case !utf8.Valid(data):
		return nil, errors.New("it is no UTF-8")
	}
	d := decoder{json.NewDecoder(bytes.NewReader(data)), 0}
	d.json.UseNumber()
	v, err := d.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := d.json.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON")
	}
	o, ok := v.(object)
	if !ok {
		return nil, errors.New("it is no JSON object")
	}
	return o, nil
}

type decoder struct {
	json   *json.Decoder
	values int
}

func (d *decoder) value(depth int) (any, error) {
	if d.values++; depth > maxNesting || d.values > maxValues {
		return nil, errors.New("it is nested too deeply or has too many values")
	}
	t, err := d.json.Token()
	if err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	switch t {
	case json.Delim('{'):
		o := object{}
		for d.json.More() {
			k, err := d.json.Token()
			if err != nil {
				return nil, fmt.Errorf("it is no JSON: %w", err)
			}
			key, _ := k.(string) // the decoder lets nothing else through
			if _, twice := o[key]; twice {
				return nil, fmt.Errorf("it has the key %q twice", clip(key, 40))
			}
			if o[key], err = d.value(depth + 1); err != nil {
				return nil, err
			}
		}
		_, err = d.json.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.json.More() {
			v, err := d.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.json.Token()
		return list, err
	}
	return t, nil
}

// text returns a member that is a text, of the first of the keys that is there.
func (o object) text(keys ...string) (string, bool) {
	for _, k := range keys {
		if s, ok := o[k].(string); ok {
			return s, true
		}
	}
	return "", false
}

// inner returns a member that is an object, also one that is written as a text.
func (o object) inner(keys ...string) (object, error) {
	for _, k := range keys {
		switch v := o[k].(type) {
		case object:
			return v, nil
		case string:
			in, err := decode([]byte(v))
			if err != nil {
				return nil, fmt.Errorf("its %s: %w", k, err)
			}
			return in, nil
		case nil:
		default:
			return nil, fmt.Errorf("its %s is no object", k)
		}
	}
	return nil, nil
}

// only returns an object with some of the members.
func (o object) only(keys ...string) object {
	out := object{}
	for _, k := range keys {
		if v, ok := o[k]; ok {
			out[k] = v
		}
	}
	return out
}

// texts collects every text below a value.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, texts(e)...)
		}
		return out
	case object:
		var out []string
		for _, k := range v.keys() {
			out = append(out, texts(v[k])...)
		}
		return out
	}
	return nil
}

// blocks are the texts of blocks of content: {"type": "text", "text": …}.
func blocks(v any) []string {
	switch v := v.(type) {
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, blocks(e)...)
		}
		return out
	case object:
		if text, ok := v["text"].(string); ok {
			return []string{text}
		}
		var out []string
		for _, k := range v.keys() {
			out = append(out, blocks(v[k])...)
		}
		return out
	}
	return nil
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
