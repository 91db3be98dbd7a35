package execute

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/canary"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// Watcher runs single programs that are part of no change, such as those that an agent
// writes, and says what they did by the rules of this layer. Each runs once, as it is: not
// under other conditions, and with nothing in the place of what it lacks.
// It is safe for concurrent use.
type Watcher struct {
	policy    gate.SandboxPolicy
	baselines baselines
}

// NewWatcher returns a Watcher under a policy.
func NewWatcher(p gate.SandboxPolicy) *Watcher {
	return &Watcher{policy: p, baselines: baselines{known: map[string]behaviour.Baseline{}}}
}

// Watched is a program to be run.
type Watched struct {
	// Name is the path of its text below the workspace. The file need not be there.
	Name string
	// Files are its text and all that it finds in the workspace: what a program brings up
	// is compared with them.
	Files    []workspace.File
	Language gate.Language // whose image it runs in
	// Spec is how it is run, without anything to observe.
	Spec sandbox.Spec
}

// Deeds are what a program did in its container.
type Deeds struct {
	Findings []gate.Finding
	// Execution is the run as a result document has it; nil is that no one watched.
	Execution *gate.Execution
	// Code appeared while it ran, as it was decoded or put together, and goes through the
	// layers.
	Code []gate.Derived
	// Unknown says what of it is not known. Where it is not empty, the rest is no proof that
	// the program is harmless.
	Unknown []string
}

// Run runs a program with planted secrets and a simulated internet, and returns how it ended
// and what it did. Both hold placeholders in the place of the secrets. An error says why it
// did not come about.
func (w *Watcher) Run(ctx context.Context, runner Runner, p Watched) (sandbox.Result, Deeds, error) {
	tree := workspace.Of(p.Files)
	j := job.Job{Image: p.Language, Program: job.Command{Argv: p.Spec.Argv}}
	u := plan.Unit{Kind: plan.Script, Targets: []string{p.Name}, Job: j}
	l := life{
		prepare:   preparer{policy: w.policy, images: map[gate.Language]string{p.Language: p.Spec.Image}, tree: tree},
		engine:    engine{runner: runner},
		observe:   observer{tree: tree},
		baselines: &w.baselines,
	}
	empty := w.baselines.unknown([]plan.Unit{u}, l.prepare.images)
	var done kept
	var failed error
	program := w.program(u, p)
	err := gate.ForEach(ctx, 1+len(empty), 1+len(empty), func(ctx context.Context, i int) error {
		if i > 0 {
			l.learn(ctx, empty[i-1])
			return nil
		}
		done, _, failed = l.engine.run(ctx, program)
		return nil
	})
	if err = errors.Join(failed, err); err != nil {
		return done.Result, Deeds{}, err
	}
	for i, f := range done.Result.Files {
		done.Result.Files[i].Data = []byte(program.canaries.Text(string(f.Data)))
	}
	return done.Result, w.deeds(l, program, done), nil
}

// program prepares a program. What it leaves in the workspace is brought back, so no secret
// is planted there.
func (w *Watcher) program(u plan.Unit, p Watched) prepared {
	planted := canary.New(func(file string) bool { return strings.HasPrefix(file, sandbox.Workspace+"/") })
	spec := p.Spec
	spec.Env = slices.Concat([]string{hashSeed}, planted.Env(), spec.Env)
	spec.Observe = observed(planted)
	spec.Observe.Bait = true
	return prepared{unit: u, job: u.Job, line: u.Job.Line(), spec: spec, canaries: planted, uncounted: "the lines of such a run are not counted"}
}

// deeds are what follows from a run.
func (w *Watcher) deeds(l life, p prepared, done kept) Deeds {
	u, tree := p.unit, l.prepare.tree
	one := l.observe.look(p, done, false)
	one.res.Behaviour = w.baselines.without(p.spec.Image, one.res.Behaviour)
	r := result{runs: []run{one}}
	out := Deeds{
		Findings:  slices.Concat(observations(u, r), behaviourFindings(tree, u, r), alerts(u, r, w.policy)),
		Execution: &gate.Execution{Runnable: true, StandIns: []string{}, Coverage: map[string]int{}, CoverageReason: p.uncounted},
	}
	ended := r.into(out.Execution, u.Kind)
	out.Execution.Status, out.Execution.Reason, out.Execution.ExitCode = ended.status, ended.reason, ended.code
	if ended.status == gate.ExecutionFailed {
		out.Unknown = append(out.Unknown, "what happened is not known: "+one.res.Reason)
	}
	if why := unseen(one.res.Behaviour); why != "" {
		out.Unknown = append(out.Unknown, why)
	}
	code, gaps := unpacked(tree, nil, []plan.Unit{u}, []result{r}, w.policy)
	for _, g := range gaps {
		out.Unknown = append(out.Unknown, g.Reason)
	}
	out.Code = code
	return out
}

// observed is what is recorded of every program, and what it finds.
func observed(planted *canary.Set) *sandbox.Observe {
	return &sandbox.Observe{
		Internet: true, Canaries: planted.Canaries(), Plants: planted.Plants(), Metadata: planted.Metadata(), Inputs: true,
	}
}
