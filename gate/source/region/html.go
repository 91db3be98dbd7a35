package region

import (
	"bytes"
	"html"
	"regexp"

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

var htmlHandler = regexp.MustCompile(`(?i)\son[a-z]+\s*=\s*(?:"([^"]*)"|'([^']*)')|(?:href|src|action|data)\s*=\s*(?:"\s*javascript:([^"]*)"|'\s*javascript:([^']*)')`)

// htmlHandlers returns the scripts in the attributes of a page.
func htmlHandlers(content []byte) []Region {
	var b builder
	lines := newLineIndex(content)
	for _, m := range htmlHandler.FindAllSubmatchIndex(content, maxCommands) {
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				b.block(html.UnescapeString(string(content[m[g]:m[g+1]])), lines.of(m[g]))
			}
		}
	}
	return b.region(gate.LanguageJavaScript, "")
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
