package execute_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/tools/testenv"
)

// engine is a fakeRunner that knows what its runs depend on, and starts containers
// ahead.
type engine struct {
	*fakeRunner
	id       sandbox.Identity
	expected atomic.Int64
}

func (e *engine) Identity(context.Context, sandbox.Spec) (sandbox.Identity, error) {
	if e.id.ImageID == "" {
		return sandbox.Identity{}, errors.New("no such image")
	}
	return e.id, nil
}

func (e *engine) Expect(sandbox.Spec, int) { e.expected.Add(1) }

func (e *engine) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	res, err := e.fakeRunner.Run(ctx, s)
	res.Runtime, res.Image = s.Runtime, s.Image
	if res.ImageID == "" {
		res.ImageID = e.id.ImageID
	}
	return res, err
}

// runs are the containers that were started, those for baselines included.
func (e *engine) runs() int { return len(e.specs) + len(e.baselines) }

func thisWorld() sandbox.Identity {
	return sandbox.Identity{Gate: "g", Supervisor: "s", ImageID: "sha256:1", Engine: "docker 1", Runtime: "runc runc", Kernel: "6", Arch: "amd64", Cores: 2, Security: []string{"seccomp"}}
}

// storeIn opens a cache in a folder.
func storeIn(t testing.TB, dir string) *cache.Store {
	t.Helper()
	s, err := cache.Open(cache.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// world is everything that one run of gate depends on.
type world struct {
	id      sandbox.Identity
	files   map[string]string
	options func(*execute.Options)
	answer  func(sandbox.Spec) (sandbox.Result, error)
}

// once runs gate once, with a cache in a folder, and returns what it found and how
// many containers it took.
func (w world) once(t *testing.T, dir string) (gate.Outcome, *gate.Findings, *engine) {
	t.Helper()
	e := &engine{fakeRunner: &fakeRunner{answer: w.answer}, id: w.id}
	o := options(func(context.Context) (execute.Runner, error) { return e, nil })
	o.Cache = storeIn(t, dir).Space("sandbox")
	if w.options != nil {
		w.options(&o)
	}
	s, err := execute.New(o)
	if err != nil {
		t.Fatal(err)
	}
	out, found := executions(t, s, changeOf(files(w.files)))
	return out, found, e
}

func TestRunsAreReusedOnlyIfIdentical(t *testing.T) {
	base := world{id: thisWorld(), files: map[string]string{"a.py": program, "b.txt": "data"}}
	policy := func(change func(*gate.SandboxPolicy)) func(*execute.Options) {
		return func(o *execute.Options) { change(&o.Policy) }
	}
	for name, tt := range map[string]struct {
		change func(*world)
		same   bool
	}{
		"everything as it was":    {func(*world) {}, true},
		"another program":         {func(w *world) { w.files["a.py"] = "print(2)\n" }, false},
		"another file beside it":  {func(w *world) { w.files["b.txt"] = "other" }, false},
		"one more file":           {func(w *world) { w.files["c.txt"] = "" }, false},
		"a file of another name":  {func(w *world) { w.files["c.txt"] = w.files["b.txt"]; delete(w.files, "b.txt") }, false},
		"another image":           {func(w *world) { w.id.ImageID = "sha256:2" }, false},
		"another supervisor":      {func(w *world) { w.id.Supervisor = "s2" }, false},
		"another gate":            {func(w *world) { w.id.Gate = "g2" }, false},
		"another engine":          {func(w *world) { w.id.Engine = "docker 2" }, false},
		"a runtime set up anew":   {func(w *world) { w.id.Runtime = "runc runc --debug" }, false},
		"another kernel":          {func(w *world) { w.id.Kernel = "7" }, false},
		"another machine":         {func(w *world) { w.id.Cores = 4 }, false},
		"other confinement":       {func(w *world) { w.id.Security = nil }, false},
		"another runtime":         {func(w *world) { w.options = policy(func(p *gate.SandboxPolicy) { p.Runtime = "runsc" }) }, false},
		"more memory":             {func(w *world) { w.options = policy(func(p *gate.SandboxPolicy) { p.Memory = 1 << 30 }) }, false},
		"more time":               {func(w *world) { w.options = policy(func(p *gate.SandboxPolicy) { p.Timeout *= 2 }) }, false},
		"another reference":       {func(w *world) { w.options = func(o *execute.Options) { o.Images[gate.LanguagePython] = "other" } }, false},
		"a world that is unknown": {func(w *world) { w.id = sandbox.Identity{} }, false},
		"a network": {func(w *world) {
			w.options = policy(func(p *gate.SandboxPolicy) { p.Egress = []string{"example.com:443"} })
		}, false},
		"one more parallel": {func(w *world) { w.options = func(o *execute.Options) { o.Parallel = 7 } }, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			first, _, e := base.once(t, dir)
			if e.runs() < 2 || first.Executions["a.py"].Cached || e.expected.Load() == 0 {
				t.Fatalf("the first time %d runs, %d expected, %+v", e.runs(), e.expected.Load(), first.Executions["a.py"])
			}
			next := world{id: base.id, files: map[string]string{"a.py": program, "b.txt": "data"}}
			tt.change(&next)
			second, _, e := next.once(t, dir)
			x := second.Executions["a.py"]
			if same := e.runs() == 0; same != tt.same || x.Cached != tt.same {
				t.Errorf("%d runs, cached %v", e.runs(), x.Cached)
			}
			for _, u := range x.Units {
				if u.Cached != tt.same {
					t.Errorf("%v: cached %v", u.Command, u.Cached)
				}
			}
			if tt.same && e.expected.Load() != 0 {
				t.Errorf("%d containers were started for nothing", e.expected.Load())
			}
		})
	}
}

func TestTomorrowEverythingRunsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := world{id: thisWorld(), files: map[string]string{"a.py": program}}
		dir := filepath.Join(t.TempDir(), "cache")
		for _, tt := range []struct {
			later time.Duration
			runs  bool
		}{{0, true}, {23 * time.Hour, false}, {2 * time.Hour, true}} {
			<-time.After(tt.later) // the bubble's clock
			if _, _, e := w.once(t, dir); e.runs() > 0 != tt.runs {
				t.Errorf("%s later: %d runs", tt.later, e.runs())
			}
		}
	})
}

