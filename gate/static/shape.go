package static

import (
	"bytes"
	"unicode/utf8"
)

// maxLine is the longest line, in bytes, that a person can be expected to read.
const maxLine = 5000

// shape reports what is odd about a chunk of text as such.
func (f *file) shape(chunk []byte, firstLine int) {
	if f.invalid == 0 && !utf8.Valid(chunk) {
		f.invalid = firstLine + bytes.Count(chunk[:invalidAt(chunk)], []byte{'\n'})
		f.report(checkInvalidEncoding, f.invalid, "", "")
	}
	if f.longLine {
		return
	}
	for n, rest := 0, chunk; len(rest) > 0; n++ {
		line, after, _ := bytes.Cut(rest, []byte{'\n'})
		if len(line) > maxLine {
			f.longLine = true
			f.report(checkLongLine, firstLine+n, "", "")
			return
		}
		rest = after
	}
}

// invalidAt is the offset of the first byte that is not UTF-8.
func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return len(text)
}
