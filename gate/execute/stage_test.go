package execute_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

// fakeRunner remembers what it was asked to run and answers as it is told. The
// empty programs that baselines are made of are not among it.
type fakeRunner struct {
	mu     sync.Mutex
	specs  []sandbox.Spec
	inputs []map[string]string
	answer func(sandbox.Spec) (sandbox.Result, error)
	closed atomic.Bool
	// blind leaves the behaviour as the answer has it; without it, one that no one
	// recorded was recorded and is empty.
	blind bool
	// silent leaves what interpreters say of lines as the answer has it; without it, the
	// top level of every target ran.
	silent    bool
	baselines []sandbox.Spec
	empty     func(sandbox.Spec) (sandbox.Result, error) // answers baselines
}

func (f *fakeRunner) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if err := ctx.Err(); err != nil {
		return sandbox.Result{Status: sandbox.Killed}, err
	}
	input, err := unpack(s)
	if err != nil {
		return sandbox.Result{Status: sandbox.Failed}, err
	}
	f.mu.Lock()
	answer := f.answer
	if len(input) == 0 {
		f.baselines = append(f.baselines, s)
		answer = f.empty
	} else {
		f.specs = append(f.specs, s)
		f.inputs = append(f.inputs, input)
	}
	f.mu.Unlock()
	res := sandbox.Result{Status: sandbox.Exited}
	if answer != nil {
		res, err = answer(s)
	}
	if !f.blind && res.Behaviour.Recorder == "" {
		res.Behaviour.Recorder = "fake"
	}
	if !f.silent && len(res.Files) == 0 && res.Status == sandbox.Exited && slices.Contains(s.Output, ".gate-coverage") {
		res.Files = append(res.Files, allRan(s, input)...)
	}
	return res, err
}

// allRan is what interpreters write of files whose top level ran.
func allRan(s sandbox.Spec, input map[string]string) []sandbox.File {
	file := func(name string, claims any) sandbox.File {
		data, _ := json.Marshal(claims)
		return sandbox.File{Path: ".gate-coverage/" + name, Data: data}
	}
	python, scripts, lines := map[string][2][]int{}, []any{}, ""
	for p, text := range input {
		var has []int
		for n := range strings.Count(text, "\n") + 1 {
			has = append(has, n+1)
			lines += fmt.Sprintf("%s@%d\n", p, n+1)
		}
		python[p] = [2][]int{has, has[max(0, len(has)-2):]}
		scripts = append(scripts, map[string]any{"url": "file:///workspace/" + p, "functions": []any{map[string]any{"ranges": []any{map[string]int{"endOffset": len(text) + 9, "count": 1}}}}})
	}
	switch {
	case strings.Contains(s.Image, "python"):
		return []sandbox.File{file("python-9.json", map[string]any{"files": python})}
	case strings.Contains(s.Image, "node"):
		return []sandbox.File{file("coverage-9-1-0.json", map[string]any{"result": scripts})}
	}
	return []sandbox.File{{Path: ".gate-coverage/shell-lines", Data: []byte(lines)}}
}

func (f *fakeRunner) Close() error { f.closed.Store(true); return nil }

func unpack(s sandbox.Spec) (map[string]string, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := s.Input(w); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	files := map[string]string{}
	for r := tar.NewReader(&buf); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files[h.Name] = string(data)
	}
}

