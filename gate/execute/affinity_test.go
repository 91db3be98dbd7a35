package execute_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/shard"
)

// project is a repository with every way in which targets share a run.
func project() map[string]string {
	of := map[string]string{
		"go.mod": "module example.com/m\n", "a/a.go": "package a\n", "a/a_test.go": "package a\n", "b/b.go": "package b\n\nvar B = 1\n",
		"tool/main.go": "package main\n\nfunc main() {}\n", "tool/more.go": "package main\n",
		"py/pyproject.toml": "", "py/src/shop.py": "def f(): pass\n", "py/src/cart.py": "def g(): pass\n", "py/src/alone.py": "def h(): pass\n",
		"py/tests/test_shop.py": "import pytest\ndef test_f(): pass\n", "py/tests/test_cart.py": "import pytest\ndef test_g(): pass\n",
		"js/package.json": `{"scripts": {"test": "node --test"}}`, "js/x.js": "export const x = 1\n", "js/x.test.js": "", "js/y.test.js": "",
		"svc/one.txt": "1", "svc/two.txt": "2", "run.sh": "echo 1\n", "main.py": program, "README.md": "# x\n",
	}
	for i := range 40 {
		of[fmt.Sprintf("many/test_%02d.py", i)] = "import pytest\ndef test(): pass\n"
	}
	return of
}

func togetherStage(t *testing.T, r *fakeRunner) *execute.Stage {
	return fakeStage(t, r, func(o *execute.Options) { o.Policy.Run = map[string]string{"svc/**": "cat svc/*"} })
}

func TestFilesThatShareARunAreInOneShard(t *testing.T) {
	got := togetherStage(t, &fakeRunner{}).Together(changeOf(files(project())))
	for p, want := range map[string]string{
		"a/a.go": "a/", "a/a_test.go": "a/", "b/b.go": "", "tool/main.go": "tool/", "tool/more.go": "tool/",
		"py/src/shop.py": "py/", "py/src/cart.py": "py/", "py/tests/test_shop.py": "py/", "py/src/alone.py": "",
		"js/x.js": "js/", "js/x.test.js": "js/", "js/y.test.js": "js/", "js/package.json": "",
		"svc/one.txt": "svc/", "svc/two.txt": "svc/", "run.sh": "", "main.py": "", "README.md": "",
		"many/test_00.py": "many/", "many/test_39.py": "many/",
	} {
		if got[p] != want {
			t.Errorf("%s is in the group %q, want %q", p, got[p], want)
		}
	}
}

func TestShardsRunWhatTheWholeRuns(t *testing.T) {
	whole := &fakeRunner{}
	c := changeOf(files(project()))
	executions(t, togetherStage(t, whole), c)
	for n := 2; n <= 5; n++ {
		split := &fakeRunner{}
		for i := 1; i <= n; i++ {
			s := togetherStage(t, split)
			mine, _, err := shard.Split(c, shard.Part{Index: i, Of: n}, gate.DefaultPolicy(), s.Together(c), true)
			if err != nil {
				t.Fatal(err)
			}
			executions(t, s, mine)
		}
		if diff := cmp.Diff(commands(whole), commands(split)); diff != "" {
			t.Errorf("%d shards (-whole +shards):\n%s", n, diff)
		}
	}
}

func TestDangerousFilesOfAnotherShardEnterNoContainer(t *testing.T) {
	r := &fakeRunner{}
	c := changeOf(files(map[string]string{"mine.py": program, "theirs.py": program}))
	c.Targets, c.OtherShards = c.Targets[:1], c.Targets[1:]
	found := gate.NewFindings(slices.Concat(c.Targets, c.OtherShards), nil)
	found.Add("theirs.py", gate.Finding{Rule: "destruction/x", Layer: gate.LayerStatic, Severity: gate.SeverityDangerous, Line: 1})
	if _, err := fakeStage(t, r, nil).Run(t.Context(), c, found); err != nil {
		t.Fatal(err)
	}
	if len(r.inputs) == 0 {
		t.Fatal("nothing was run")
	}
	for _, in := range r.inputs {
		if _, ok := in["theirs.py"]; ok {
			t.Error("theirs.py entered a container")
		}
	}
}

// commands lists what was run, with the number of files beside it.
func commands(r *fakeRunner) []string {
	var out []string
	for i, s := range r.specs {
		out = append(out, fmt.Sprintf("%d files: %s", len(r.inputs[i]), strings.Join(s.Argv, " ")))
	}
	slices.Sort(out)
	return out
}
