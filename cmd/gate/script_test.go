package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/cache/ledger"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/rulebook"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"gate": main,
		// gates with a layer that goes wrong in a way that no real one should
		"gate-panics":      func() { exitWith(panics{}) },
		"gate-terminated":  func() { exitWith(signalled{syscall.SIGTERM}) },
		"gate-quit":        func() { exitWith(signalled{syscall.SIGQUIT}) },
		"gate-hung-up":     func() { exitWith(signalled{syscall.SIGHUP}) },
		"gate-loses-files": func() { exitWith(forgets{}) },
		"gate-hangs":       func() { exitWith(hangs{}) },
	})
}

// testApp is one whose rules all tests of the process share: most tests run gate within it
// many times, and reading the rules is half of a short run.
func testApp() *app {
	a := newApp()
	a.rules = sharedRules
	return a
}

var sharedRules = rulebook.Load()

func exitWith(s gate.Stage) {
	a := newApp()
	a.build = func(context.Context, engine.Setup) (*engine.Layers, error) { return engine.FixedLayers(s), nil }
	os.Exit(a.main(os.Args[1:]))
}

// panics is a static layer that panics in the middle of its work.
type panics struct{}

func (panics) Name() gate.Layer { return gate.LayerStatic }

func (panics) Run(ctx context.Context, _ *gate.Change, _ *gate.Findings) (gate.Outcome, error) {
	return gate.Outcome{}, gate.ForEach(ctx, 1, 1, func(context.Context, int) error { panic("a rule went wrong") })
}

// signalled is a static layer during which the process gets a signal.
type signalled struct{ signal syscall.Signal }

func (signalled) Name() gate.Layer { return gate.LayerStatic }

func (s signalled) Run(ctx context.Context, _ *gate.Change, _ *gate.Findings) (gate.Outcome, error) {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(s.signal)
	}
	if err != nil {
		return gate.Outcome{}, err
	}
	<-ctx.Done()
	return gate.Outcome{}, context.Cause(ctx)
}

// forgets is a static layer that claims to be done without having looked.
type forgets struct{}

func (forgets) Name() gate.Layer { return gate.LayerStatic }

func (forgets) Run(context.Context, *gate.Change, *gate.Findings) (gate.Outcome, error) {
	return gate.Outcome{}, nil
}

func TestWhatAUserSees(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/home/.config")
			env.Setenv("XDG_RUNTIME_DIR", "")
			env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/home/.cache")
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("GIT_AUTHOR_NAME", "Ada")
			env.Setenv("GIT_AUTHOR_EMAIL", "ada@example.com")
			env.Setenv("GIT_COMMITTER_NAME", "Ada")
			env.Setenv("GIT_COMMITTER_EMAIL", "ada@example.com")
			// Nothing that listens: scripts about layers that are absent.
			env.Setenv("NOWHERE", "127.0.0.1:9")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "scanned": scanned},
	})
}

// scanned leaves the record of a scan in a folder of the cache: scanned scan.json cache
func scanned(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: scanned RECORD FOLDER")
	}
	record, err := ledger.Decode([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	store, err := cache.Open(cache.Options{Dir: ts.MkAbs(args[1])})
	ts.Check(err)
	ledger.Keep(store.Space(ledger.Space), record)
	ts.Check(store.Close())
}

// exits runs a program and checks its exit code: exits 3 gate scan .
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], slices.Clone(args[2:])...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
