package execute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestTestsRunAsTheirProjectRunsThem(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 0)
	all := tree(t, "ways")
	c := changeOf(all, "built/src/calc.ts", "built/src/calc.test.ts", "sub/src/sub/calc.py", "tagged/store/store.go", "django/shop/prices.py")
	c.Base = all
	out, found := executions(t, s, c)
	for _, w := range []struct {
		path    string
		covered int    // changed lines that ran
		left    string // of how its tests run
	}{
		{"built/src/calc.ts", 3, "turbo run all"},
		{"built/src/calc.test.ts", 7, "turbo run all"},
		{"sub/src/sub/calc.py", 7, ""}, // one of them by a call
		{"tagged/store/store.go", 1, ""},
		{"django/shop/prices.py", 2, ""},
	} {
		e := out.Executions[w.path]
		at := -1
		if e != nil {
			at = slices.IndexFunc(e.Units, func(u gate.Unit) bool { return u.Kind == "tests" })
		}
		if at < 0 {
			t.Errorf("%s: no tests ran: %+v", w.path, e)
			continue
		}
		if u := e.Units[at]; u.ExitCode != 0 || !strings.Contains(u.Reason, w.left) || w.left == "" && u.Reason != "" {
			t.Errorf("%s: exit %d, %q, want %q left\n%s\n%s", w.path, u.ExitCode, u.Reason, w.left, u.Stdout.Text, u.Stderr.Text)
		}
		if e.Status != gate.ExecutionExited || e.Coverage["executed"] != w.covered {
			t.Errorf("%s: %s, coverage %v (%s), want %d lines", w.path, e.Status, e.Coverage, e.CoverageReason, w.covered)
		}
		for _, f := range found.Of(w.path) {
			if f.Severity != gate.SeverityNote {
				t.Errorf("%s: %s %s", w.path, f.Rule, f.Evidence)
			}
		}
	}
}

func TestFixturesOfTestsFindWhatTheyNeed(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 0)
	out, _ := executions(t, s, changeOf(tree(t, "ways"), "py/test_world.py", "js/world.test.js", "go/world_test.go"))
	for path, e := range out.Executions {
		for _, u := range e.Units {
			if u.Kind != "tests" || u.ExitCode != 0 || e.Status != gate.ExecutionExited || e.Coverage["executed"] != e.Coverage["executable"] {
				t.Errorf("%s: exit %d, %s, %v\n%s\n%s", path, u.ExitCode, e.Status, e.Coverage, u.Stdout.Text, u.Stderr.Text)
			}
		}
	}
	if len(out.Executions) != 3 {
		t.Errorf("%d files", len(out.Executions))
	}
}

// A thread that the start of Python has for itself and that gets the processor only after the
// interpreter has ended makes it crash, which looks like the doing of the program.
func TestThreadsOfOursEndWithTheInterpreter(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 0)
	out, _ := executions(t, s, changeOf(tree(t, "ways"), "ends/test_end.py"))
	e := out.Executions["ends/test_end.py"]
	if e == nil || len(e.Units) == 0 {
		t.Fatalf("nothing ran: %+v", e)
	}
	for _, u := range e.Units {
		if u.Kind != "tests" || u.ExitCode != 0 || u.Stdout.Text != "no thread is left\n" {
			t.Errorf("%s: exit %d, %q\n%s", u.Kind, u.ExitCode, u.Stdout.Text, u.Stderr.Text)
		}
	}
}