// fakeStage returns a stage on a fake runner.
func fakeStage(t *testing.T, r *fakeRunner, with func(*execute.Options)) *execute.Stage {
	t.Helper()
	o := options(func(context.Context) (execute.Runner, error) { return r, nil })
	if with != nil {
		with(&o)
	}
	s, err := execute.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func files(of map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for p, text := range of {
		out[p] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return out
}

const program = "print(1)\n"

func suspicious(layer gate.Layer) gate.Finding {
	return gate.Finding{Rule: "exfiltration/x", Layer: layer, Severity: gate.SeveritySuspicious, Line: 1}
}

func TestDangerousFilesNeverEnterAContainer(t *testing.T) {
	for _, tt := range []struct {
		name     string
		found    []gate.Finding
		run      bool
		withheld bool
	}{
		{"a dangerous finding", []gate.Finding{{Rule: "a/b", Layer: gate.LayerStatic, Severity: gate.SeverityDangerous}}, false, true},
		{"a finding whose severity no one set", []gate.Finding{{Rule: "a/b", Layer: gate.LayerStatic}}, false, true},
		{"two layers that support each other", []gate.Finding{suspicious(gate.LayerStatic), suspicious(gate.LayerJudge)}, false, true},
		{"one suspicion", []gate.Finding{suspicious(gate.LayerStatic)}, false, false},
		{"dangerous, and the policy wants it run", []gate.Finding{{Rule: "a/b", Layer: gate.LayerStatic, Severity: gate.SeverityDangerous}}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &fakeRunner{}
			s := fakeStage(t, r, func(o *execute.Options) { o.Policy.RunDangerous = tt.run })
			c := changeOf(files(map[string]string{"bad.py": program, "good.py": program}))
			found := gate.NewFindings(c.Targets, nil)
			found.Add("bad.py", tt.found...)
			out, err := s.Run(t.Context(), c, found)
			if err != nil {
				t.Fatal(err)
			}
			e := out.Executions["bad.py"]
			if got := e.Status == gate.ExecutionNotRun && e.Reason == "a layer calls it dangerous"; got != tt.withheld {
				t.Errorf("%s: %s", e.Status, e.Reason)
			}
			for _, input := range r.inputs {
				if _, there := input["bad.py"]; there == tt.withheld {
					t.Errorf("it was among the files of a container: %v", there)
				}
			}
			if e := out.Executions["good.py"]; e.Status != gate.ExecutionExited {
				t.Errorf("the other file: %s", e.Status)
			}
			if len(out.Incomplete) > 0 {
				t.Errorf("incomplete: %v", out.Incomplete)
			}
		})
	}
}

func TestStageWithoutAnEngine(t *testing.T) {
	s := fakeStage(t, nil, func(o *execute.Options) {
		o.Open = func(context.Context) (execute.Runner, error) { return nil, errors.New("no answer") }
	})
	run := func(p, text string) (gate.Outcome, error) {
		c := changeOf(files(map[string]string{p: text}))
		return s.Run(t.Context(), c, gate.NewFindings(c.Targets, nil))
	}
	_, err := run("a.py", program)
	var missing *gate.Unavailable
	if !errors.As(err, &missing) || missing.Reason != "no answer" || missing.Hint != "gate doctor" {
		t.Errorf("a program without an engine: %v", err)
	}
	out, err := run("README.md", "# docs")
	if err != nil || out.Executions["README.md"].Status != gate.ExecutionNotRun {
		t.Errorf("documents need no engine: %v", err)
	}
}

func missingImage(s sandbox.Spec) (sandbox.Result, error) {
	return sandbox.Result{Status: sandbox.Failed}, &sandbox.MissingError{What: "image", Name: s.Image, Hint: "pull it"}
}

func TestAMissingImage(t *testing.T) {
	c := changeOf(files(map[string]string{"a.py": program, "b.sh": "#!/bin/sh"}))
	s := fakeStage(t, &fakeRunner{answer: missingImage}, nil)
	_, err := s.Run(t.Context(), c, gate.NewFindings(c.Targets, nil))
	var missing *gate.Unavailable
	if !errors.As(err, &missing) || !strings.Contains(missing.Reason, "gate-sandbox-python:dev") || missing.Hint != "build the image" {
		t.Errorf("all images are missing: %v", err)
	}

	s = fakeStage(t, &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
		if strings.Contains(s.Image, "python") {
			return missingImage(s)
		}
		return sandbox.Result{Status: sandbox.Exited}, nil
	}}, nil)
	out, found := executions(t, s, c)
	check(t, out, found, want{path: "a.py", status: notRun, code: -1, reason: "no image gate-sandbox-python:dev; to get it: build the image"})
	check(t, out, found, want{path: "b.sh", units: "script", status: exited})
	if len(out.Incomplete) != 1 || out.Incomplete[0].Path != "a.py" {
		t.Errorf("incomplete: %v", out.Incomplete)
	}
}

