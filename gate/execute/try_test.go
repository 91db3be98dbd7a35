package execute_test

import (
	"os"
	"testing"
	"time"

	"github.com/aigate/gate/gate/execute"
)

func TestTry(t *testing.T) {
	s := realStage(t, os.Getenv("RT"), func(o *execute.Options) { o.Policy.Timeout = 10 * time.Second })
	c := changeOf(tree(t, "hostile"), "forks.sh", "loop.py")
	out, found := executions(t, s, c)
	for _, tg := range c.Targets {
		e := out.Executions[tg.Path]
		t.Logf("%s %s %q %+v", tg.Path, e.Status, e.Reason, e.Resources)
		for _, f := range found.Of(tg.Path) {
			t.Log(f.Rule, f.Evidence)
		}
	}
}
