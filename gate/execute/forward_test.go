package execute

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

func TestOnlyARunThatWasCutShortWhileItWaitedIsFastForwarded(t *testing.T) {
	for _, tt := range []struct {
		name string
		res  sandbox.Result
		want bool
	}{
		{"an end after a wait", sandbox.Result{Status: sandbox.Exited, Waited: 5 * time.Second}, false},
		{"a wait", sandbox.Result{Status: sandbox.Waiting}, true},
		{"a server", sandbox.Result{Status: sandbox.Serving}, true},
		{"a loop", sandbox.Result{Status: sandbox.Timeout}, false},
		{"work between waits", sandbox.Result{Status: sandbox.Timeout, Waited: time.Second}, true},
		{"a child that goes on", sandbox.Result{Status: sandbox.Exited, Left: sandbox.Left{More: 1}}, true},
		{"no memory", sandbox.Result{Status: sandbox.OOM}, false},
	} {
		if got := forwards(run{res: tt.res}); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// scripted is a Runner that gives one result in real time and one without waits.
type scripted struct {
	plain, forward sandbox.Result
	err            error // of the second
}

func (s scripted) Run(_ context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	if spec.FastForward {
		return s.forward, s.err
	}
	return s.plain, nil
}

func TestWhatComesAfterAWaitIsNoGapOnceItWasSeen(t *testing.T) {
	waits := sandbox.Result{Status: sandbox.Waiting, Reason: "still waiting after 10s", ExitCode: -1, Behaviour: sandbox.Behaviour{Recorder: "x"}}
	ended := sandbox.Result{Status: sandbox.Exited, Skipped: time.Hour, Behaviour: sandbox.Behaviour{Recorder: "x"}}
	clocked := ended
	clocked.Clock = "the page could not be hidden"
	serves := sandbox.Result{Status: sandbox.Serving, Reason: "still serving", ExitCode: -1, Behaviour: sandbox.Behaviour{Recorder: "x"}}
	timed, unable := serves, serves
	timed.Clock, unable.Clock = "a timer takes real time", sandbox.NoForward
	still := waits
	still.Skipped = 30 * 24 * time.Hour
	for _, tt := range []struct {
		name   string
		runner scripted
		gap    bool
		reason string
	}{
		{"it ended", scripted{waits, ended, nil}, false, "still waiting after 10s (fast-forwarded by 60 minutes it ended)"},
		{"it went on", scripted{waits, still, nil}, true, "still waiting after 10s (fast-forwarded by 30 days it was still waiting)"},
		{"it saw another clock", scripted{waits, clocked, nil}, true, "still waiting after 10s (fast-forwarded by 60 minutes it ended)"},
		{"a server that waits for others only", scripted{serves, serves, nil}, false, "still serving (fast-forwarded by 0 seconds it was still waiting)"},
		{"a server that waits for a timer as well", scripted{serves, timed, nil}, true, "still serving (fast-forwarded by 0 seconds it was still waiting)"},
		{"a server where no time can be skipped", scripted{serves, unable, nil}, false, "still serving (fast-forwarded by 0 seconds it was still waiting)"},
		{"it could not be run", scripted{waits, sandbox.Result{}, errors.New("no")}, true, "still waiting after 10s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := plan.Unit{Kind: plan.Script, Targets: []string{"a.sh"}, Job: job.Job{Image: gate.LanguageShell, Program: job.Script{Interpreter: "sh", File: "a.sh"}}}
			tree := &workspace.Tree{}
			r := &rounds{
				life: life{
					prepare: preparer{tree: tree, images: map[gate.Language]string{gate.LanguageShell: "shell"}}, engine: engine{runner: tt.runner},
					observe: observer{tree: tree}, baselines: &baselines{known: map[string]behaviour.Baseline{}},
				},
				units: []plan.Unit{u}, results: make([]result, 1), parallel: 1, found: gate.NewFindings(nil, nil), progress: &progress{found: gate.NewFindings(nil, nil)},
			}
			r.results[0] = r.life.first(t.Context(), u)
			if r.results[0].lost != "" || len(r.results[0].waited) != 1 {
				t.Fatalf("first run: %+v", r.results[0])
			}
			if err := r.forward(t.Context()); err != nil {
				t.Fatal(err)
			}
			one := r.results[0]
			if (one.late != "") != tt.gap {
				t.Errorf("late: %q", one.late)
			}
			if end := one.into(&gate.Execution{}, u.Kind); end.status != statusOf(tt.runner.plain.Status) || end.reason != tt.reason {
				t.Errorf("ended as %s: %q, want %q", end.status, end.reason, tt.reason)
			}
		})
	}
}

func TestTimesAreSaidAsPeopleDo(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0 seconds": 0, "12 seconds": 12 * time.Second, "60 minutes": time.Hour, "3 hours": 3 * time.Hour, "30 days": 30 * 24 * time.Hour,
	} {
		if got := span(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
