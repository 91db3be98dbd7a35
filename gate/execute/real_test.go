package execute_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// want is what has to become of one file.
type want struct {
	path   string
	units  string // their kinds, in order
	status gate.ExecutionStatus
	code   int    // -2 is any
	reason string // a part of it; "" is an empty one
	output string // a part of what the first unit wrote to standard output
	rules  []string
}

func check(t *testing.T, out gate.Outcome, found *gate.Findings, w want) {
	t.Helper()
	e := out.Executions[w.path]
	if e == nil {
		t.Errorf("%s: nothing is said about it", w.path)
		return
	}
	var kinds, rules []string
	for _, u := range e.Units {
		kinds = append(kinds, u.Kind)
	}
	for _, f := range found.Of(w.path) {
		rules = append(rules, f.Rule)
	}
	var output string
	if len(e.Units) > 0 {
		output = e.Units[0].Stdout.Text
	}
	bad := e.Status != w.status || w.code != -2 && e.ExitCode != w.code || strings.Join(kinds, " ") != w.units || !slices.Equal(rules, w.rules) ||
		!strings.Contains(e.Reason, w.reason) || w.reason == "" && e.Reason != "" || !strings.Contains(output, w.output)
	if bad {
		t.Errorf("%s:\n got %s, code %d, units %q, rules %q, reason %q\nwant %s, code %d, units %q, rules %q, reason %q, output %q\nunits: %s",
			w.path, e.Status, e.ExitCode, kinds, rules, e.Reason, w.status, w.code, w.units, w.rules, w.reason, w.output, cmp.Diff([]gate.Unit{}, e.Units))
	}
}

const (
	exited = gate.ExecutionExited
	notRun = gate.ExecutionNotRun
)

func TestPythonRunsAsPeopleRunIt(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 2)
	out, found := executions(t, s, changeOf(tree(t, "python")))
	for _, w := range []want{
		{path: "app.py", units: "script", status: exited, output: "hello sandbox\n"},
		{path: "greet.py", units: "module", status: exited},
		{path: "arguments.py", units: "script script", status: exited, code: 2, reason: "the following arguments are required: number"},
		{path: "science.py", units: "script", status: exited, output: "mean 2.0 1\n"},
		{path: "lacking.py", units: "script script, with stand-ins", status: gate.ExecutionMissingModule, code: 1, reason: "it needs the module left_pad_of_nobody"},
		{path: "crash.py", units: "script", status: exited, code: 1, reason: "ValueError: this one fails"},
		{path: "stdin.py", units: "script", status: exited, output: "read '' []\n"},
		{path: "threads.py", units: "script", status: exited, output: "thread sees still here\nexit sees still here\n"},
		{path: "services/api/pyproject.toml", status: notRun, code: -1, reason: "nothing to execute in TOML"},
		{path: "services/api/src/api/__init__.py", units: "module tests", status: exited, output: "package api\n"},
		{path: "services/api/src/api/calc.py", units: "module tests", status: exited, output: "imported as api.calc 1\n"},
		{path: "services/api/src/api/cli.py", units: "script", status: exited, output: "cli of api 1\n"},
		{path: "services/api/tests/test_calc.py", units: "tests", status: exited, output: "2 passed"},
		{path: "my-tools/helper.py", units: "script", status: exited, output: "loaded 41\n"},
		{path: "plain/test_plain.py", units: "tests", status: exited},
		{path: "setup.py", units: "hook", status: exited, code: 1, reason: "it ended with exit code 1", output: "setup runs\n"},
	} {
		check(t, out, found, w)
	}
	if e := out.Executions["arguments.py"]; len(e.Units) == 2 && !strings.Contains(e.Units[1].Stdout.Text, "adds numbers") {
		t.Errorf("the second run did not ask for help: %q", e.Units[1].Stdout.Text)
	}
	if e := out.Executions["plain/test_plain.py"]; len(e.Units) == 1 && !strings.Contains(e.Units[0].Stderr.Text, "Ran 1 test") {
		t.Errorf("unittest ran no test: %q", e.Units[0].Stderr.Text)
	}
}