// TestAKnownRunMeansWhatItMeant: the same findings, gaps and document, but for the
// word that it is known.
func TestAKnownRunMeansWhatItMeant(t *testing.T) {
	w := world{id: thisWorld(), files: map[string]string{"a.py": program, "m.py": "def f():\n    pass\n", "t.sh": "#!/bin/sh\necho\n"}}
	w.answer = func(s sandbox.Spec) (sandbox.Result, error) {
		r := did(event(sandbox.ActionRead, "/tmp/.ssh/id_rsa"), event(sandbox.ActionConnect, "203.0.113.9:443"))
		r.ExitCode, r.Duration = 3, time.Second
		i := slices.IndexFunc(s.Observe.Canaries, func(c sandbox.Canary) bool { return c.ID == "github token" })
		r.Stdout = sandbox.Stream{Data: []byte("out " + s.Observe.Canaries[i].Value), Bytes: 44}
		r.Behaviour.Captures = []sandbox.Capture{{Path: "/tmp/x.sh", How: "written", Data: []byte("#!/bin/sh\nrm -rf /\n")}}
		return r, nil
	}
	dir := filepath.Join(t.TempDir(), "cache")
	first, found, _ := w.once(t, dir)
	second, again, e := w.once(t, dir)
	if e.runs() != 0 {
		t.Fatalf("%d runs", e.runs())
	}
	for path := range w.files {
		if diff := cmp.Diff(found.Of(path), again.Of(path)); diff != "" {
			t.Errorf("findings of %s: %s", path, diff)
		}
		x := second.Executions[path]
		if !x.Cached || len(found.Of(path)) == 0 {
			t.Errorf("%s: cached %v with %d findings", path, x.Cached, len(found.Of(path)))
		}
		x.Cached = false
		for i := range x.Units {
			x.Units[i].Cached = false
		}
		if !strings.Contains(x.Units[0].Stdout.Text, "out <canary: github token>") {
			t.Errorf("%s printed %q", path, x.Units[0].Stdout.Text)
		}
	}
	if diff := cmp.Diff(first.Executions, second.Executions); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(first.Derived, second.Derived, cmpopts.IgnoreUnexported(gate.LineSet{})); diff != "" || len(first.Derived) == 0 {
		t.Errorf("%d children, then %s", len(first.Derived), diff)
	}
	if diff := cmp.Diff(first.Incomplete, second.Incomplete); diff != "" {
		t.Error(diff)
	}
}

