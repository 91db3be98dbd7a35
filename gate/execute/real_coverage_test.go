package execute_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

// told is what a result says about the lines of a file.
func told(e *gate.Execution) string {
	if e == nil {
		return "nothing"
	}
	if len(e.Coverage) == 0 {
		return "not measured: " + e.CoverageReason
	}
	s := fmt.Sprintf("%d of %d, %d changed", e.Coverage["executed"], e.Coverage["executable"], e.Coverage["changed"])
	for _, r := range e.Uncovered {
		s += fmt.Sprintf(" -%d", r[0])
		if r[1] != r[0] {
			s += fmt.Sprintf("..%d", r[1])
		}
	}
	if e.CoverageReason != "" {
		s += ": " + e.CoverageReason
	}
	return s
}

func TestTheReportSaysWhichLinesRan(t *testing.T) {
	t.Parallel()
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			linesThatRan(t, runtime)
		})
	}
}

func linesThatRan(t *testing.T, runtime string) {
	s := sharedStage(t, runtime, 2)
	c := changeOf(tree(t, "coverage"))
	for _, target := range c.Targets {
		if target.Path == "part.py" {
			target.Lines = gate.OnlyLines(gate.LineRange{4, 6}, gate.LineRange{30, 40})
		}
	}
	out, found := executions(t, s, c)
	for path, want := range map[string]string{
		"app.py":        "8 of 8, 11 changed",
		"helper.py":     "4 of 4, 4 changed",
		"part.py":       "3 of 3, 3 changed",
		"calls.py":      "9 of 11, 16 changed -11 -14",
		"thread.py":     "7 of 7, 9 changed",
		"ended.py":      "3 of 3, 3 changed",
		"app.cjs":       "8 of 9, 14 changed -3",
		"typed.ts":      "9 of 9, 18 changed",
		"letters.ts":    "6 of 6, 9 changed",
		"enum.ts":       "2 of 2, 2 changed",
		"main.go":       "4 of 6, 17 changed -7 -14",
		"lib/lib.go":    "2 of 3, 8 changed -5",
		"tool/tool.go":  "2 of 2, 9 changed",
		"app.sh":        "7 of 8, 16 changed -7",
		"dash.sh":       "not measured: sh does not tell which of its lines ran",
		"traces.bash":   "not measured: the script has a trace of its own",
		"Makefile":      "1 of 1, 2 changed",
		"lib/README.md": "not measured: ",
	} {
		if got := told(out.Executions[path]); got != want {
			t.Errorf("%s: %s\nwant %s", path, got, want)
			for _, u := range out.Executions[path].Units {
				t.Logf("%s %q %s", u.Status, u.Command, u.Stderr.Text)
			}
		}
	}
	for path, want := range map[string]string{
		"calls.py": "module exercise", "app.cjs": "module exercise", "helper.py": "module exercise", "lib/lib.go": "tests", "tool/tool.go": "module exercise",
	} {
		var kinds []string
		for _, u := range out.Executions[path].Units {
			kinds = append(kinds, u.Kind)
		}
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("%s was run as %s, want %s", path, got, want)
		}
	}
	if u := out.Executions["calls.py"].Units; len(u) == 2 && (u[0].Stdout.Text != "" || u[1].Stdout.Text != "called\n") {
		t.Errorf("calls.py: importing says %q, calling says %q", u[0].Stdout.Text, u[1].Stdout.Text)
	}
	// What counts lines must not be seen: neither by the program nor in the result.
	for path, e := range out.Executions {
		for _, b := range e.Behaviour {
			if strings.Contains(b.Detail, "gate-coverage") || strings.Contains(b.Detail, "awk") {
				t.Errorf("%s: the result shows %s %s", path, b.Kind, b.Detail)
			}
		}
		for _, f := range found.Of(path) {
			if f.Severity > gate.SeverityNote {
				t.Errorf("%s: %s %s", path, f.Rule, f.Evidence)
			}
		}
	}
	if e := out.Executions["app.sh"]; e.ExitCode != 3 || e.Units[0].Stdout.Text != "one\ntwo\n.env\n" || e.Units[0].Stderr.Text != "to stderr\n" {
		t.Errorf("the script was disturbed: %d %q %q", e.ExitCode, e.Units[0].Stdout.Text, e.Units[0].Stderr.Text)
	}
	if u := out.Executions["ended.py"].Units; len(u) != 1 || u[0].Stdout.Text != "['.env']\n" {
		t.Errorf("ended.py finds more among its files than was planted: %+v", u)
	}
	if diff := cmp.Diff([]string{"bash", "app.sh"}, out.Executions["app.sh"].Units[0].Command); diff != "" {
		t.Error(diff)
	}
}

// Coverage that a program forges changes what is shown and nothing else.
func TestCoverageThatIsForgedClearsNothing(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 2)
	forge := `import os, json
os.makedirs("/workspace/.gate-coverage")
json.dump({"files": {"a.py": [[1, 7, 99], [1, 7, 99]], "other.py": [[1], [1]]}}, open("/workspace/.gate-coverage/python-1.json", "w"))
open("/tmp/x.sh", "w").write("#!/bin/sh\nid\n")
os.system("sh /tmp/x.sh; sh /tmp/x.sh")
os._exit(0)
os.nothing()
`
	out, found := executions(t, s, changeOf(fstest.MapFS{"a.py": {Data: []byte(forge)}}))
	if got := told(out.Executions["a.py"]); got != "7 of 7, 7 changed" {
		t.Error(got)
	}
	if !slices.ContainsFunc(found.Of("a.py"), func(f gate.Finding) bool { return f.Layer == gate.LayerSandbox }) {
		t.Error("what it wrote and ran is no finding any more")
	}
}

// TestLinesAreCountedAfterATestThatEndedADebugger: it takes the place of what traces.
func TestLinesAreCountedAfterATestThatEndedADebugger(t *testing.T) {
	t.Parallel()
	testenv.Docker(t)
	testenv.Image(t, "python")
	const first = "import sys\nimport shop\n\n"
	for name, text := range map[string]string{
		"pytest":   first + "def test_debugger():\n    sys.settrace(None)\n\n\ndef test_tax():\n    assert shop.tax(10) == 2\n",
		"unittest": first + "import unittest\n\n\nclass TestShop(unittest.TestCase):\n    def test_a(self):\n        sys.settrace(None)\n\n    def test_b(self):\n        self.assertEqual(shop.tax(10), 2)\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _ := executions(t, sharedStage(t, "runc", 0), changeOf(files(map[string]string{"shop.py": "def tax(n):\n    return n // 5\n", "test_shop.py": text}), "shop.py"))
			if got := told(out.Executions["shop.py"]); got != "2 of 2, 2 changed" {
				t.Error(got)
			}
		})
	}
}