func TestUnknownOutcomesAreGaps(t *testing.T) {
	for name, answer := range map[string]func(sandbox.Spec) (sandbox.Result, error){
		"the engine fails":              func(sandbox.Spec) (sandbox.Result, error) { return sandbox.Result{}, errors.New("engine died") },
		"the supervisor fails":          func(sandbox.Spec) (sandbox.Result, error) { return sandbox.Result{Status: sandbox.Failed}, nil },
		"no one says what happened":     func(sandbox.Spec) (sandbox.Result, error) { return sandbox.Result{}, nil },
		"the status is one of tomorrow": func(sandbox.Spec) (sandbox.Result, error) { return sandbox.Result{Status: "paused"}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			c := changeOf(files(map[string]string{"a.py": program}))
			out, _ := executions(t, fakeStage(t, &fakeRunner{answer: answer}, nil), c)
			if e := out.Executions["a.py"]; e.Status != gate.ExecutionFailed {
				t.Errorf("status %s", e.Status)
			}
			if len(out.Incomplete) != 1 || out.Incomplete[0].Path != "a.py" || out.Incomplete[0].Layer != gate.LayerSandbox {
				t.Errorf("incomplete: %v", out.Incomplete)
			}
		})
	}
}

func TestTheEndOfTimeIsAGapOfEveryFileThatWasNotReached(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("the time budget was used up")
	var runs atomic.Int64
	r := &fakeRunner{answer: func(sandbox.Spec) (sandbox.Result, error) {
		if runs.Add(1) == 2 {
			cancel(over)
			return sandbox.Result{Status: sandbox.Killed}, over
		}
		return sandbox.Result{Status: sandbox.Exited}, nil
	}}
	s := fakeStage(t, r, func(o *execute.Options) { o.Parallel = 1 })
	c := changeOf(files(map[string]string{"a.py": program, "b.py": program, "c.py": program, "d.md": "# d"}))
	out, err := s.Run(ctx, c, gate.NewFindings(c.Targets, nil))
	if !errors.Is(err, over) {
		t.Errorf("error %v", err)
	}
	var gaps []string
	for _, g := range out.Incomplete {
		gaps = append(gaps, g.Path)
		if !strings.Contains(g.Reason, over.Error()) {
			t.Errorf("reason %q", g.Reason)
		}
	}
	if diff := cmp.Diff([]string{"b.py", "c.py"}, gaps); diff != "" {
		t.Error(diff)
	}
	if runs.Load() != 2 {
		t.Errorf("%d runs", runs.Load())
	}
}

func TestFilesThatCouldNotRunAreGapsWhereThePolicySaysSo(t *testing.T) {
	answer := func(s sandbox.Spec) (sandbox.Result, error) {
		return sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Stderr: sandbox.Stream{Data: []byte("ModuleNotFoundError: No module named 'x.y'\n")}}, nil
	}
	c := changeOf(files(map[string]string{"a.py": program, "b.rb": "puts 1", "c.md": "# c"}))
	for leniency, want := range map[gate.Leniency][]gate.Gap{
		gate.LeniencyWarn: nil,
		gate.LeniencyIncomplete: {
			{Layer: gate.LayerSandbox, Path: "a.py", Reason: "it needs the module x"},
			{Layer: gate.LayerSandbox, Path: "b.rb", Reason: "it was not run: there is no way to run Ruby yet; sandbox.run in the policy can name a command"},
		},
	} {
		s := fakeStage(t, &fakeRunner{answer: answer}, func(o *execute.Options) { o.On.NotExecutable = leniency })
		out, _ := executions(t, s, c)
		if diff := cmp.Diff(want, out.Incomplete); diff != "" {
			t.Errorf("%s: %s", leniency, diff)
		}
	}
}

