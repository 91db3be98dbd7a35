package execute_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/tools/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(withEngine{m}) }

// withEngine closes the engine that tests share when they have ended.
type withEngine struct{ m *testing.M }

// atATime is how many tests run side by side at least: most of their time they wait, for the
// engine or for the end of a budget. On two cores, the tests of budgets took 163 s two at a time
// and 61 s four at a time.
const atATime = 4

func (w withEngine) Run() int {
	flag.Parse()
	if p := flag.Lookup("test.parallel"); p.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) && runtime.GOMAXPROCS(0) < atATime {
		if err := p.Value.Set(strconv.Itoa(atATime)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := w.m.Run()
	if err := theEngine.close(); err != nil {
		fmt.Fprintln(os.Stderr, "close the engine of the tests:", err)
		return max(code, 1)
	}
	return code
}

// theEngine is one for all tests of the process. To open one, the supervisor is read
// and brought into a volume; and its pool starts containers while others run, as it
// does for gate itself.
var theEngine = engineOfTests{stages: map[string]*execute.Stage{}}

type engineOfTests struct {
	mu     sync.Mutex
	docker *sandbox.Docker
	state  string
	stages map[string]*execute.Stage
}

// open returns the engine as a Runner that a stage does not close.
func (e *engineOfTests) open(ctx context.Context, supervisor string) (execute.Runner, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.docker != nil {
		return notClosed{e.docker}, nil
	}
	state, err := os.MkdirTemp("", "gate-execute-test-")
	if err != nil {
		return nil, err
	}
	docker, err := openEngine(ctx, supervisor, state)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(state))
	}
	e.docker, e.state = docker, state
	return notClosed{docker}, nil
}

func (e *engineOfTests) close() error {
	if e.docker == nil {
		return nil
	}
	return errors.Join(e.docker.Close(), os.RemoveAll(e.state))
}

type notClosed struct{ *sandbox.Docker }

func (notClosed) Close() error { return nil }

func openEngine(ctx context.Context, supervisor, state string) (*sandbox.Docker, error) {
	return sandbox.Open(ctx, sandbox.Options{
		Supervisor: supervisor, StateDir: state, Pool: runtime.NumCPU(),
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
}

// tree reads testdata/run/NAME.txtar.
func tree(t testing.TB, name string) fstest.MapFS {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", "run", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, f := range a.Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	return files
}

// changeOf is a change in which these files of a tree were added; without names,
// all of them.
func changeOf(files fstest.MapFS, paths ...string) *gate.Change {
	c := &gate.Change{Head: files, Files: slices.Sorted(maps.Keys(files))}
	if len(paths) == 0 {
		paths = c.Files
	}
	for _, p := range paths {
		f := files[p]
		lang, role := change.Classify(p, f.Mode, f.Data)
		c.Targets = append(c.Targets, &gate.Target{Path: p, Language: lang, Role: role, Kind: gate.ChangeAdded, Mode: f.Mode, Size: int64(len(f.Data))})
	}
	return c
}

// options are those of a stage with the images of this project.
func options(open func(context.Context) (execute.Runner, error)) execute.Options {
	return execute.Options{
		Open: open, Hint: "gate doctor",
		Policy: gate.DefaultPolicy().Sandbox, On: gate.DefaultPolicy().On,
		Images: map[gate.Language]string{
			gate.LanguagePython: images.Ref("python"), gate.LanguageJavaScript: images.Ref("node"),
			gate.LanguageGo: images.Ref("go"), gate.LanguageShell: images.Ref("shell"),
		},
		ImageHint: func(string) string { return "build the image" },
	}
}

// sharedStage returns the stage of all tests that want no more than a runtime and a
// number of other conditions, so that what interpreters do by themselves is learnt
// once for all.
func sharedStage(t *testing.T, name string, conditions int) *execute.Stage {
	t.Helper()
	o := realOptions(t, name)
	o.Policy.Conditions = conditions
	theEngine.mu.Lock()
	defer theEngine.mu.Unlock()
	key := fmt.Sprint(name, conditions)
	if theEngine.stages[key] == nil {
		s, err := execute.New(o)
		if err != nil {
			t.Fatal(err)
		}
		theEngine.stages[key] = s
	}
	return theEngine.stages[key]
}

// realStage returns a stage on the real engine, under a runtime.
func realStage(t *testing.T, name string, with func(*execute.Options)) *execute.Stage {
	t.Helper()
	o := realOptions(t, name)
	with(&o)
	s, err := execute.New(o)
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

// racedOnContainers are the tests on real containers that run under the race detector as well:
// units side by side in one pool, and reused ones under two runtimes.
var racedOnContainers = []string{"TestPythonRunsAsPeopleRunIt", "TestRunsOnARealEngineAreReused"}

// realOptions are those of a stage on the real engine, under a runtime.
func realOptions(t testing.TB, name string) execute.Options {
	t.Helper()
	if test, _, _ := strings.Cut(t.Name(), "/"); !slices.Contains(racedOnContainers, test) {
		testenv.WithoutRace(t, "it waits for containers; what is concurrent in the layer is raced on made-up ones and in a few tests on real ones")
	}
	testenv.Runtime(t, name)
	for _, l := range images.Languages() {
		testenv.Image(t, l)
	}
	supervisor := testenv.Gate(t)
	o := options(func(ctx context.Context) (execute.Runner, error) { return theEngine.open(ctx, supervisor) })
	o.Policy.Runtime = name
	o.Policy.Timeout = 4 * time.Minute // this is no test of speed
	return o
}

// executions runs a change and returns what became of every file, with what was
// found in it.
func executions(t testing.TB, s *execute.Stage, c *gate.Change) (gate.Outcome, *gate.Findings) {
	t.Helper()
	found := gate.NewFindings(c.Targets, nil)
	out, err := s.Run(t.Context(), c, found)
	if err != nil {
		t.Fatal(err)
	}
	return out, found
}

// readAll reads a folder of a tree, and a go.mod above it.
func readAll(t *testing.T, fsys fs.FS, dir string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	add := func(p string) {
		data, err := fs.ReadFile(fsys, p)
		if err != nil {
			t.Fatal(err)
		}
		out[p] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	add("go.mod")
	err := fs.WalkDir(fsys, dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			add(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
