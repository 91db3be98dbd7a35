package execute_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// refused are the findings of the restricted mode about a file: rule, line and what.
func refused(found *gate.Findings, path string) []gate.Finding {
	return slices.DeleteFunc(found.Of(path), func(f gate.Finding) bool { return f.Category != "restricted-python" })
}

func restrictedStage(t *testing.T, allow ...string) *execute.Stage {
	return realStage(t, "runc", func(o *execute.Options) {
		o.Policy.Python, o.Policy.Conditions, o.Imports.Allow = "restricted", 0, allow
	})
}

func TestTheRestrictedModeOfPythonRefusesWaysOut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path     string
		kind     string
		line     int
		evidence string // a part of it
		severity gate.Severity
	}{
		{"statement.py", "import", 2, "os", gate.SeverityNote},
		{"dynamic.py", "import", 2, "os", 0},
		{"named.py", "builtin", 2, "compile", 0},
		{"evaluated.py", "builtin", 2, "compile", 0},
		{"compiled.py", "builtin", 1, "compile", 0},
		{"password.py", "call", 1, "open of /etc/passwd", 0},
		{"dotdot.py", "call", 1, "open of /workspace/../etc/passwd", 0},
		{"environment.py", "call", 1, "open of /proc/self/environ", 0},
		{"memory.py", "call", 1, "open of /proc/self/mem", 0},
		{"subclasses.py", "call", 4, "os.system", 0},
		{"attributes.py", "call", 2, "os.system", 0},
		{"popen.py", "import", 4, "subprocess", 0},
		{"callback.py", "call", 2, "os.system", 0},
		{"finalizer.py", "call", 5, "os.system", 0},
		{"thread.py", "call", 0, "os.system", 0},
		{"forged_builtins.py", "builtin", 5, "compile", 0},
		{"rebound.py", "import", 3, "ctypes", gate.SeverityNote},
		{"importlib_way.py", "import", 1, "importlib", gate.SeverityNote},
		{"loader.py", "call", 3, "os.system", 0},
		{"libffi.py", "import", 2, "ctypes", 0},
		{"collector.py", "call", 4, "gc.get_objects", 0},
		{"frames.py", "call", 5, "tb_frame", 0},
		{"generator.py", "call", 2, "gi_frame", 0},
		{"getframe.py", "call", 2, "sys._getframe", 0},
		{"hooks.py", "call", 4, "os.system", 0},
		{"swapped.py", "call", 3, "__code__", 0},
		{"packaged.py", "import", 3, "ctypes", 0},
		{"text.py", "import", 5, "a name that is no text", 0},
		{"socket_way.py", "import", 2, "_socket", 0},
		{"exit_way.py", "call", 0, "os.system", 0},
		{"ransom.py", "call", 2, "os.remove", 0},
		{"links.py", "call", 2, "os.symlink", 0},
		{"forker.py", "call", 2, "os.fork", 0},
		{"signalled.py", "call", 2, "os.kill", 0},
	}
	files := tree(t, "restricted")
	paths := []string{"fine.py", "helpers/deep.py", "fixed/test_fixed.py", "spawned.py"}
	for _, tt := range tests {
		paths = append(paths, tt.path)
	}
	out, found := executions(t, restrictedStage(t), changeOf(files, paths...))
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			e := out.Executions[tt.path]
			text := e.Units[0].Stdout.Text + e.Units[0].Stderr.Text
			if strings.Contains(e.Units[0].Stdout.Text, "ESCAPED") {
				t.Errorf("it got out: %s", text)
			}
			got := refused(found, tt.path)
			if !slices.ContainsFunc(got, func(f gate.Finding) bool {
				return f.Rule == "restricted-python/refused-"+tt.kind && f.Line == tt.line && strings.Contains(f.Evidence, tt.evidence) &&
					f.Severity == cmp.Or(tt.severity, gate.SeveritySuspicious)
			}) {
				t.Errorf("no finding of %s %q in line %d: %+v\n%s", tt.kind, tt.evidence, tt.line, got, text)
			}
		})
	}
	for _, quiet := range paths[:4] {
		if got := refused(found, quiet); quiet != "spawned.py" && len(got) > 0 {
			t.Errorf("%s does nothing that is refused: %+v", quiet, got)
		}
	}
	check(t, out, found, want{path: "fine.py", units: "script", status: exited, output: "fine 1 3 RED 4 6 2024 True b'xn--4ca'\nsome data"})
	check(t, out, found, want{path: "fixed/test_fixed.py", units: "tests", status: exited, output: "1 passed"})
	if e := out.Executions["spawned.py"]; strings.Contains(e.Units[0].Stdout.Text, "ESCAPED") {
		t.Errorf("C code without an event started a program: %+v", e.Units[0])
	}
}

func TestTheRestrictedModeLetsThroughWhatThePolicyAllows(t *testing.T) {
	t.Parallel()
	out, found := executions(t, restrictedStage(t, "os", "subprocess", "json"), changeOf(tree(t, "restricted"), "allowed.py"))
	if e := out.Executions["allowed.py"]; !strings.Contains(e.Units[0].Stdout.Text, "allowed b'hi\\n' 0") {
		t.Errorf("what is allowed did not run: %+v", e.Units[0])
	}
	got := refused(found, "allowed.py")
	if len(got) != 1 || got[0].Line != 4 || got[0].Evidence != "socket" {
		t.Errorf("got %+v, want the import of socket in line 4 and nothing else", got)
	}
}

func TestTheRestrictedModeSaysWhatItRefusedOnGVisorToo(t *testing.T) {
	t.Parallel()
	s := realStage(t, "runsc", func(o *execute.Options) { o.Policy.Python, o.Policy.Conditions = "restricted", 0 })
	_, found := executions(t, s, changeOf(tree(t, "restricted"), "attributes.py"))
	if got := refused(found, "attributes.py"); len(got) != 1 || got[0].Line != 2 || got[0].Evidence != "os.system" {
		t.Errorf("got %+v, want os.system in line 2", got)
	}
}

// An interpreter cannot hold a program that runs inside of it: C code that raises
// no event is out of its sight. The layers around it are not.
func TestRecordingCoversWhatTheRestrictedModeCannotHold(t *testing.T) {
	t.Parallel()
	out, _ := executions(t, restrictedStage(t), changeOf(tree(t, "restricted"), "reloaded.py"))
	e := out.Executions["reloaded.py"]
	if !slices.ContainsFunc(e.Behaviour, func(b gate.Behaviour) bool { return b.Kind == "exec" && strings.Contains(b.Detail, "echo out") }) {
		t.Errorf("the program that it started is not on record: %+v\n%+v", e.Behaviour, e.Units)
	}
}

func TestRunsAreNotRefusedWithoutTheRestrictedMode(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 0)
	out, found := executions(t, s, changeOf(tree(t, "restricted"), "named.py"))
	check(t, out, found, want{path: "named.py", units: "script", status: exited, output: "ESCAPED", rules: nil})
}
