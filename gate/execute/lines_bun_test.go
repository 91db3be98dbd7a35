package execute

import (
	"testing"

	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/plan"
)

func TestAFileOfTestsThatBunNamesHasRun(t *testing.T) {
	u := plan.Unit{Dir: "web", Targets: []string{"web/test/a.test.ts", "web/test/b.test.ts", "web/src/c.ts"}}
	l := lines{profile: coverage.Profile{"web/src/c.ts": {1: true}}, shapes: coverage.Shapes{}, reasons: map[string]string{}}
	l.bunTests(u, []byte("bun test v1\n\ntest/a.test.ts:\n(pass) it adds\n\nsrc/c.ts:\n(fail) see test/b.test.ts: it does not load\n"))
	for file, ran := range map[string]bool{"web/test/a.test.ts": true, "web/test/b.test.ts": false, "web/src/c.ts": false} {
		if l.shapes[file].Loaded != ran || (l.reasons[file] != "") != ran {
			t.Errorf("%s: %+v, %q", file, l.shapes[file], l.reasons[file])
		}
	}
}