func TestNodeRunsAsPeopleRunIt(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 2)
	out, found := executions(t, s, changeOf(tree(t, "node")))
	for _, w := range []want{
		{path: "package.json", units: "hook tests", status: exited, output: "installed thing\n"},
		{path: "cli.js", units: "script", status: exited, output: "math imported\nanswer 42\n"},
		{path: "lib/math.js", units: "module tests", status: exited, output: "math imported\n"},
		{path: "legacy.cjs", units: "module", status: exited, output: "legacy true\n"},
		{path: "typed.ts", units: "script", status: exited, output: "a red shape\n"},
		{path: "old/main.ts", units: "script", status: exited, output: "one is 1 function\n"},
		{path: "view.tsx", units: "module module, with stand-ins exercise, with stand-ins", status: gate.ExecutionMissingModule, code: 1, reason: "it needs the module react"},
		{path: "page.js", units: "script", status: exited, code: 1, reason: "it needs document"},
		{path: "types.d.ts", status: notRun, code: -1, reason: "type declarations"},
		{path: "test/math.test.js", units: "tests", status: exited, output: "pass 2"},
		{path: "test/shape.test.ts", units: "tests", status: exited, output: "pass 2"},
		{path: "bare/sum.test.js", units: "tests", status: exited, output: "pass 1"},
	} {
		check(t, out, found, w)
	}
	if text := out.Executions["view.tsx"].Units[0].Stderr.Text; !strings.Contains(text, "react") || strings.Contains(text, "base64") {
		t.Errorf("a stack trace is not fit to be read: %.300q", text)
	}
}

func TestGoRunsAsPeopleRunIt(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 2)
	out, found := executions(t, s, changeOf(tree(t, "go")))
	for _, w := range []want{
		{path: "cmd/hello/main.go", units: "script", status: exited, output: "hello sandbox\n"},
		{path: "greet/greet.go", units: "tests", status: exited, output: "ok  \texample.com/many/greet"},
		{path: "internal/join/join_test.go", units: "tests", status: exited, output: "ok  \texample.com/many/internal/join"},
		{path: "effect/effect.go", units: "module", status: exited, output: "init of effect ran\n"},
		{path: "tools/gen.go", units: "script", status: exited, output: "generated\n"},
		{path: "broken/main.go", units: "script", status: gate.ExecutionMissingModule, code: 125, reason: "it needs the module of example.org/missing/lib"},
		{path: "vendored/main.go", units: "script", status: exited},
		{path: "native/native.go", status: notRun, code: -1, reason: "cgo"},
		{path: "only_windows.go", status: notRun, code: -1, reason: "exclude Linux"},
	} {
		check(t, out, found, w)
	}
}

func TestShellAndBuildsRunAsTheirToolsWould(t *testing.T) {
	t.Parallel()
	s := realStage(t, "runc", func(o *execute.Options) {
		o.Policy.Run = map[string]string{"*.yaml": "cat data.yaml; echo by the policy"}
	})
	out, found := executions(t, s, changeOf(tree(t, "loose")))
	for _, w := range []want{
		{path: "hello.sh", units: "script", status: exited, output: "hello 1000\n"},
		{path: "arrays.bash", units: "script", status: exited, output: "two\n"},
		{path: "usage.sh", units: "script script", status: exited, code: 2, reason: "usage: usage.sh NAME"},
		{path: "theme.zsh", status: notRun, code: -1, reason: "no zsh"},
		{path: "Makefile", units: "hook", status: exited, output: "echo first\nfirst\necho built with make\nbuilt with make\n"},
		{path: "Dockerfile", units: "hook", status: exited, output: "updated\nexec form\nfrom a heredoc\n"},
		{path: "main.go", units: "script", status: exited, output: "no module needed\n"},
		{path: "README.md", status: notRun, code: -1, reason: "nothing to execute in Markdown"},
		{path: "data.yaml", units: "policy", status: exited, output: "a: 1\nby the policy\n"},
	} {
		check(t, out, found, w)
	}
}

