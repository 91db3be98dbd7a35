package execute_test

import (
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAMonorepoRunsAsItsPartsAreRun(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 0)
	out, found := executions(t, s, changeOf(tree(t, "monorepo")))
	for _, w := range []struct {
		path, output string
		standIns     []string
		covered      int // changed lines that ran
	}{
		{path: "packages/app/main.js", output: "double 42\n", covered: 2},
		{path: "packages/app/paint.js", output: "painted 8\n", standIns: []string{"chalk-of-nobody"}, covered: 4},
		{path: "packages/util/index.js", covered: 1},
		{path: "go/tool/main.go", output: "hello workspace\n", covered: 1},
		{path: "services/api/run.py", output: "answer 42\n", covered: 3},
		{path: "services/api/src/api/web.py", output: "web is set up 42 42\n", standIns: []string{"framework_of_nobody"}, covered: 12},
	} {
		e := out.Executions[w.path]
		if e == nil || len(e.Units) == 0 {
			t.Errorf("%s was not run: %+v", w.path, e)
			continue
		}
		if last := e.Units[len(e.Units)-1]; last.Stdout.Text != w.output || last.ExitCode != 0 {
			t.Errorf("%s: exit %d, output %q, want %q (%s: %s)", w.path, last.ExitCode, last.Stdout.Text, w.output, last.Kind, last.Stderr.Text)
		}
		if !slices.Equal(e.StandIns, w.standIns) {
			t.Errorf("%s: stand-ins %v, want %v", w.path, e.StandIns, w.standIns)
		}
		if e.Coverage["executed"] != w.covered {
			t.Errorf("%s: coverage %v (%s), want %d lines", w.path, e.Coverage, e.CoverageReason, w.covered)
		}
		for _, f := range found.Of(w.path) {
			if f.Severity != gate.SeverityNote {
				t.Errorf("%s: %s %s", w.path, f.Rule, f.Evidence)
			}
		}
	}
	// A stand-in does not hide that something was missing.
	if e := out.Executions["services/api/src/api/web.py"]; e.Reason != "it needs the module framework_of_nobody" || e.ExitCode != 1 {
		t.Errorf("web.py ended with %d, %q", e.ExitCode, e.Reason)
	}
}
