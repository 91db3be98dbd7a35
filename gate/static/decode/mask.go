package decode

import (
	"fmt"
	"slices"
	"strconv"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// maxKeys bounds the constants that are tried.
const maxKeys = 8

// keyShape is a constant next to an exclusive or: x ^ 42, x ^= 0x2A, 42 ^ x, or a
// constant with a telling name.
var keyShape = regexp.MustCompile(`\^=?\s*(0[xX][0-9a-fA-F]{1,2}|[0-9]{1,3})\b|\b(0[xX][0-9a-fA-F]{1,2}|[0-9]{1,3})\s*\^[^=]|(?i:\b(?:key|xor|mask|k)\w*)\s*:?=\s*(0[xX][0-9a-fA-F]{1,2}|[0-9]{1,3})\b`)

// constants returns the constants that the text names for an exclusive or.
func (d *decoder) constants() []byte {
	if d.looked {
		return d.keys
	}
	d.looked = true
	if !slices.Contains(d.content, '^') {
		return nil
	}
	for _, m := range keyShape.FindAllSubmatch(d.content, 4*maxKeys) {
		for _, group := range m[1:] {
			n, err := strconv.ParseUint(string(group), 0, 8)
			if err == nil && n != 0 && !slices.Contains(d.keys, byte(n)) && len(d.keys) < maxKeys {
				d.keys = append(d.keys, byte(n))
			}
		}
	}
	return d.keys
}

// masked reports whether bytes become text under one of the constants.
func (d *decoder) masked(b []byte) bool {
	for _, k := range d.constants() {
		if readable(mask(b, k)) {
			return true
		}
	}
	return false
}

// unmasked undoes an exclusive or with a constant that the text names.
func (d *decoder) unmasked(raw []byte, how string) ([]byte, string) {
	for _, k := range d.constants() {
		if out := mask(raw, k); readable(out) {
			return out, fmt.Sprintf("%s, xor %d", how, k)
		}
	}
	return nil, ""
}

func mask(b []byte, key byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = c ^ key
	}
	return out
}

// readable is stricter than isText: of eight constants one makes text of noise
// now and then.
func readable(b []byte) bool {
	letters := 0
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c >= 0x7F {
			return false
		}
		if c >= 'a' && c <= 'z' || c == ' ' {
			letters++
		}
	}
	return letters*2 >= len(b)
}
