package execute_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

// TestPackageCapabilitiesAreReadWhileOneProgramRuns holds the program back until a container
// asks what its package can do, where there is room for two at a time.
func TestPackageCapabilitiesAreReadWhileOneProgramRuns(t *testing.T) {
	for name, tt := range map[string]struct {
		parallel int
		beside   bool
	}{
		"with room for both": {2, true},
		"with room for one":  {1, false},
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan struct{}, 2)
			asks := func(s sandbox.Spec) bool { return s.Argv[0] == "/usr/local/bin/gate-capabilities" }
			r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
				switch {
				case asks(s):
					asked <- struct{}{}
					return able(`[{"dir": "lib", "name": "lib", "capabilities": []}]`), nil
				case tt.beside:
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
			if n := len(r.specs); n != 3 {
				t.Errorf("%d containers ran: one for the tests, one for the head and one for the base are needed", n)
			}
			if first := slices.IndexFunc(r.specs, asks); !tt.beside && first != 1 {
				t.Errorf("what the package can do was asked by container %d", first)
			}
			for _, f := range found.Of("lib/lib.go") {
				t.Errorf("%s %s", f.Rule, f.Evidence)
			}
		})
	}
}
