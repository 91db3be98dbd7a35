package embedded

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// importC matches the comment before the import of "C" in a program in Go, which cgo
// compiles as C.
var importC = regexp.MustCompile(`(?m)((?:^//[^\n]*\n)+|^/\*(?s:.*?)\*/[ \t]*\n)import[ \t]*\(?[ \t\n]*"C"`)

// preambles returns the code in C of a program in Go.
func preambles(content []byte) []Code {
	if !bytes.Contains(content, []byte(`"C"`)) {
		return nil
	}
	var out []Code
	lines := newLineIndex(content)
	for _, m := range importC.FindAllSubmatchIndex(content, maxCommands) {
		var b builder
		first := lines.of(m[2])
		for i, line := range strings.Split(strings.TrimSuffix(string(content[m[2]:m[3]]), "\n"), "\n") {
			line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(line, "*/"), "/*"), "//")
			if !strings.HasPrefix(strings.TrimSpace(line), "#cgo") {
				b.add(line, first+i, 0)
			}
		}
		out = append(out, b.region(gate.LanguageC, "")...)
	}
	return out
}
