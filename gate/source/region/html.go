package region

import (
	"bytes"

	"github.com/aigate/gate/gate"
)

// htmlScripts returns the inline scripts of a page.
func htmlScripts(content []byte) []Region {
	lower := lowerASCII(content)
	lines := newLineIndex(content)
	var out []Region
	for at := 0; at < len(lower); {
		i := bytes.Index(lower[at:], []byte("<script"))
		if i < 0 {
			break
		}
		open := bytes.IndexByte(lower[at+i:], '>')
		if open < 0 {
			break
		}
		start := at + i + open + 1
		end := len(lower)
		if j := bytes.Index(lower[start:], []byte("</script")); j >= 0 {
			end = start + j
		}
		var b builder
		b.add(string(content[start:end]), lines.of(start), 1)
		out = append(out, b.region(gate.LanguageJavaScript, "")...)
		at = end + 1
	}
	return out
}

// lowerASCII keeps offsets, which a change of case beyond ASCII would not.
func lowerASCII(text []byte) []byte {
	out := bytes.Clone(text)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return out
}
