package static_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestAChangeOfWhetherGateRunsIsAFinding(t *testing.T) {
	const name, own = ".github/workflows/gate.yml", "on: pull_request\njobs:\n  g:\n    runs-on: ubuntu-latest\n    steps:\n    - uses: actions/checkout@v4\n    - run: gate pr\n"
	for head, want := range map[string]bool{
		strings.Replace(own, "gate pr", "gate pr || true", 1):                true,
		strings.Replace(own, "on: pull_request", "on: push", 1):              true,
		strings.Replace(own, "checkout@v4", "checkout@v5", 1):                false,
		own + "  x:\n    runs-on: ubuntu-latest\n    steps: [{run: make}]\n": false,
	} {
		got := false
		for _, f := range scanEdit(t, fstest.MapFS{name: file(own)}, fstest.MapFS{name: file(head)}).found[name] {
			got = got || f.Rule == "workflow/own-check"
		}
		if got != want {
			t.Errorf("%s\ngot %v", head, got)
		}
	}
}

func TestAWorkflowThatMovesOutOfItsFolderNoLongerRunsGate(t *testing.T) {
	const name, own = ".github/workflows/gate.yml", "on: pull_request\njobs: {g: {runs-on: x, steps: [{run: gate pr}]}}\n"
	target := &gate.Target{Path: name + ".txt", OldPath: name, Kind: gate.ChangeRenamed, Mode: 0o644, Size: int64(len(own)), Lines: gate.OnlyLines()}
	c := &gate.Change{Head: fstest.MapFS{target.Path: file(own)}, Base: fstest.MapFS{name: file(own)}, Targets: []*gate.Target{target}, Files: []string{target.Path}}
	found := gate.NewFindings(c.Targets, nil)
	if _, err := newScanner(t, nil).Run(t.Context(), c, found); err != nil {
		t.Fatal(err)
	}
	if got := worstOf(found.Of(target.Path)); got != gate.SeveritySuspicious {
		t.Errorf("got %v", got)
	}
}
