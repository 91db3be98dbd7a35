package agentrun

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
)

func TestTakeSendsWhatMayBeActedOnThroughTheLayers(t *testing.T) {
	for name, want := range map[string]bool{
		"tool.py": true, "tool.sh": true, "tool": true, "run.bat": true, "a.html": true, "a.svg": true, "notes.md": true, "package.json": true, "a.ipynb": true,
		"setup.cfg": true, "compose.yaml": true, "Makefile": true, "a.desktop": true,
		"a.txt": false, "a.csv": false, "values.json": false, "a.log": false,
	} {
		b := &bench{path: "task.py", change: &gate.Change{Head: fstest.MapFS{}, Targets: []*gate.Target{{}}}}
		children := b.take("task.py", []engine.File{{Path: name, Data: []byte("some text\n")}}, nil)
		if (len(children) == 1) != want || want && (children[0].Target.Path != "task.py!out/"+name || children[0].Target.Parent != "task.py") {
			t.Errorf("%s: %v", name, children)
		}
		if len(b.files) != 1 {
			t.Errorf("%s: not kept", name)
		}
		if again := b.take("task.py!out/"+name, []engine.File{{Path: "more"}}, nil); len(again) > 0 || len(b.files) != 1 {
			t.Errorf("%s: what another program leaves is taken", name)
		}
	}
	b := &bench{path: "task.py", change: &gate.Change{Targets: []*gate.Target{{}}}}
	if children := b.take("task.py", []engine.File{{Path: "a.csv", Data: []byte("#!/bin/sh\n")}}, nil); len(children) != 1 {
		t.Error("a script that is named like a table is data")
	}
	if children := b.take("task.py", slices.Repeat([]engine.File{{Path: ".x"}}, 100), nil); len(children) > 0 {
		t.Error("files that are not handed out anyway cost time")
	}
}
