package execute

import (
	"testing"
	"time"

	"github.com/aigate/gate/sandbox"
)

func TestAServerIsKeptIfAllThatItWasAskedWasAnswered(t *testing.T) {
	const limit = 30 * time.Second
	for name, tt := range map[string]struct {
		change func(*sandbox.Result)
		want   bool
	}{
		"it answered, and was idle then":            {func(*sandbox.Result) {}, true},
		"it was not asked, its waits skipped":       {func(r *sandbox.Result) { r.Asked = nil }, true},
		"its time was up":                           {func(r *sandbox.Result) { r.Duration = limit }, false},
		"its time was up but for others":            {func(r *sandbox.Result) { r.Duration, r.Held = limit, 20*time.Second }, true},
		"a question was not waited for":             {func(r *sandbox.Result) { r.Asked.Missed = "a port" }, false},
		"a port answered nothing":                   {func(r *sandbox.Result) { r.Asked.Silent = 1 }, false},
		"it waits for something else":               {func(r *sandbox.Result) { r.Status = sandbox.Waiting }, false},
		"it still worked":                           {func(r *sandbox.Result) { r.Status = sandbox.Timeout }, false},
		"it left something running":                 {func(r *sandbox.Result) { r.Left.Commands = []string{"x"} }, false},
		"it asked for random numbers when it began": {func(r *sandbox.Result) { r.Behaviour.Random = true }, false},
	} {
		res := sandbox.Result{
			Status: sandbox.Serving, Reason: "still waiting", Duration: 3 * time.Second, ImageID: "sha256:1",
			Asked: &sandbox.Asked{Places: 1, Questions: 2, Answers: 2}, Behaviour: sandbox.Behaviour{Recorder: "seccomp"},
		}
		tt.change(&res)
		if got := (&reuse{}).worthKeeping(kept{Result: res}, sandbox.Identity{ImageID: "sha256:1"}, limit); got != tt.want {
			t.Errorf("%s: kept %t", name, got)
		}
	}
}
