package execute

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

func TestDiagnosis(t *testing.T) {
	withheld := map[string]bool{"lib/helper.py": true, "tools/setup.sh": true}
	for _, tt := range []struct {
		name   string
		image  gate.Language
		kind   string
		code   int
		stderr string
		stdout string
		note   string
		needs  bool
	}{
		{"success needs no word", gate.LanguagePython, plan.Script, 0, "No module named 'x'", "", "", false},
		{"a module that is not there", gate.LanguagePython, plan.Script, 1, "Traceback\nModuleNotFoundError: No module named 'requests_x.adapters'\n", "", "it needs the module requests_x", true},
		{"as pytest says it", gate.LanguagePython, plan.Tests, 2, "", "E   ModuleNotFoundError: No module named 'flask'\n", "it needs the module flask", true},
		{"a module that was left out", gate.LanguagePython, plan.Script, 1, "ModuleNotFoundError: No module named 'helper'\n", "", "it needs the module helper, which was left out because a layer calls it dangerous", true},
		{"no tests", gate.LanguagePython, plan.Tests, 5, "", "no tests ran", "the runner collected no test", true},
		{"another exception", gate.LanguagePython, plan.Script, 1, "Traceback\nValueError: no\n\n", "more\n", "it ended with exit code 1: ValueError: no", false},
		{"only output", gate.LanguagePython, plan.Script, 3, "", "bye\n", "it ended with exit code 3: bye", false},
		{"silence", gate.LanguageShell, plan.Script, 3, "", "", "it ended with exit code 3", false},
		{"a package of npm", gate.LanguageJavaScript, plan.Module, 1, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'express' imported from /workspace/a.js", "", "it needs the module express", true},
		{"a file that is not there", gate.LanguageJavaScript, plan.Module, 1, "Error: Cannot find module '/workspace/lib/b.js'", "", "it needs the module lib/b.js", true},
		{"a browser", gate.LanguageJavaScript, plan.Script, 1, "ReferenceError: window is not defined\n", "", "it needs window, which a browser, a test runner or another runtime provides", true},
		{"a runner of npm", gate.LanguageJavaScript, plan.Tests, 127, "sh: 1: jest: not found\n", "", "it needs the command jest", true},
		{"a module of Go", gate.LanguageGo, plan.Script, 125, "main.go:3:8: no required module provides package github.com/a/b; to add it:\n", "", "it needs the module of github.com/a/b", true},
		{"a module of Go without a sum", gate.LanguageGo, plan.Tests, 1, "x.go:1: missing go.sum entry for module providing package github.com/a/b (imported by c); to add:\n", "", "it needs the module of github.com/a/b", true},
		{"a module of Go that cannot be downloaded", gate.LanguageGo, plan.Tests, 1, "go: github.com/a/b@v1.0.0: module lookup disabled by GOPROXY=off\n", "", "it needs the module of github.com/a/b", true},
		{"a module of Go that an import alone names", gate.LanguageGo, plan.Tests, 1, "# m/a\ngin.go:22:2: module lookup disabled by GOPROXY=off\n", "FAIL\tm/a [setup failed]\n", "it needs modules that are not installed", true},
		{"a newer Go", gate.LanguageGo, plan.Tests, 1, "go: go.mod requires go >= 1.99 (running go 1.27.3; GOTOOLCHAIN=local)\n", "", "it needs Go 1.99", true},
		{"Go that does not compile", gate.LanguageGo, plan.Script, 125, "./main.go:5:2: undefined: x\n", "", "it did not build: ./main.go:5:2: undefined: x", true},
		{"a test of Go that does not compile", gate.LanguageGo, plan.Tests, 1, "# m/a\na/a.go:3:2: undefined: x\n", "FAIL\tm/a [build failed]\nFAIL\n", "it did not build: a/a.go:3:2: undefined: x", true},
		{"a test of Go that fails", gate.LanguageGo, plan.Tests, 1, "", "--- FAIL: TestX (0.00s)\nFAIL\tm/a\t0.1s\nFAIL\n", "it ended with exit code 1: FAIL", false},
		{"an error of Node above its stack", gate.LanguageJavaScript, plan.Script, 1, "file:1\n^\n\nTypeError: x is not a function\n    at a.js:1\n\nNode.js v26.10.0\n", "", "it ended with exit code 1: TypeError: x is not a function", false},
		{"make without a command", gate.LanguageShell, plan.Hook, 2, "make: go: No such file or directory\nmake: *** [Makefile:2: all] Error 127\n", "", "it needs the command go", true},
		{"a command of a make rule", gate.LanguageShell, plan.Hook, 2, "/bin/sh: 1: npm: not found\nmake: *** [Makefile:2: all] Error 127\n", "", "it needs the command npm", true},
		{"a command of the shell", gate.LanguageShell, plan.Hook, 127, "sh: 1: apt-get: not found\n", "", "it needs the command apt-get", true},
		{"a command of bash", gate.LanguageShell, plan.Script, 127, "a.sh: line 3: kubectl: command not found\n", "", "it needs the command kubectl", true},
		{"a command that was left out", gate.LanguageShell, plan.Script, 127, "sh: 1: ./setup.sh: not found\n", "", "it needs the command ./setup.sh, which was left out because a layer calls it dangerous", true},
		{"what is not UTF-8", gate.LanguageShell, plan.Script, 1, "bad \xff\n", "", "it ended with exit code 1: bad \uFFFD", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := sandbox.Result{Status: sandbox.Exited, ExitCode: tt.code}
			res.Stderr.Data, res.Stdout.Data = []byte(tt.stderr), []byte(tt.stdout)
			d := diagnose(plan.Unit{Kind: tt.kind, Job: job.Job{Image: tt.image}}, res, withheld)
			if d.note != tt.note || (d.needs != "") != tt.needs {
				t.Errorf("got  %q (needs %q)\nwant %q (needs something: %v)", d.note, d.needs, tt.note, tt.needs)
			}
		})
	}
}