func TestTheDemoRuns(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 2)
	root, err := os.OpenRoot("../../fixtures")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	c := changeOf(readAll(t, root.FS(), "demo"))
	found := gate.NewFindings(c.Targets, nil)
	for _, bad := range []string{"telemetry.py", "setup-dev.sh", "theme.js"} {
		found.Add("demo/"+bad, gate.Finding{Rule: "a/b", Layer: gate.LayerStatic, Severity: gate.SeverityDangerous})
	}
	out, err := s.Run(t.Context(), c, found)
	if err != nil {
		t.Fatal(err)
	}
	found = gate.NewFindings(c.Targets, nil)
	for _, w := range []want{
		{path: "demo/invoice.py", units: "script", status: exited, output: "total with tax   145.54\n"},
		{path: "demo/money.py", units: "module", status: exited},
		{path: "demo/cart.ts", units: "script", status: exited, output: "cart total: 32\n"},
		{path: "demo/backup.sh", units: "script", status: exited, output: "invoices/1.txt\n"},
		{path: "demo/greet/main.go", units: "script", status: exited, output: "hello, world\n"},
		{path: "demo/telemetry.py", status: notRun, code: -1, reason: "a layer calls it dangerous"},
		{path: "demo/setup-dev.sh", status: notRun, code: -1, reason: "a layer calls it dangerous"},
		{path: "demo/theme.js", status: notRun, code: -1, reason: "a layer calls it dangerous"},
	} {
		check(t, out, found, w)
	}
}

// What every sandbox has to be able to, on both runtimes.
func TestBothRuntimesRunProgramsOfSeveralFiles(t *testing.T) {
	t.Parallel()
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			s := sharedStage(t, runtime, 2)
			for name, wants := range map[string][]want{
				"python": {{path: "app.py", units: "script", status: exited, output: "hello sandbox\n"}},
				"node": {
					{path: "test/math.test.js", units: "tests", status: exited, output: "pass 1"},
					{path: "typed.ts", units: "script", status: exited, output: "a red shape\n"},
				},
				"go": {
					{path: "greet/greet_test.go", units: "tests", status: exited, output: "--- PASS: TestHello"},
					{path: "internal/join/join_test.go", units: "tests", status: exited, output: "--- PASS: TestWords"},
				},
			} {
				var paths []string
				for _, w := range wants {
					paths = append(paths, w.path)
				}
				out, found := executions(t, s, changeOf(tree(t, name), paths...))
				for _, w := range wants {
					check(t, out, found, w)
				}
			}
		})
	}
}

func TestBothRuntimesContainWhatIsHostile(t *testing.T) {
	t.Parallel()
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			t.Run("what ends by itself", func(t *testing.T) { t.Parallel(); hostileEnds(t, runtime) })
			t.Run("what does not", func(t *testing.T) { t.Parallel(); hostileGoesOn(t, runtime) })
		})
	}
}

// hostile runs hostile programs, each for at most so long.
func hostile(t *testing.T, runtime string, timeout time.Duration, programs ...string) (gate.Outcome, *gate.Findings) {
	t.Helper()
	s := realStage(t, runtime, func(o *execute.Options) { o.Policy.Timeout, o.Policy.Conditions = timeout, 0 })
	out, found := executions(t, s, changeOf(tree(t, "hostile"), programs...))
	for _, gap := range out.Incomplete {
		// Where the kernel ends the whole container before its own watch does, no one
		// is left to tell what was recorded, and that is said.
		if e := out.Executions[gap.Path]; e.Status == gate.ExecutionOOM && strings.Contains(e.Reason, "the whole container was ended") {
			continue
		}
		// A full disk holds more than is searched for planted secrets, and that is said, too.
		if strings.HasSuffix(gap.Path, "disk.py") && strings.Contains(gap.Reason, "were not searched") {
			continue
		}
		t.Errorf("what is contained is not incomplete: %v", gap)
	}
	return out, found
}