func TestLinesThatDidNotRunAreAGapWhereEverythingIsToRun(t *testing.T) {
	lines := sandbox.File{Path: ".gate-coverage/python-7.json", Data: []byte(`{"files": {"a.py": [[1, 2, 3, 5, 7], [1, 5]]}, "top": {"a.py": [[1, 3], [5, 5]]}}`)}
	r := &fakeRunner{silent: true, answer: func(sandbox.Spec) (sandbox.Result, error) {
		return sandbox.Result{Status: sandbox.Exited, Files: []sandbox.File{lines}}, nil
	}}
	for leniency, want := range map[gate.Leniency][]gate.Gap{
		gate.LeniencyWarn:       nil,
		gate.LeniencyIncomplete: {{Layer: gate.LayerSandbox, Path: "a.py", Reason: "2 of the 4 changed lines with code did not run (2-3): what they do was not seen"}},
	} {
		s := fakeStage(t, r, func(o *execute.Options) { o.On.NotExecutable, o.Policy.Conditions = leniency, 0 })
		c := changeOf(files(map[string]string{"a.py": "def f():\n    a()\n    b()\n\nprint(1)\n\nold()\n"}))
		c.Targets[0].Lines = gate.OnlyLines(gate.LineRange{1, 5})
		out, _ := executions(t, s, c)
		if diff := cmp.Diff(want, out.Incomplete); diff != "" {
			t.Errorf("%s: %s", leniency, diff)
		}
	}
}

func TestDecodedTextRunsOnlyWhenItIsAWholeScript(t *testing.T) {
	head := files(map[string]string{"a.py!base64-3.py": program, "a.py!base64-9": "#!/bin/sh\necho"})
	c := changeOf(head)
	for _, target := range c.Targets {
		target.Parent, target.Depth = "a.py", 1
	}
	out, found := executions(t, fakeStage(t, &fakeRunner{}, nil), c)
	check(t, out, found, want{path: "a.py!base64-3.py", status: notRun, code: -1, reason: "text that came out of another file"})
	check(t, out, found, want{path: "a.py!base64-9", units: "script", status: exited})
}

func TestTheRiskiestGoFirst(t *testing.T) {
	r := &fakeRunner{}
	s := fakeStage(t, r, func(o *execute.Options) { o.Parallel, o.Policy.Conditions = 1, 0 })
	c := changeOf(files(map[string]string{"a.py": program, "b.py": program, "c.py": program}))
	found := gate.NewFindings(c.Targets, nil)
	found.Add("c.py", suspicious(gate.LayerStatic))
	found.Add("b.py", gate.Finding{Rule: "a/b", Layer: gate.LayerStatic, Severity: gate.SeverityNote})
	if _, err := s.Run(t.Context(), c, found); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, spec := range r.specs {
		_, job, _ := strings.Cut(spec.Argv[len(spec.Argv)-1], `"target":`)
		target, _, _ := strings.Cut(job, ",")
		order = append(order, target)
	}
	if got := strings.Join(order, " "); got != `"c.py" "b.py" "a.py"` {
		t.Errorf("order %s", got)
	}
}

func TestHelpDoesNotHideAFailure(t *testing.T) {
	r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
		if s.Argv[len(s.Argv)-1] == "--help" {
			return sandbox.Result{Status: sandbox.Exited}, nil
		}
		return sandbox.Result{Status: sandbox.Exited, ExitCode: 2, Stderr: sandbox.Stream{Data: []byte("usage: x\n")}}, nil
	}}
	c := changeOf(files(map[string]string{"a.py": "import sys\nprint(sys.argv[1])\n"}))
	out, found := executions(t, fakeStage(t, r, nil), c)
	check(t, out, found, want{path: "a.py", units: "script script exercise", status: exited, code: 2, reason: "usage: x"})
}

