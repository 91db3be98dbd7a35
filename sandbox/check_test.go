package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

func TestAResultThatWasKeptIsLikeOneOfARun(t *testing.T) {
	spec := Spec{Image: "image", Argv: []string{"true"}, Output: []string{"out", "dir"}}
	tests := map[string]struct {
		change func(*Result)
		err    string
	}{
		"as it was":                     {func(*Result) {}, ""},
		"another status":                {func(r *Result) { r.Status = "fine" }, "status"},
		"no status":                     {func(r *Result) { r.Status = "" }, "status"},
		"an exit code":                  {func(r *Result) { r.ExitCode = 256 }, "exit code"},
		"another runtime":               {func(r *Result) { r.Runtime = "runsc" }, "runsc"},
		"another image":                 {func(r *Result) { r.Image = "other" }, "other"},
		"a time before the start":       {func(r *Result) { r.Duration = -1 }, "run of"},
		"a time beyond the limit":       {func(r *Result) { r.Duration = time.Hour }, "run of"},
		"negative resources":            {func(r *Result) { r.Resources.Pids = -1 }, "resources"},
		"a name without an end":         {func(r *Result) { r.Reason = strings.Repeat("x", 1<<20) }, "names"},
		"too much output":               {func(r *Result) { r.Stdout.Data = make([]byte, 9<<20) }, "stream"},
		"a negative count":              {func(r *Result) { r.Stderr.Bytes = -1 }, "stream"},
		"a file no one asked for":       {func(r *Result) { r.Files = []File{{Path: "other"}} }, "not asked for"},
		"a file outside":                {func(r *Result) { r.Files = []File{{Path: "dir/../../x"}} }, "not asked for"},
		"more files than there is room": {func(r *Result) { r.Files = []File{{Path: "dir/a", Data: make([]byte, 17<<20)}} }, "not asked for"},
		"too many files":                {func(r *Result) { r.Refused = make([]Refusal, 3*MaxFiles) }, "files"},
		"too many events":               {func(r *Result) { r.Behaviour.Events = make([]Event, wire.MaxEvents+1) }, "events"},
		"an event that never was":       {func(r *Result) { r.Behaviour.Events[0].Count = 0 }, "event"},
		"an event of nothing":           {func(r *Result) { r.Behaviour.Events[0].Action = "" }, "event"},
		"an event before the start":     {func(r *Result) { r.Behaviour.Events[0].First = -1 }, "event"},
		"a huge event":                  {func(r *Result) { r.Behaviour.Events[0].Args = []string{strings.Repeat("x", 1<<20)} }, "event"},
		"negative losses":               {func(r *Result) { r.Behaviour.Lost = -1 }, "lost"},
		"many large captures": {func(r *Result) {
			r.Behaviour.Captures = slices.Repeat([]Capture{{Data: make([]byte, growth*wire.MaxCapture)}}, 5)
		}, "captures of more"},
		"a huge capture": {func(r *Result) { r.Behaviour.Captures = []Capture{{Data: make([]byte, growth*wire.MaxCapture+1)}} }, "capture"},
	}
	for name, tt := range tests {
		r := Result{
			Status: Exited, Runtime: "runc", Image: "image", ImageID: "sha256:1", Stdout: Stream{Data: []byte("<canary: x>"), Bytes: 5},
			Files: []File{{Path: "dir/a"}, {Path: "out"}}, Duration: time.Second,
			Behaviour: Behaviour{Recorder: "ptrace", Events: []Event{{Action: ActionRead, Object: "/etc/passwd", Count: 1}}},
		}
		tt.change(&r)
		if err := r.Check(spec); (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v, want an error with %q", name, err, tt.err)
		}
	}
	if (Result{}).Check(Spec{}) == nil {
		t.Error("a Spec that is not valid is taken")
	}
}

func TestRunsAreAsTheirIdentitySays(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "hello")
		id, err := d.Identity(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := d.Identity(t.Context(), s)
		if err != nil || again.ImageID != id.ImageID || again.Supervisor != id.Supervisor {
			t.Errorf("%+v, then %+v, %v", id, again, err)
		}
		res := mustRun(t, d, s)
		if res.ImageID != id.ImageID || res.Engine != id.Engine {
			t.Errorf("%+v of a run of %s on %s", id, res.ImageID, res.Engine)
		}
		if err := res.Check(s); err != nil {
			t.Error(err)
		}
		if len(id.Gate) != 64 || len(id.Supervisor) != 64 || id.Gate == id.Supervisor || !strings.HasPrefix(id.Runtime, runtime+" ") ||
			id.Kernel == "" || id.Arch == "" || id.Cores == 0 || id.Memory == 0 || len(id.Security) == 0 {
			t.Errorf("%+v", id)
		}
		s.Image = "no-such-image"
		if _, err := d.Identity(t.Context(), s); err == nil {
			t.Error("an image that is missing has an identity")
		}
	})
}
