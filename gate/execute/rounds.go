package execute

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// kindExercise is a run of a module whose functions are called.
const kindExercise = string(behaviour.Exercise)

// rounds runs the units of a plan: each once, and then those again of which other
// runs may tell more. Time is spent on the next round when every unit had the one
// before.
type rounds struct {
	life       life
	units      []plan.Unit
	others     []plan.Unit // tests beside the nearest, which run when those have
	results    []result    // one slot for each unit
	parallel   int
	conditions int // at most, for each unit
	found      *gate.Findings
	changed    map[string]gate.LineSet
	data       map[string]bool // the files of the change that are no code
	progress   *progress
	// base are the files of the base, and baseEngine runs programs on them; nil without one.
	base       func() *workspace.Tree
	baseEngine func(*workspace.Tree) engine
	// more are runs of tests besides these units, for lines that did not run, with at most so
	// many files for each target; nil for none.
	more func(have []plan.Unit, missing map[string]gate.LineSet, most int) []plan.Unit
}

// progress tells how many units were run.
type progress struct {
	found *gate.Findings
	total int
	done  atomic.Int64
}

func (p *progress) report(detail string) {
	p.found.Report(gate.Progress{Layer: gate.LayerSandbox, Done: int(p.done.Load()), Total: p.total, Detail: detail})
}

// run runs all rounds. An error is the end of the time; what was not reached says
// so in its result.
func (r *rounds) run(ctx context.Context) error {
	r.progress.report("")
	if err := r.first(ctx); err != nil {
		return err
	}
	if err := beside(ctx, r); err != nil {
		return err
	}
	if err := r.further(ctx); err != nil {
		return err
	}
	if err := r.before(ctx, false); err != nil {
		return err
	}
	if err := r.forward(ctx); err != nil {
		return err
	}
	if err := r.exercise(ctx); err != nil {
		return err
	}
	if err := r.otherConditions(ctx); err != nil {
		return err
	}
	if err := r.forced(ctx); err != nil {
		return err
	}
	defer r.slowBefore()
	return r.before(ctx, true) // of what only other conditions have brought up
}

// first runs every unit, and the empty programs of images that are not known yet.
func (r *rounds) first(ctx context.Context) error {
	images := r.life.baselines.unknown(r.units, r.life.prepare.images)
	for _, image := range images {
		r.life.engine.expect(ctx, r.life.prepare.empty(emptyUnit(image)))
	}
	for _, u := range r.units {
		r.life.expect(ctx, u, u.Job)
	}
	for i := range r.results {
		r.results[i].lost = "it was not reached"
	}
	err := gate.ForEach(ctx, r.parallel, len(images)+len(r.units), func(ctx context.Context, i int) error {
		if i < len(images) {
			r.life.learn(ctx, images[i])
			return nil
		}
		i -= len(images)
		u := r.units[i]
		r.results[i] = r.life.first(ctx, u)
		r.progress.done.Add(1)
		r.progress.report(u.Kind + " " + u.Targets[0])
		return nil
	})
	if err != nil {
		for i := range r.results {
			if one := &r.results[i]; len(one.runs) == 0 && one.missing == nil {
				one.lost = "it was not run to its end: " + err.Error()
			}
		}
	}
	for i, u := range r.units {
		r.withoutBaseline(u, &r.results[i])
	}
	return err
}

// withoutBaseline takes away what the interpreter does by itself.
func (r *rounds) withoutBaseline(u plan.Unit, one *result) {
	for i := range one.runs {
		seen := &one.runs[i].res.Behaviour
		*seen = r.life.baselines.without(r.life.prepare.images[u.Job.Image], *seen)
	}
}

// maxRepeated is how long tests may take that are repeated under more than the one condition
// that answers best what their sources ask, where nothing about them is suspicious: each
// takes as long again.
const maxRepeated = 10 * time.Second

// took is how long the runs of a unit took in the ordinary world, with and without stand-ins.
func (r result) took() time.Duration {
	var out time.Duration
	for _, one := range r.runs {
		if one.condition == "" && one.kind == "" {
			out += one.res.Duration
		}
	}
	return out
}

// otherConditions runs the units again for which other conditions may tell more.
func (r *rounds) otherConditions(ctx context.Context) error {
	var todo []*again
	all := covers(r.results)
	for i, u := range r.units {
		if r.results[i].lost != "" || r.conditions == 0 || u.Further {
			continue
		}
		var asked branch
		for _, t := range u.Targets {
			asked |= dependsOn(r.life.prepare.tree.Text(t), r.changed[t], all[t])
		}
		suspected := r.suspected(u, r.results[i])
		// Under another condition no test may run that had no time without it: what it does
		// would look as if it depended on the condition.
		nearest := r.results[i].othersCut()
		as := func(j job.Job) job.Job { j.NearestOnly = nearest; return j }
		c := others(as(r.results[i].jobOf(u)), asked, suspected, r.conditions)
		if names := r.results[i].stubbed.names; len(names) > 0 && len(c) > 0 {
			for n := range c {
				c[n].standIns = names
			}
		}
		if took := r.results[i].took(); len(c) > 0 && !suspected && u.Kind == plan.Tests && took > maxRepeated {
			j, which := c[0].job, ""
			if !r.life.prepare.everything {
				j, which = r.nearestFiles(u, j)
				j.NearestOnly = true // of a file, too, those that are nearest
			}
			if len(c) > 1 || which != "" {
				r.results[i].spared = fmt.Sprintf("the tests%s were repeated %s only: they took %s", which, c[0].name, took.Round(time.Second))
			}
			c[0].job = j
			c = c[:1]
		}
		// What asks whether a module is there finds the stand-in, so the likeliest condition
		// is tried without it as well.
		if len(r.results[i].stubbed.names) > 0 {
			c = append(c, others(as(u.Job), asked, suspected, min(1, len(c)))...)
		}
		if len(c) > 0 {
			todo = append(todo, newAgain(i, c))
			for _, one := range c {
				r.life.expect(ctx, u, one.job)
			}
		}
	}
	return r.runAgain(ctx, todo)
}

// nearestFiles is a job of tests with those files of tests only that are nearest to the change,
// and how that is said, "" where all of them are.
func (r *rounds) nearestFiles(u plan.Unit, j job.Job) (job.Job, string) {
	args := slices.DeleteFunc(slices.Clone(j.Args), func(arg string) bool {
		return r.life.prepare.tree.Has(path.Join(u.Dir, arg)) && !slices.Contains(u.Near, arg)
	})
	_, golang := j.Program.(job.GoTests)
	if golang || len(u.Near) == 0 || len(args) == len(j.Args) {
		return j, "" // tests of Go are named, and not their files
	}
	j.Args = args
	return j, " nearest to the change"
}

// suspected reports whether a layer has more than a note about a unit.
func (r *rounds) suspected(u plan.Unit, one result) bool {
	for _, t := range u.Targets {
		if r.found.Worst(t) >= gate.SeveritySuspicious {
			return true
		}
	}
	return slices.ContainsFunc(behaviourFindings(r.life.prepare.tree, u, one), func(f gate.Finding) bool { return f.Severity >= gate.SeveritySuspicious })
}

// unavailable returns why the layer is unavailable: not one unit had its image or
// its runtime.
func (r *rounds) unavailable() *gate.Unavailable {
	var first *sandbox.MissingError
	for _, one := range r.results {
		if one.missing == nil {
			return nil
		}
		if first == nil {
			first = one.missing
		}
	}
	return &gate.Unavailable{
		Reason: fmt.Sprintf("the container engine has no %s %s", first.What, first.Name),
		Hint:   r.life.hint(first),
	}
}
