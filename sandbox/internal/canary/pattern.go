package canary

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
)

// A view is the data with everything dropped that an encoding does not care
// about; a pattern is what a part of a value looks like in it.
const (
	viewPlain  = iota // letters and digits, lower case
	viewBase64        // letters and digits: an encoded value has no other characters
	viewBase32        // letters and digits, lower case
	viewHex           // hex digits, lower case, without the prefix 0x
	viewXOR           // each byte XOR the one before it: a constant key cancels out
	viewCount
)

// The lengths of patterns: the characters that depend on nothing but a part of
// the value, at the alignment with the fewest of them.
const (
	base64Length = 15
	base32Length = 18
)

// forms are the names of what was found directly in a view.
var forms = [...]string{
	formPlain: "plain", formReversed: "reversed", formROT13: "rot13", formXOR: "xor",
	formBase64: "base64", formBase64Of: "base64 of reversed", formBase64Back: "reversed base64",
	formBase32: "base32", formBase32Of: "base32 of reversed", formBase32Hex: "base32hex",
	formHex: "hex", formHexOf: "hex of reversed", formHexBack: "reversed hex",
}

const (
	formPlain = iota
	formReversed
	formROT13
	formXOR
	formBase64
	formBase64Of
	formBase64Back
	formBase32
	formBase32Of
	formBase32Hex
	formHex
	formHexOf
	formHexBack
)

// add enters all patterns of a value.
func (m *Matcher) add(token int32, value string) {
	for i := 0; i+Part <= len(value); i++ {
		part := []byte(value[i : i+Part])
		back := reversed(part)
		enter := func(view int, form uint8, pattern []byte) {
			m.views[view].add(pattern, find{token: token, form: form, last: part[Part-1]})
		}

		enter(viewPlain, formPlain, lowered(part))
		enter(viewPlain, formReversed, lowered(back))
		enter(viewPlain, formROT13, lowered(rot13(part)))
		enter(viewXOR, formXOR, differences(part))

		for shift := range 3 {
			enter(viewBase64, formBase64, base64Part(part, shift))
			enter(viewBase64, formBase64Back, reversed(base64Part(part, shift)))
			enter(viewBase64, formBase64Of, base64Part(back, shift))
		}
		for shift := range 5 {
			enter(viewBase32, formBase32, base32Part(base32.StdEncoding, part, shift))
			enter(viewBase32, formBase32Of, base32Part(base32.StdEncoding, back, shift))
			enter(viewBase32, formBase32Hex, base32Part(base32.HexEncoding, part, shift))
		}
		text := []byte(hex.EncodeToString(part))
		enter(viewHex, formHex, text)
		enter(viewHex, formHexBack, reversed(text))
		enter(viewHex, formHexOf, []byte(hex.EncodeToString(back)))
	}
}

// base64Part returns the characters of an encoding in which part comes shift
// bytes after the start of a group, as far as they depend on part alone.
func base64Part(part []byte, shift int) []byte {
	text := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), part...))
	from := (8*shift + 5) / 6
	return []byte(text[from : from+base64Length])
}

// base32Part is the same for base32, in lower case.
func base32Part(e *base32.Encoding, part []byte, shift int) []byte {
	text := e.WithPadding(base32.NoPadding).EncodeToString(append(make([]byte, shift), part...))
	from := (8*shift + 4) / 5
	return lowered([]byte(text[from : from+base32Length]))
}

// differences returns each byte of part XOR the one before it.
func differences(part []byte) []byte {
	d := make([]byte, len(part)-1)
	for i := range d {
		d[i] = part[i] ^ part[i+1]
	}
	return d
}

func reversed(b []byte) []byte {
	b = slices.Clone(b)
	slices.Reverse(b)
	return b
}

func lowered(b []byte) []byte {
	b = slices.Clone(b)
	for i, c := range b {
		b[i] = lower(c)
	}
	return b
}

func rot13(b []byte) []byte {
	b = slices.Clone(b)
	for i, c := range b {
		switch {
		case 'a' <= c && c <= 'z':
			b[i] = 'a' + (c-'a'+13)%26
		case 'A' <= c && c <= 'Z':
			b[i] = 'A' + (c-'A'+13)%26
		}
	}
	return b
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// What a byte is in the alphabets.
const (
	alnum = 1 << iota
	isHex
	isBase64
	isBase32
	isSpace
)

// classes and values are the alphabets as tables: this is the inner loop.
var (
	classes = makeClasses()
	base64s = makeValues("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "-_", 62)
	base32s = makeValues("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "abcdefghijklmnopqrstuvwxyz", 0)
	nibbles = makeValues("0123456789ABCDEF", "abcdef", 10)
)

func makeClasses() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		letter := 'a' <= lower(c) && lower(c) <= 'z'
		digit := '0' <= c && c <= '9'
		if letter || digit {
			t[i] |= alnum | isBase64
		}
		if digit || 'a' <= lower(c) && lower(c) <= 'f' {
			t[i] |= isHex
		}
		if letter || '2' <= c && c <= '7' {
			t[i] |= isBase32
		}
		switch c {
		case '+', '/', '-', '_':
			t[i] |= isBase64
		case ' ', '\t', '\r', '\n', '.': // lines and DNS labels
			t[i] |= isSpace
		}
	}
	return t
}

// makeValues returns the values of an alphabet's characters, and of others that
// stand for the characters from some value on.
func makeValues(alphabet, others string, from byte) (t [256]uint8) {
	for i := range len(alphabet) {
		t[alphabet[i]] = uint8(i)
	}
	for i := range len(others) {
		t[others[i]] = from + uint8(i)
	}
	return t
}
