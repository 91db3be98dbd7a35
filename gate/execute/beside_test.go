package execute_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

// TestWhatPackagesCanDoIsAskedWhileOneProgramRuns holds the program back until a container
// asks what its package can do, where there is room for two at a time.
func TestWhatPackagesCanDoIsAskedWhileOneProgramRuns(t *testing.T) {
	for name, tt := range map[string]struct {
		parallel int
		beside   bool
	}{
		"with room for both":         {2, true},
		"with room for one":          {1, false},
		"with no room that is known": {0, false},
	} {
		t.Run(name, func(t *testing.T) {
			asked, most, running := make(chan struct{}, 10), atomic.Int64{}, atomic.Int64{}
			r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
				now := running.Add(1)
				defer running.Add(-1)
				most.Store(max(most.Load(), now))
				switch {
				case s.Argv[0] == "/usr/local/bin/gate-capabilities":
					asked <- struct{}{}
					return able(`[{"dir": "lib", "name": "lib", "capabilities": []}]`), nil
				case tt.beside && strings.Contains(strings.Join(s.Argv, " "), "go"):
					select {
					case <-asked:
					case <-time.After(time.Minute):
						t.Error("nothing was asked while the tests ran")
					}
				}
				return sandbox.Result{Status: sandbox.Exited}, nil
			}}
			s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions, o.Parallel = 0, tt.parallel })
			c := changeOf(mapFS(map[string]string{"go.mod": "module example.com/m\n", "lib/lib.go": "package lib\n", "lib/lib_test.go": "package lib\n"}), "lib/lib.go")
			c.Base = mapFS(map[string]string{"go.mod": "module example.com/m\n", "lib/lib.go": "package lib // before\n"})
			_, found := executions(t, s, c)
			if !tt.beside && most.Load() > 1 {
				t.Errorf("%d containers run at a time", most.Load())
			}
			if compared := slices.ContainsFunc(r.specs, func(s sandbox.Spec) bool { return s.Argv[0] == "/usr/local/bin/gate-capabilities" }); !compared {
				t.Error("nothing was compared")
			}
			for _, f := range found.Of("lib/lib.go") {
				t.Errorf("%s %s", f.Rule, f.Evidence)
			}
		})
	}
}
