package reach

import (
	"bytes"
	"maps"
	"testing"

	"github.com/aigate/gate/gate"
)

// Whatever the texts are, what is found lies in the text, names something, and is found
// again when it is read again.
func FuzzReach(f *testing.F) {
	for _, seed := range []struct{ lang, name, text, older string }{
		{"python", "pkg/a.py", "from . import b\nimport c.d\nDEBUG = True\nb.go(x)\n", "DEBUG = False\n"},
		{"javascript", "src/a.js", "const b = require('./b');\nimport c from \"../c.js\";\nb.run();\n", ""},
		{"go", "a.go", "package a\n\nimport \"x/y\"\n\nfunc f() { y.Do() }\n", "package a\n"},
		{"shell", "run.sh", "set -e\nmain \"$@\"\n. ./lib.sh\nFLAG=${FLAG:-1}\n", "main\n"},
		{"json", "package.json", "{\"main\": \"a:b\"}", ""},
	} {
		f.Add(seed.lang, seed.name, []byte(seed.text), []byte(seed.older), 1)
	}
	f.Fuzz(func(t *testing.T, language, name string, text, older []byte, line int) {
		lang := gate.Language(language)
		lines := bytes.Count(text, []byte("\n")) + 1
		read := Read(lang, name, text, older, gate.LineSet{})
		for kind, names := range map[string]map[string]int{"module": read.Modules, "call": read.Calls, "switch": read.Switches} {
			for of, at := range names {
				if of == "" || at < 1 || at > lines {
					t.Fatalf("%s %q on line %d of %d", kind, of, at, lines)
				}
			}
		}
		again := Read(lang, name, text, older, gate.LineSet{})
		if !maps.Equal(read.Modules, again.Modules) || !maps.Equal(read.Calls, again.Calls) || !maps.Equal(read.Switches, again.Switches) {
			t.Fatal("reading twice differs")
		}
		if same := Read(lang, name, text, text, gate.LineSet{}); len(same.Modules) > 0 {
			t.Fatalf("modules that the older text has: %v", same.Modules)
		}
		o := NewOutline(lang, text)
		for _, at := range []int{line, 0, -1, lines, lines + 1} {
			o.AtTop(at)
			if by, ok := o.In(at, read.Calls); ok && (by < 1 || by > lines) {
				t.Fatalf("line %d is reached by line %d of %d", at, by, lines)
			}
			if by, ok := o.Switched(at, read.Switches); ok && (by < 1 || by > lines) {
				t.Fatalf("line %d is switched by line %d of %d", at, by, lines)
			}
		}
	})
}