func hostileEnds(t *testing.T, runtime string) {
	out, found := hostile(t, runtime, time.Minute, "network.py", "etc.sh", "memory.py", "disk.py", "quietdisk.py", "flood.py")
	for _, w := range []want{
		// It talks to the simulated internet; that nothing leaves is a test of the sandbox.
		{path: "network.py", units: "script exercise", status: exited, output: "192.0.2.1 REACHED", rules: []string{"cloud-metadata/observed", "network/observed-raw-address", "network/observed-connection"}},
		{path: "etc.sh", units: "script", status: exited, rules: []string{"privilege/observed-accounts", "file-access/observed-system-file", "file-write/observed-system"}},
		{path: "memory.py", units: "script", status: gate.ExecutionOOM, code: -2, reason: "memory ran out", rules: []string{"resource-exhaustion/observed-out-of-memory", "resource-exhaustion/observed-memory-alert"}},
		{path: "quietdisk.py", units: "module", status: exited, rules: []string{"resource-exhaustion/observed-disk-full"}},
		{path: "disk.py", units: "script", status: gate.ExecutionStoppedEarly, code: 1, reason: "No space left", rules: []string{"resource-exhaustion/observed-disk-full"}},
		{path: "flood.py", units: "script", status: exited, rules: []string{"resource-exhaustion/observed-output-flood"}},
	} {
		check(t, out, found, w)
	}
	if text := out.Executions["etc.sh"].Units[0].Stdout.Text; strings.Contains(text, "was ") {
		t.Errorf("etc.sh got through: %q", text)
	}
	if o := out.Executions["flood.py"].Units[0].Stdout; o.Bytes != 1<<30 || !o.Truncated {
		t.Errorf("of 1 GiB of output %d bytes were counted, truncated is %v", o.Bytes, o.Truncated)
	}
}

func hostileGoesOn(t *testing.T, runtime string) {
	// Only the end of their time ends them, so it is short.
	out, found := hostile(t, runtime, 8*time.Second, "waits.py", "loop.py", "forks.py")
	check(t, out, found, want{path: "waits.py", units: "script script, fast-forwarded", status: gate.ExecutionWaiting, code: -1, reason: "still waiting", rules: []string{"resource-exhaustion/observed-waiting"}})
	// Whether a loop counts as busy depends on how much of a processor this
	// machine could spare for it; that it is a finding does not.
	if e := out.Executions["loop.py"]; e.Status != gate.ExecutionTimeout || len(found.Of("loop.py")) == 0 {
		t.Errorf("loop.py: %s %s, findings %v; want a timeout and a finding", e.Status, e.Reason, found.Of("loop.py"))
	}
	// How a bomb ends depends on what it exhausts first: its time where the
	// kernel refuses processes, the count of them, or their memory. That it
	// ends, and is a finding, does not.
	ends := []gate.ExecutionStatus{gate.ExecutionTimeout, gate.ExecutionKilled, gate.ExecutionOOM}
	bomb := out.Executions["forks.py"]
	if !slices.Contains(ends, bomb.Status) {
		t.Errorf("forks.py: %s %s, want one of %v", bomb.Status, bomb.Reason, ends)
	}
	if !slices.ContainsFunc(found.Of("forks.py"), func(f gate.Finding) bool {
		return f.Category == "resource-exhaustion" && f.Severity == gate.SeveritySuspicious
	}) {
		t.Errorf("forks.py: no finding says that it exhausts anything: %v", found.Of("forks.py"))
	}
}
