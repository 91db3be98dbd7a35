package execute_test

import (
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// TestShellIsTestedWithBats has a library of which nothing runs by itself, a program that its
// tests start as it is, and a library of Bats itself.
func TestShellIsTestedWithBats(t *testing.T) {
	t.Parallel()
	head := files(map[string]string{
		"lib/sum.sh": "add() {\n  echo $(( $1 + $2 ))\n}\nnever() {\n  echo never\n}\n",
		"run.sh":     "#!/usr/bin/env bash\nset -euo pipefail\n. \"${BASH_SOURCE[0]%/*}/lib/sum.sh\"\necho \"sum: $(add \"$1\" \"$2\")\"\n",
		"test/sum.bats": "bats_load_library bats-support\nbats_load_library bats-assert\nsetup() {\n  source \"$BATS_TEST_DIRNAME/../lib/sum.sh\"\n  WORK=$(mktemp -d)\n}\nteardown() {\n  rm -rf \"$WORK\"\n}\n" +
			"@test \"adds\" {\n  run add 1 2\n  assert_output 3\n}\n@test \"runs as a program, with a line\" {\n  run --separate-stderr \"$BATS_TEST_DIRNAME/../run.sh\" 4 5\n  assert_output 'sum: 9'\n  [ -z \"$stderr\" ]\n}\n",
	})
	head["run.sh"].Mode = 0o755
	out, found := executions(t, realStage(t, "runc", func(o *execute.Options) { o.Policy.Conditions = 0 }), changeOf(head))
	for file, want := range map[string][2]int{"lib/sum.sh": {1, 2}, "run.sh": {3, 3}, "test/sum.bats": {14, 14}} {
		e := out.Executions[file]
		if e == nil || e.Status != gate.ExecutionExited {
			t.Fatalf("%s: %+v", file, e)
		}
		if e.Coverage["executed"] != want[0] || e.Coverage["executable"] != want[1] {
			t.Errorf("%s: %v, %s", file, e.Coverage, e.CoverageReason)
		}
	}
	tests := out.Executions["test/sum.bats"].Units[0]
	if tests.Kind != "tests" || tests.ExitCode != 0 {
		t.Errorf("%+v", tests)
	}
	for _, c := range out.Derived {
		t.Errorf("%s appeared: %s", c.Target.Path, c.Content)
	}
	for path := range head {
		for _, r := range rules(found, path) {
			t.Errorf("%s: %s", path, r)
		}
	}
}
