package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
)

func TestScriptsRunWithTheTestsOfBats(t *testing.T) {
	const test = "@test \"a\" {\n  true\n}\n"
	for name, tt := range map[string]struct {
		files   map[string]string
		changed []string
		want    string // arguments → targets, nearest
	}{
		"by name, then by mention, then the others": {map[string]string{"lib/sum.sh": "", "test/a.bats": test, "test/b.bats": "load ../lib/sum.sh\n" + test, "test/sum.bats": test}, []string{"lib/sum.sh"},
			"bats --formatter tap test/sum.bats test/b.bats → lib/sum.sh, near test/sum.bats test/b.bats\nbats --formatter tap test/a.bats → lib/sum.sh, near  (beside)"},
		"all, where none is nearer": {map[string]string{"x.sh": "", "test/a.bats": test, "test/b.bats": test}, []string{"x.sh"},
			"bats --formatter tap test/a.bats test/b.bats → x.sh, near test/a.bats test/b.bats"},
		"not what tests are tried with": {map[string]string{"x.sh": "", "test/fixtures/x.bats": test, "test/a.bats": test}, []string{"x.sh"},
			"bats --formatter tap test/a.bats → x.sh, near test/a.bats"},
		"a changed file of tests": {map[string]string{"a.bats": test, "b.bats": test}, []string{"a.bats"}, "bats --formatter tap a.bats → a.bats, near a.bats"},
		"a changed file of tests before one that mentions the script": {map[string]string{"lib/sum.sh": "", "test/a.bats": "load ../lib/sum.sh\n" + test, "test/z.bats": test}, []string{"lib/sum.sh", "test/z.bats"},
			"bats --formatter tap test/z.bats test/a.bats → lib/sum.sh test/z.bats, near test/z.bats test/a.bats"},
		"Bats with itself": {map[string]string{"bin/bats": "#!/bin/sh\n", "libexec/bats-core/bats": "", "a.bats": test}, []string{"a.bats"}, "bin/bats --formatter tap a.bats → a.bats, near a.bats"},
		"no tests":         {map[string]string{"x.sh": ""}, []string{"x.sh"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			head := fstest.MapFS{}
			c := &gate.Change{Head: head}
			for p, text := range tt.files {
				head[p] = &fstest.MapFile{Data: []byte(text), Mode: 0o755}
				c.Files = append(c.Files, p)
			}
			slices.Sort(c.Files)
			for _, p := range tt.changed {
				c.Targets = append(c.Targets, &gate.Target{Path: p, Language: gate.LanguageShell, Kind: gate.ChangeModified})
			}
			var got []string
			for _, u := range Make(workspace.Load(c, nil, workspace.Limits{Bytes: 1 << 20, Files: 100}), c.Targets, nil, nil).Units {
				if u.Kind == Tests {
					beside := map[bool]string{true: " (beside)"}[u.Beside]
					got = append(got, fmt.Sprintf("%s → %s, near %s%s", strings.Join(u.Job.Line().Started, " "), strings.Join(u.Targets, " "), strings.Join(u.Near, " "), beside))
				}
			}
			if s := strings.Join(got, "\n"); s != tt.want {
				t.Errorf("got  %s\nwant %s", s, tt.want)
			}
		})
	}
}

func TestTestsOfBatsWithEditedLinesAreKnownByName(t *testing.T) {
	head := fstest.MapFS{"a.bats": {Data: []byte("load x\n\n@test \"one (1)\" {\n  true\n}\n\n@test 'two' {\n  true\n}\nthree() { # @test\n  true\n}\n@test four {\n  true\n}\n")}}
	tree := workspace.Load(&gate.Change{Head: head, Files: []string{"a.bats"}}, nil, workspace.Limits{Bytes: 1 << 20, Files: 100})
	for _, tt := range []struct {
		edited [][2]int
		want   []string
	}{
		{[][2]int{{4, 4}}, []string{"one (1)"}}, {[][2]int{{5, 8}, {11, 11}}, []string{"one (1)", "three", "two"}},
		{[][2]int{{1, 2}}, nil}, {[][2]int{{13, 13}}, []string{"four"}},
	} {
		if got := editedTests(tree, map[string][][2]int{"a.bats": tt.edited}); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %q, want %q", tt.edited, got, tt.want)
		}
	}
	line := job.Job{Image: gate.LanguageShell, Program: job.Bats{Program: "bats", First: []string{"one (1)", "two"}, Cover: true}}.With("a.bats").Line()
	if !slices.Contains(line.Argv, `^(one \(1\)|two)$`) || slices.ContainsFunc(line.Started, func(a string) bool { return strings.Contains(a, "two") }) {
		t.Errorf("%q, shown as %q", line.Argv, line.Started)
	}
}
