package static_test

import (
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestAManifestThatIsNoJSONIsAFinding(t *testing.T) {
	for _, c := range []struct {
		name, path, text string
		line             int // of the finding, 0 for none
	}{
		{"a comma too many", "package.json", "{\n\"name\": \"x\",\n}\n", 3},
		{"nested too deep for a parser", "package.json", deepJSON(20_000), 1},
		{"no JSON at all", "composer.json", "x: y\n", 1},
		{"valid, with a byte order mark", "package.json", "\ufeff{\"name\": \"x\"}\n", 0},
		{"a template", "package.json", "{\"name\": {{ name }}}\n", 0},
		{"another file", "a.json", "{,}\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(t, newScanner(t, nil), fstest.MapFS{c.path: {Data: []byte(c.text)}}, &gate.Target{Path: c.path, Language: gate.LanguageJSON})
			line := 0
			for _, f := range got.found[c.path] {
				if f.Rule == "file/broken-manifest" {
					line = f.Line
				}
			}
			if line != c.line {
				t.Errorf("found on line %d, want %d", line, c.line)
			}
		})
	}
}

// deepJSON is valid JSON of so many brackets.
func deepJSON(depth int) string {
	text := make([]byte, 0, 2*depth)
	for range depth {
		text = append(text, '[')
	}
	for range depth {
		text = append(text, ']')
	}
	return string(text)
}
