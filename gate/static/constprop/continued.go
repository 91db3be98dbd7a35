package constprop

import "bytes"

// Continued returns a shell script with the words put together that a backslash at the
// end of a line splits, and whether there were any. A shell removes both and goes on with
// the word; a backslash between words is left to readers of lines. The result has the same
// length, and every line begins where it did or is empty.
func Continued(src []byte) ([]byte, bool) {
	if !bytes.Contains(src, []byte("\\\n")) && !bytes.Contains(src, []byte("\\\r\n")) {
		return nil, false
	}
	out := make([]byte, 0, len(src))
	var owed []byte // what the end of the whole line gives back, so that later lines keep their numbers
	changed := false
	for i := 0; i < len(src); {
		if c := src[i]; c == '\\' && i+1 < len(src) {
			end := i + 2
			if src[i+1] == '\r' && i+2 < len(src) && src[i+2] == '\n' {
				end++
			}
			if src[end-1] == '\n' && i > 0 && !blank(src[i-1]) && end < len(src) && !blank(src[end]) {
				owed = append(owed, bytes.Repeat([]byte{' '}, end-i-1)...)
				owed = append(owed, '\n')
				changed, i = true, end
				continue
			}
			out, i = append(out, src[i:i+2]...), i+2
			if out[len(out)-1] == '\n' {
				out, owed = append(out, owed...), owed[:0]
			}
			continue
		}
		out = append(out, src[i])
		if src[i] == '\n' {
			out, owed = append(out, owed...), owed[:0]
		}
		i++
	}
	return append(out, owed...), changed
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