func TestLanguagesHaveTheirOwnMemory(t *testing.T) {
	r := &fakeRunner{}
	s := fakeStage(t, r, func(o *execute.Options) {
		o.Policy.Conditions = 0
		o.Policy.MemoryOf = map[gate.Language]int64{gate.LanguageJavaScript: 700 << 20, gate.LanguageWasm: 100 << 20}
	})
	executions(t, s, changeOf(files(map[string]string{"a.py": program, "b.js": "1", "c.go": "package main\nfunc main() {}", "m.wasm": "\x00asm\x01\x00\x00\x00"})))
	got := map[string]int64{}
	for _, spec := range r.specs {
		got[spec.Image] = spec.Limits.Memory >> 20
	}
	want := map[string]int64{"gate-sandbox-python:dev": 512, "gate-sandbox-node:dev": 700, "gate-sandbox-go:dev": 1024, "gate-sandbox-shell:dev": 100}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLimitsFollowThePolicyAndTheLanguage(t *testing.T) {
	r := &fakeRunner{}
	s := fakeStage(t, r, func(o *execute.Options) {
		o.Policy.Runtime, o.Policy.Memory, o.Policy.CPUs, o.Policy.Pids = "runsc", 1<<30, 2, 300
		o.Policy.Images = map[gate.Language]string{gate.LanguagePython: "own:1"}
	})
	executions(t, s, changeOf(files(map[string]string{"a.py": program, "b.js": "1", "c.go": "package main\nfunc main() {}", "d.sh": ""})))
	for _, spec := range r.specs {
		if spec.Runtime != "runsc" || spec.Limits.Memory != 1<<30 || spec.Limits.CPUs != 2 || spec.Limits.Pids != 300 {
			t.Errorf("%s: %+v", spec.Image, spec)
		}
		want := map[string]sandbox.Exceptions{
			"gate-sandbox-node:dev": {NoAddressSpace: true},
			"gate-sandbox-go:dev":   {NoAddressSpace: true, ExecutableTmp: true},
		}[spec.Image]
		if spec.Exceptions != want {
			t.Errorf("%s has %+v", spec.Image, spec.Exceptions)
		}
	}
	if len(r.specs) != 4 {
		t.Errorf("%d runs", len(r.specs))
	}
	if got := r.specs; got[0].Image != "own:1" && got[1].Image != "own:1" && got[2].Image != "own:1" && got[3].Image != "own:1" {
		t.Error("the image of the policy was not used")
	}
}

func TestContainersAtATimeAreBounded(t *testing.T) {
	var now, most atomic.Int64
	gather := make(chan struct{}, 3)
	r := &fakeRunner{answer: func(sandbox.Spec) (sandbox.Result, error) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		gather <- struct{}{}
		<-gather
		now.Add(-1)
		return sandbox.Result{Status: sandbox.Exited}, nil
	}}
	of := map[string]string{}
	for n := range strings.SplitSeq("abcdefghijklmnop", "") {
		of[n+".py"] = program
	}
	var progress []gate.Progress
	c := changeOf(files(of))
	found := gate.NewFindings(c.Targets, func(e gate.Event) {
		if p, ok := e.(gate.Progress); ok {
			progress = append(progress, p)
		}
	})
	if _, err := fakeStage(t, r, func(o *execute.Options) { o.Parallel = 3 }).Run(t.Context(), c, found); err != nil {
		t.Fatal(err)
	}
	if most.Load() > 3 {
		t.Errorf("%d at a time", most.Load())
	}
	if last := progress[len(progress)-1]; len(progress) != len(of)+1 || last.Total != len(of) {
		t.Errorf("%d reports of progress, the last %+v", len(progress), last)
	}
}

func TestTheEngineIsOpenedOnceAndClosed(t *testing.T) {
	r := &fakeRunner{}
	opened := 0
	s := fakeStage(t, r, func(o *execute.Options) {
		o.Open = func(context.Context) (execute.Runner, error) { opened++; return r, nil }
	})
	for range 2 {
		executions(t, s, changeOf(files(map[string]string{"a.py": program})))
	}
	if err := s.Close(); err != nil || opened != 1 || !r.closed.Load() {
		t.Errorf("opened %d times, closed %v, %v", opened, r.closed.Load(), err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	open := func(context.Context) (execute.Runner, error) { return nil, nil }
	o := options(open)
	delete(o.Images, gate.LanguageGo)
	if _, err := execute.New(o); err == nil || !strings.Contains(err.Error(), "go") {
		t.Errorf("without an image: %v", err)
	}
	o = options(nil)
	if _, err := execute.New(o); err == nil {
		t.Error("without an engine")
	}
}
