package change

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestATreeIsAddedWithAllItsFiles(t *testing.T) {
	c, err := Added(t.Context(), fstest.MapFS{
		"src/a.py":             {Data: []byte("print(1)\n"), Mode: 0o644},
		"run":                  {Data: []byte("#!/bin/sh\n"), Mode: 0o755},
		".github/workflows/ci": {Data: []byte("on: push\n"), Mode: 0o644},
		".env":                 {Data: []byte("KEY=1\n"), Mode: 0o644},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, target := range c.Targets {
		if target.Kind != gate.ChangeAdded || !target.Lines.All() {
			t.Errorf("%s: %s, all lines %v", target.Path, target.Kind, target.Lines.All())
		}
		got = append(got, fmt.Sprintf("%s %s", target.Path, target.Language))
	}
	if want := []string{".env ", ".github/workflows/ci ", "run shell", "src/a.py python"}; len(got) != 4 || got[2] != want[2] || got[3] != want[3] {
		t.Errorf("got %q", got)
	}
	// What has secrets enters no container, anyone who adds it.
	if want := []string{".github/workflows/ci", "run", "src/a.py"}; !slices.Equal(c.Files, want) {
		t.Errorf("files %q, want %q", c.Files, want)
	}
	if c.Base == nil {
		t.Error("there is no base, so nothing would count as new")
	}
}