func TestIncompleteRunsAreNotKept(t *testing.T) {
	with := func(change func(*sandbox.Result)) func(sandbox.Spec) (sandbox.Result, error) {
		return func(sandbox.Spec) (sandbox.Result, error) {
			r := did()
			change(&r)
			return r, nil
		}
	}
	for name, answer := range map[string]func(sandbox.Spec) (sandbox.Result, error){
		"an error":                     func(sandbox.Spec) (sandbox.Result, error) { return did(), errors.New("engine died") },
		"a supervisor that fails":      with(func(r *sandbox.Result) { r.Status = sandbox.Failed }),
		"not known":                    with(func(r *sandbox.Result) { r.Status = "" }),
		"its time was up":              with(func(r *sandbox.Result) { r.Status = sandbox.Timeout }),
		"memory ran out":               with(func(r *sandbox.Result) { r.Status = sandbox.OOM }),
		"a limit":                      with(func(r *sandbox.Result) { r.Status = sandbox.Killed }),
		"a signal from who knows":      with(func(r *sandbox.Result) { r.ExitCode, r.Reason = 137, "ended by SIGKILL" }),
		"lost events":                  with(func(r *sandbox.Result) { r.Behaviour.Lost = 1 }),
		"code that was not captured":   with(func(r *sandbox.Result) { r.Behaviour.Uncaptured = 1 }),
		"output that was not searched": with(func(r *sandbox.Result) { r.Behaviour.Unsearched = 1 }),
		"files that did not come":      with(func(r *sandbox.Result) { r.Refused = []sandbox.Refusal{{Path: "x"}} }),
		"an image built meanwhile":     with(func(r *sandbox.Result) { r.ImageID = "sha256:2" }),
	} {
		t.Run(name, func(t *testing.T) {
			w := world{id: thisWorld(), files: map[string]string{"a.py": program}, answer: answer}
			dir := filepath.Join(t.TempDir(), "cache")
			w.once(t, dir)
			out, _, e := w.once(t, dir)
			if len(e.specs) == 0 || out.Executions["a.py"].Cached {
				t.Errorf("%d runs, %+v", len(e.specs), out.Executions["a.py"])
			}
		})
	}
}

func TestUnobservedRunsAreNotKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	for range 2 {
		e := &engine{fakeRunner: &fakeRunner{blind: true}, id: thisWorld()}
		o := options(func(context.Context) (execute.Runner, error) { return e, nil })
		o.Cache = storeIn(t, dir).Space("sandbox")
		s, err := execute.New(o)
		if err != nil {
			t.Fatal(err)
		}
		if executions(t, s, changeOf(files(map[string]string{"a.py": program}))); len(e.specs) == 0 {
			t.Error("nothing ran")
		}
	}
}

// TestAForgedEntryMustAtLeastBeARun: what is written over an entry by an attacker who
// knows the form is no run unless it could be one.
func TestAForgedEntryMustAtLeastBeARun(t *testing.T) {
	for _, forged := range []string{
		``, `null`, `{}`, `[]`, `{"Result":{"Status":"exited"}}`, `{"Result":{"Status":"exited","Unknown":1}}`,
		`{"Result":{"Status":"timeout","Runtime":"runc","Image":"IMAGE","ImageID":"sha256:1","Behaviour":{"Recorder":"fake"}},"Printed":null}`,
		`{"Result":{"Status":"exited","Runtime":"runc","Image":"IMAGE","ImageID":"sha256:9","Behaviour":{"Recorder":"fake"}},"Printed":null}`,
		`{"Result":{"Status":"exited","Runtime":"runc","Image":"IMAGE","ImageID":"sha256:1","Behaviour":{"Recorder":"fake","Lost":1}},"Printed":null}`,
		`{"Result":{"Status":"exited","Runtime":"runc","Image":"IMAGE","ImageID":"sha256:1","Behaviour":{"Recorder":"fake"}},"Printed":["no such canary"]}`,
		`{"Result":{"Status":"exited","Runtime":"runc","Image":"IMAGE","ImageID":"sha256:1","Behaviour":{"Recorder":"fake"}},"Printed":null} {}`,
	} {
		w := world{id: thisWorld(), files: map[string]string{"a.py": program}}
		dir := filepath.Join(t.TempDir(), "cache")
		w.once(t, dir)
		p := storeIn(t, dir).Space("sandbox")
		n := 0
		err := fs.WalkDir(os.DirFS(dir), ".", func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				n++
				p.Put(d.Name(), []byte(strings.ReplaceAll(forged, "IMAGE", "gate-sandbox-python:dev")))
			}
			return err
		})
		if err != nil || n == 0 {
			t.Fatal(n, err)
		}
		out, _, e := w.once(t, dir)
		if len(e.specs) == 0 || out.Executions["a.py"].Cached {
			t.Errorf("%s: %d runs, %+v", forged, len(e.specs), out.Executions["a.py"])
		}
		if _, _, e := w.once(t, dir); e.runs() != 0 {
			t.Errorf("%s: it was not replaced", forged)
		}
	}
}

