package execute

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

func TestFastForwardIsForRunsThatWereCutShortWhileTheyWaited(t *testing.T) {
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
	// Tests whose time is over have nearly always waited for a moment.
	for waited, want := range map[time.Duration]bool{0: false, 100 * time.Millisecond: false, time.Second: true} {
		if got := forwards(run{cut: &cut{}, res: sandbox.Result{Status: sandbox.Exited, Waited: waited}}); got != want {
			t.Errorf("tests that were ended and waited for %s: %t", waited, got)
		}
	}
}

func TestRunsThatUseLittleOfAProcessorRest(t *testing.T) {
	of := func(took, used time.Duration) run {
		return run{res: sandbox.Result{Duration: took, Resources: sandbox.Resources{CPU: used}}}
	}
	for _, tt := range []struct {
		name string
		runs []run
		want bool
	}{
		{"a server", []run{of(2*time.Second, 150*time.Millisecond)}, true},
		{"work before a wait", []run{of(9*time.Second, 7*time.Second)}, false},
		{"a server that worked the second time", []run{of(2*time.Second, 100*time.Millisecond), of(2*time.Second, 2*time.Second)}, false},
		{"no one measured", []run{of(2*time.Second, 0)}, false},
	} {
		if got := (result{runs: tt.runs}).rests(); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// waiters is a Runner of servers that knows how many run without their waits at most.
type waiters struct {
	cpu time.Duration // of each

	mu        sync.Mutex
	now, most int
	ahead     int // runs without waits that were announced
	wanted    int
	once      sync.Once
	full      chan struct{} // closed when as many run as are wanted
}

func (w *waiters) Expect(spec sandbox.Spec, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if spec.FastForward {
		w.ahead += n
	}
}

func (w *waiters) Run(_ context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	out := sandbox.Result{Status: sandbox.Serving, Duration: time.Second, Resources: sandbox.Resources{CPU: w.cpu}, Behaviour: sandbox.Behaviour{Recorder: "x"}}
	if !spec.FastForward {
		return out, nil
	}
	w.mu.Lock()
	w.now++
	if w.most = max(w.most, w.now); w.now == w.wanted {
		w.once.Do(func() { close(w.full) })
	}
	w.mu.Unlock()
	<-w.full
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now--
	return out, nil
}

func TestServersRunWithoutTheirWaitsSideBySideAndAreAnnounced(t *testing.T) {
	for _, tt := range []struct {
		name string
		cpu  time.Duration
		most int
	}{
		{"they do little", 100 * time.Millisecond, restingAtOnce},
		{"they work", 900 * time.Millisecond, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const servers = restingAtOnce
			w := &waiters{cpu: tt.cpu, full: make(chan struct{}), wanted: tt.most}
			tree := &workspace.Tree{}
			r := &rounds{
				life: life{
					prepare: preparer{tree: tree, images: map[gate.Language]string{gate.LanguageShell: "shell"}}, engine: engine{runner: w},
					observe: observer{tree: tree}, baselines: &baselines{known: map[string]behaviour.Baseline{}},
				},
				results: make([]result, servers), parallel: 1, found: gate.NewFindings(nil, nil), progress: &progress{found: gate.NewFindings(nil, nil)},
			}
			for i := range servers {
				u := plan.Unit{Kind: plan.Script, Targets: []string{"a.sh"}, Job: job.Job{Image: gate.LanguageShell, Program: job.Script{Interpreter: "sh", File: "a.sh"}}}
				r.units = append(r.units, u)
				r.results[i] = r.life.first(t.Context(), u)
			}
			if w.ahead != servers {
				t.Errorf("%d of %d runs were announced", w.ahead, servers)
			}
			if err := r.forward(t.Context()); err != nil || w.most != tt.most {
				t.Errorf("%d at a time (%v), want %d", w.most, err, tt.most)
			}
		})
	}
}

// scripted is a Runner that gives one result in real time and one without waits.
type scripted struct {
	plain, forward sandbox.Result
	err            error           // of the second
	whole          *sandbox.Result // where all of its time is given to it; nil is the first
}

func (s scripted) Run(_ context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	switch {
	case spec.FastForward:
		return s.forward, s.err
	case s.whole != nil && !spec.EndIdle:
		return *s.whole, nil
	}
	return s.plain, nil
}

func TestCodeAfterAWaitIsNoGapOnceItWasSeen(t *testing.T) {
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
		{"it ended", scripted{plain: waits, forward: ended}, false, "still waiting after 10s (fast-forwarded by 60 minutes it ended)"},
		{"it went on", scripted{plain: waits, forward: still}, true, "still waiting after 10s (fast-forwarded by 30 days it was still waiting)"},
		{"it saw another clock", scripted{plain: waits, forward: clocked}, true, "still waiting after 10s (fast-forwarded by 60 minutes it ended)"},
		{"a server that waits for others only", scripted{plain: serves, forward: serves}, false, "still serving (fast-forwarded by 0 seconds it was still waiting)"},
		{"a server that waits for a timer as well", scripted{plain: serves, forward: timed}, true, "still serving (fast-forwarded by 0 seconds it was still waiting)"},
		{"a server where no time can be skipped", scripted{plain: serves, forward: unable}, false, "still serving (fast-forwarded by 0 seconds it was still waiting)"},
		{"it could not be run", scripted{plain: waits, err: errors.New("no")}, true, "still waiting after 10s"},
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

// A program that was ended early because it only waited, and waits for a timer that
// cannot be skipped, has all of its time once more.
func TestWaitsThatCannotBeSkippedKeepTheirTime(t *testing.T) {
	recorded := sandbox.Behaviour{Recorder: "x"}
	waits := sandbox.Result{Status: sandbox.Waiting, Reason: "still waiting after 3s", Duration: 3 * time.Second, ExitCode: -1, Behaviour: recorded}
	timed := waits
	timed.Clock = "a timer takes real time"
	ended := sandbox.Result{Status: sandbox.Exited, Duration: 9 * time.Second, Behaviour: recorded}
	long := sandbox.Result{Status: sandbox.Waiting, Reason: "still waiting after 30s", Duration: 30 * time.Second, ExitCode: -1, Behaviour: recorded}
	for _, tt := range []struct {
		name   string
		runner scripted
		gap    bool
		status gate.ExecutionStatus
	}{
		{"it came to its end", scripted{plain: waits, forward: timed, whole: &ended}, false, gate.ExecutionExited},
		{"it still waited", scripted{plain: waits, forward: timed, whole: &long}, true, gate.ExecutionWaiting},
	} {
		u := plan.Unit{Kind: plan.Script, Targets: []string{"a.sh"}, Job: job.Job{Image: gate.LanguageShell, Program: job.Script{Interpreter: "sh", File: "a.sh"}}}
		tree := &workspace.Tree{}
		l := life{
			prepare: preparer{tree: tree, policy: gate.SandboxPolicy{Timeout: 30 * time.Second}, images: map[gate.Language]string{gate.LanguageShell: "shell"}},
			engine:  engine{runner: tt.runner}, observe: observer{tree: tree}, baselines: &baselines{known: map[string]behaviour.Baseline{}},
		}
		r := l.first(t.Context(), u)
		l.forward(t.Context(), u, u.Job, &r)
		if end := r.into(&gate.Execution{}, u.Kind); (r.late != "") != tt.gap || end.status != tt.status || len(r.runs) != 2 {
			t.Errorf("%s: late %q, ended as %s, %d runs", tt.name, r.late, end.status, len(r.runs))
		}
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