func TestALongLastLineIsCut(t *testing.T) {
	res := sandbox.Result{Status: sandbox.Exited, ExitCode: 1}
	res.Stderr.Data = []byte(strings.Repeat("x", 1<<20))
	if d := diagnose(plan.Unit{Job: job.Job{Image: gate.LanguageShell}}, res, nil); len(d.note) > 300 {
		t.Errorf("a note of %d bytes", len(d.note))
	}
}

func TestOutcomeOfARun(t *testing.T) {
	const limit = 64
	second := func(cpu float64) sandbox.Result {
		return sandbox.Result{Status: sandbox.Timeout, Duration: 10 * time.Second, Resources: sandbox.Resources{CPU: time.Duration(cpu * float64(time.Second))}}
	}
	for _, tt := range []struct {
		name string
		kind string
		res  sandbox.Result
		want []string
	}{
		{"a success", plan.Script, sandbox.Result{Status: sandbox.Exited}, nil},
		{"a failure", plan.Script, sandbox.Result{Status: sandbox.Exited, ExitCode: 1}, nil},
		{"a server that waits", plan.Script, second(0.2), []string{"resource-exhaustion/observed-timeout note"}},
		{"a worker that waits", plan.Script, sandbox.Result{Status: sandbox.Waiting, Reason: "still waiting after 10s"}, []string{"resource-exhaustion/observed-waiting note"}},
		{"a server", plan.Script, sandbox.Result{Status: sandbox.Serving}, []string{"resource-exhaustion/observed-waiting note"}},
		{"a child that goes on", plan.Script, sandbox.Result{Status: sandbox.Exited, Left: sandbox.Left{Commands: []string{"sleep 9"}}}, []string{"process/observed-background suspicious"}},
		{"a loop", plan.Script, second(9.9), []string{"resource-exhaustion/observed-busy-loop suspicious"}},
		{"a loop in an install hook", plan.Hook, second(9.9), []string{"resource-exhaustion/observed-busy-loop suspicious"}},
		{"slow tests", plan.Tests, second(9.9), []string{"resource-exhaustion/observed-timeout note"}},
		{"no memory", plan.Module, sandbox.Result{Status: sandbox.OOM}, []string{"resource-exhaustion/observed-out-of-memory suspicious"}},
		{"a limit", plan.Module, sandbox.Result{Status: sandbox.Killed, Resources: sandbox.Resources{Pids: limit}}, []string{"resource-exhaustion/observed-limit suspicious"}},
		{"all processes that it may have", plan.Module, sandbox.Result{Status: sandbox.Exited, Resources: sandbox.Resources{Pids: limit}}, []string{"resource-exhaustion/observed-limit suspicious"}},
		{"some processes", plan.Module, sandbox.Result{Status: sandbox.Exited, Resources: sandbox.Resources{Pids: limit - 1}}, nil},
		{"much output", plan.Script, sandbox.Result{Status: sandbox.Exited, Stdout: sandbox.Stream{Bytes: 1 << 20, Truncated: true}}, nil},
		{"a flood", plan.Script, sandbox.Result{Status: sandbox.Exited, Stderr: sandbox.Stream{Bytes: flood}}, []string{"resource-exhaustion/observed-output-flood suspicious"}},
		{"a full disk of which the program says nothing", plan.Script, sandbox.Result{Status: sandbox.Exited, Full: []string{"/tmp"}}, []string{"resource-exhaustion/observed-disk-full note"}},
		{"a full disk", plan.Script, sandbox.Result{Status: sandbox.Exited, Stderr: sandbox.Stream{Data: []byte("OSError: [Errno 28] No space left on device")}}, []string{"resource-exhaustion/observed-disk-full note"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range observations(plan.Unit{Kind: tt.kind}, result{runs: []run{{pids: limit, res: tt.res}}}) {
				got = append(got, f.Rule+" "+f.Severity.String())
				if f.Layer != gate.LayerSandbox || f.Message == "" {
					t.Errorf("%+v", f)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMemoryThatStandInsUseUpIsANoteUnlessARunWithoutThemUsesItUpToo(t *testing.T) {
	oom := sandbox.Result{Status: sandbox.OOM}
	plain := run{res: oom, pids: 9}
	exercise := run{res: oom, pids: 9, kind: kindExercise, standIns: []string{"express"}}
	for _, tt := range []struct {
		name string
		runs []run
		want gate.Severity
	}{
		{"functions with stand-ins", []run{exercise, exercise}, gate.SeverityNote},
		{"functions without stand-ins", []run{{res: oom, pids: 9, kind: kindExercise}}, gate.SeveritySuspicious},
		{"the program, too", []run{exercise, plain}, gate.SeveritySuspicious},
		{"the program before", []run{plain, exercise}, gate.SeveritySuspicious},
	} {
		worst, notes := gate.Severity(0), 0
		for _, f := range observations(plan.Unit{Kind: plan.Module}, result{runs: tt.runs}) {
			worst = max(worst, f.Severity)
			if f.Severity == gate.SeverityNote {
				notes++
			}
		}
		if worst != tt.want || notes > 1 {
			t.Errorf("%s: %v with %d notes, want %v", tt.name, worst, notes, tt.want)
		}
	}
}

func TestUnfinishedRunsAreGapsWhereTheLayerIsRequired(t *testing.T) {
	target := &gate.Target{Path: "a.py"}
	p := plan.Plan{Units: []plan.Unit{{Kind: plan.Script, Targets: []string{"a.py"}}}}
	for _, tt := range []struct {
		name string
		res  sandbox.Result
		gap  bool
	}{
		{"an end", sandbox.Result{Status: sandbox.Exited}, false},
		{"a server", sandbox.Result{Status: sandbox.Serving}, false},
		{"a wait", sandbox.Result{Status: sandbox.Waiting}, true},
		{"a loop", sandbox.Result{Status: sandbox.Timeout}, true},
		{"a child that goes on", sandbox.Result{Status: sandbox.Exited, Left: sandbox.Left{More: 1}}, true},
	} {
		for _, required := range []bool{false, true} {
			r := result{runs: []run{{res: tt.res}}, late: late(run{res: tt.res})}
			out, _ := outcome(&workspace.Tree{}, []*gate.Target{target}, p, []result{r}, nil, strictness{required: required})
			if got := len(out.Incomplete) > 0; got != (tt.gap && required) {
				t.Errorf("%s, required %t: %v", tt.name, required, out.Incomplete)
			}
		}
	}
}

func TestOurOwnProcessIsNotCalledLeftUnlessItIsAlone(t *testing.T) {
	ours, theirs := `awk -v c=/tmp/.gate-code/7 BEGIN { o = "/dev/shm/.gate-coverage/shell-lines" }`, "sleep 9"
	if got := withoutOurs(sandbox.Left{Commands: []string{ours, theirs}}); !slices.Equal(got.Commands, []string{theirs}) {
		t.Errorf("left %q", got.Commands)
	}
	if got := withoutOurs(sandbox.Left{Commands: []string{ours}}); !got.Any() {
		t.Error("a program that calls itself like ours is not left")
	}
}

func TestRulesAreAllExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		seenThere := strings.Contains(r.ID, "/observed") || strings.HasPrefix(r.ID, "restricted-python/") || strings.HasPrefix(r.ID, "dependency/") || strings.HasPrefix(r.ID, "capability/") || strings.HasPrefix(r.ID, "wasm/") || strings.HasPrefix(r.ID, "execution/")
		if seen[r.ID] || !seenThere || r.Severity == gate.SeverityUnknown || r.Title == "" || r.Why == "" || r.Instead == "" {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
}

func TestTheWorstEndOfAFileCounts(t *testing.T) {
	ok := end{status: gate.ExecutionExited}
	failed := end{status: gate.ExecutionExited, code: 1}
	for _, tt := range []struct {
		name string
		ends []end
		want end
	}{
		{"one", []end{ok}, ok},
		{"a failure after a success", []end{ok, failed}, failed},
		{"a success after a failure", []end{failed, ok}, failed},
		{"not run is worse than run", []end{failed, {status: gate.ExecutionNotRun}}, end{status: gate.ExecutionNotRun}},
		{"a timeout", []end{failed, {status: gate.ExecutionTimeout}, ok}, end{status: gate.ExecutionTimeout}},
		{"our own failure is the worst", []end{{status: gate.ExecutionFailed}, {status: gate.ExecutionKilled}, {status: gate.ExecutionOOM}}, end{status: gate.ExecutionFailed}},
		{"what no one knows is worse than all", []end{{status: gate.ExecutionFailed}, {}}, end{}},
	} {
		if got := worst(tt.ends); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestOutputInTheDocumentIsShortAndValid(t *testing.T) {
	got := output(sandbox.Stream{Data: []byte("a\xffb" + strings.Repeat("x", 2*shownOutput)), Bytes: 1 << 30})
	if !strings.HasPrefix(got.Text, "a\uFFFDb") || len(got.Text) > shownOutput+8 || !got.Truncated || got.Bytes != 1<<30 {
		t.Errorf("%d bytes of text, truncated %v, %d in all", len(got.Text), got.Truncated, got.Bytes)
	}
}

func TestRecordsOfRunsAreKeptAndPruned(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	open := func(keep time.Duration) *Log {
		t.Helper()
		l, err := OpenLog(dir, keep, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	names := func() []string {
		t.Helper()
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return out
	}
	l := open(time.Hour)
	l.write(plan.Unit{Kind: plan.Script, Targets: []string{"a.py"}}, run{shown: []string{"python3"}, res: sandbox.Result{Status: sandbox.Exited, Stdout: sandbox.Stream{Data: []byte("said")}}}, nil)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	kept := names()
	if len(kept) != 1 || !logName.MatchString(kept[0]) {
		t.Fatalf("records: %q", kept)
	}
	text, err := os.ReadFile(filepath.Join(dir, kept[0]))
	if err != nil || !strings.Contains(string(text), `"said"`) || !strings.Contains(string(text), `"a.py"`) {
		t.Errorf("%v: %s", err, text)
	}
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{"notes.txt", kept[0]} {
		p := filepath.Join(dir, name)
		if name == "notes.txt" {
			if err := os.WriteFile(p, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(p, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := open(3 * time.Hour).Close(); err != nil || len(names()) != 2 {
		t.Errorf("young records went: %q", names())
	}
	if err := open(time.Hour).Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"notes.txt"}, names()); diff != "" {
		t.Errorf("what is old and ours goes, the rest stays: %s", diff)
	}
	(*Log)(nil).write(plan.Unit{}, run{}, nil) // no log is no error
}