func TestRunsOnARealEngineAreReused(t *testing.T) {
	t.Parallel()
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			testenv.Runtime(t, runtime)
			dir := filepath.Join(t.TempDir(), "cache")
			c := changeOf(files(map[string]string{
				"a.py": "import os, m\nprint(m.f(), os.environ['GITHUB_TOKEN'])\nopen('/tmp/.ssh/id_rsa').read()\n", "m.py": "def f():\n    return 7\n",
				"n.js": "console.log([1,2].map(x => x * 2));\n", "s.sh": "#!/bin/bash\necho hello\nexit 4\n",
			}))
			scan := func() (gate.Outcome, *gate.Findings, time.Duration) {
				s := realStage(t, runtime, func(o *execute.Options) {
					o.Cache = storeIn(t, dir).Space("sandbox")
					// Each is a run of gate of its own, which looks anew at all that it depends on.
					supervisor, state := testenv.Gate(t), t.TempDir()
					o.Open = func(ctx context.Context) (execute.Runner, error) { return openEngine(ctx, supervisor, state) }
				})
				begin := time.Now()
				out, found := executions(t, s, c)
				return out, found, time.Since(begin)
			}
			first, found, took := scan()
			second, again, tookAgain := scan()
			t.Logf("%s, then %s", took, tookAgain)
			for _, target := range c.Targets {
				x, y := first.Executions[target.Path], second.Executions[target.Path]
				if x.Cached || !y.Cached || len(y.Units) == 0 || fmt.Sprint(x.Coverage) != fmt.Sprint(y.Coverage) || x.ExitCode != y.ExitCode {
					t.Errorf("%s: %+v, then %+v", target.Path, x, y)
				}
				if diff := cmp.Diff(found.Of(target.Path), again.Of(target.Path)); diff != "" {
					t.Errorf("findings of %s: %s", target.Path, diff)
				}
			}
			if len(found.Of("a.py")) == 0 || len(second.Incomplete) > 0 {
				t.Errorf("findings %v, gaps %v", found.Of("a.py"), second.Incomplete)
			}
		})
	}
}

func TestGoCapabilitiesAreReadOnceForTheSameFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	for round, want := range []bool{true, false} {
		e := &engine{fakeRunner: &fakeRunner{}, id: thisWorld()}
		o := options(func(context.Context) (execute.Runner, error) { return e, nil })
		o.Cache = storeIn(t, dir).Space("sandbox")
		s, err := execute.New(o)
		if err != nil {
			t.Fatal(err)
		}
		change := changeOf(files(map[string]string{"go.mod": "module example.com/a\n", "a/a.go": "package a\n\nvar A = 2\n"}), "a/a.go")
		change.Base = files(map[string]string{"go.mod": "module example.com/a\n", "a/a.go": "package a\n\nvar A = 1\n"})
		executions(t, s, change)
		asked := slices.ContainsFunc(e.specs, func(s sandbox.Spec) bool { return strings.Contains(strings.Join(s.Argv, " "), "gate-capabilities") })
		if asked != want {
			t.Errorf("round %d: asked %v, want %v", round, asked, want)
		}
	}
}
