package execute

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// counter counts the containers that are started.
type counter struct{ specs []sandbox.Spec }

func (c *counter) Run(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
	c.specs = append(c.specs, s)
	return sandbox.Result{Status: sandbox.Exited, Behaviour: sandbox.Behaviour{Recorder: "fake"}}, nil
}

func (c *counter) Expect(s sandbox.Spec, _ int) { c.specs = append(c.specs, s) }

// lifeOn returns the life of units under a policy.
func lifeOn(r Runner, policy gate.SandboxPolicy) life {
	tree := workspace.Load(&gate.Change{}, nil, workspace.Limits{})
	return life{
		prepare: preparer{policy: policy, tree: tree}, engine: engine{runner: r}, observe: observer{tree: tree},
		baselines: &baselines{known: map[string]behaviour.Baseline{}}, hint: func(*sandbox.MissingError) string { return "" },
	}
}

// TestLifeUnderTheRestrictedMode holds that nothing of Python runs without the
// restricted mode where the policy wants it, but for what docs/execution.md names.
func TestLifeUnderTheRestrictedMode(t *testing.T) {
	for name, tt := range map[string]struct {
		program job.Program
		runs    bool
	}{
		"a program is restricted":              {job.Python{Mode: job.RunFile, Target: "a.py"}, true},
		"a documented exception runs":          {job.Command{Argv: []string{"sh", "-c", "pytest"}, OwnInterpreter: true}, true},
		"a command that is none does not run":  {job.Command{Argv: []string{"python3", "a.py"}}, false},
		"another kind of program does not run": {job.Script{Interpreter: "bash", File: "a.sh"}, false},
		"a unit without a job does not run":    {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &counter{}
			l := lifeOn(r, gate.SandboxPolicy{Python: restricted})
			u := plan.Unit{Kind: plan.Script, Targets: []string{"a.py"}, Job: job.Job{Image: gate.LanguagePython, Program: tt.program}}
			l.expect(t.Context(), u, u.Job)
			got := l.first(t.Context(), u)
			if !tt.runs {
				if len(r.specs) > 0 || len(got.runs) > 0 || !strings.Contains(got.lost, "the restricted mode of Python cannot be set for it") {
					t.Errorf("%d containers, lost %q", len(r.specs), got.lost)
				}
				return
			}
			if len(r.specs) != 2 || len(got.runs) != 1 || got.lost != "" {
				t.Fatalf("%d containers, %d runs, lost %q", len(r.specs), len(got.runs), got.lost)
			}
			_, python := tt.program.(job.Python)
			for _, s := range r.specs {
				if told := strings.Contains(s.Argv[len(s.Argv)-1], `"restrict":`); told != python {
					t.Errorf("started as %q", s.Argv[len(s.Argv)-1])
				}
			}
		})
	}
}

func TestRunsWithConditionsTakenAsMetHaveLessTime(t *testing.T) {
	for name, tt := range map[string]struct {
		language        gate.Language
		met, everything bool
		want            time.Duration
	}{
		"functions that are called":         {gate.LanguagePython, false, false, 30 * time.Second},
		"and conditions taken as met":       {gate.LanguagePython, true, false, 10 * time.Second},
		"in Go, which builds first":         {gate.LanguageGo, true, false, 15 * time.Second},
		"where everything has to have time": {gate.LanguagePython, true, true, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			r := &counter{}
			l := lifeOn(r, gate.SandboxPolicy{Timeout: 30 * time.Second})
			l.prepare.everything = tt.everything
			u := plan.Unit{Kind: plan.Script, Targets: []string{"a"}, Job: job.Job{Image: tt.language, Program: job.Python{Mode: job.RunFile, Target: "a"}}}
			l.exercise(t.Context(), u, u.Job, &result{}, tt.met)
			if len(r.specs) != 1 || r.specs[0].Limits.Timeout != tt.want {
				t.Errorf("%d containers with limits %v, want %s", len(r.specs), r.specs[0].Limits, tt.want)
			}
		})
	}
}
