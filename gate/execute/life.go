package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/sandbox"
)

// life is what a unit goes through. Every program that is run for it takes the four
// steps of [life.once], each in the file of its name:
//
//	prepare → run → observe → conclude
//
// A unit has up to three rounds of that: [life.first], as it was planned;
// [life.exercise], with its functions called; [life.under], under other conditions.
// Which units have the later ones, rounds.go decides.
type life struct {
	prepare   preparer
	engine    engine
	observe   observer
	baselines *baselines
	log       *Log
	hint      func(*sandbox.MissingError) string
}

// first runs a unit as it was planned, once more for its help where it wants
// arguments, with stand-ins where it lacks modules, and with what it asks for where it ends
// for want of that.
func (l life) first(ctx context.Context, u plan.Unit) result {
	var r result
	if !l.planned(ctx, u, u.Job, "", &r) {
		return r
	}
	if u.Help && failedOnItsOwn(r.runs[0].res) {
		help := u.Job.With("--help")
		l.expect(ctx, u, help)
		if !l.planned(ctx, u, help, "asked for its help", &r) {
			return r
		}
	}
	l.standIn(ctx, u, &r)
	l.supply(ctx, u, &r)
	return r
}

// planned runs a job of the plan. It reports whether something can be said about it.
func (l life) planned(ctx context.Context, u plan.Unit, j job.Job, as string, r *result) bool {
	one, d, err := l.once(ctx, u, j, as)
	if err != nil {
		r.lost = err.Error()
		errors.As(err, &r.missing)
		return false
	}
	r.runs = append(r.runs, one)
	r.unseen = cmp.Or(r.unseen, unseen(one.res.Behaviour))
	r.late = cmp.Or(r.late, late(one))
	if forwards(one) {
		r.waited = append(r.waited, j)
		l.expectWithoutWaits(ctx, u, j)
	}
	r.needs, r.lacks = cmp.Or(r.needs, d.needs), append(r.lacks, d.lacks...)
	return true
}

// standIn runs a unit again with something in place of the modules that are not
// there, so that the rest of it runs: what it does with them is not seen, and what
// it does besides is. What is missing is found out by runs that fail; the last run
// counts.
func (l life) standIn(ctx context.Context, u plan.Unit, r *result) {
	var names []string
	var last *run
	for lacks, runs := r.lacks, 0; runs < maxStandIns; runs++ {
		more := missingModules(l.prepare.tree, lacks, names)
		if len(more) == 0 {
			break
		}
		names = slices.Concat(names, more)
		j, err := u.Job.WithStandIns(names, func(module string) []string { return imported(l.prepare.tree, module) })
		if err != nil {
			break // there are no stand-ins in this language
		}
		l.expect(ctx, u, j)
		one, d, err := l.once(ctx, u, j, "with stand-ins for "+strings.Join(names, ", "))
		if err != nil {
			r.unseen = cmp.Or(r.unseen, "it was not run with stand-ins for "+strings.Join(names, ", ")+": "+err.Error())
			return
		}
		r.unseen = cmp.Or(r.unseen, unseen(one.res.Behaviour))
		one.standIns = names
		if r.late = late(one); forwards(one) {
			r.waited = []job.Job{j} // the last one counts
		}
		last, lacks, r.stubbed = &one, d.lacks, stubbedJob{job: j, names: names}
	}
	if last != nil {
		r.runs = append(r.runs, *last)
	}
}

// exercise calls the functions of a unit's module. It is a container of its own, so
// that what an import does stays apart from what its functions do.
func (l life) exercise(ctx context.Context, u plan.Unit, j job.Job, r *result, met bool) {
	as := "its functions called"
	if met {
		as = "its functions called, conditions taken as met"
		if !l.prepare.everything {
			l.prepare.within = forForced(l.prepare.policy, j.Image)
		}
	}
	one, d, err := l.once(ctx, u, j, as)
	if err != nil {
		r.unseen = cmp.Or(r.unseen, "its functions were not called: "+err.Error())
		return
	}
	r.unseen = cmp.Or(r.unseen, unseen(one.res.Behaviour))
	one.res.Behaviour = withoutGiven(l.baselines.without(l.prepare.images[j.Image], one.res.Behaviour))
	one.kind, one.note, one.standIns, one.met = kindExercise, "its functions were called, with arguments that were made up", r.stubbed.names, met
	if met {
		one.extra = u.Extra
	}
	if met {
		one.note += ", and conditions taken as met"
	}
	if d.note != "" {
		one.note += ": " + d.note
	}
	r.runs = append(r.runs, one)
}

// under runs a unit under one other condition. What it lacks there it lacks in the
// first run as well, so only a run that did not come about is a gap.
func (l life) under(ctx context.Context, u plan.Unit, c conditioned) conditionRun {
	one, d, err := l.once(ctx, u, c.job, c.name)
	if err != nil {
		return conditionRun{unseen: "it was not run " + c.name + ": " + err.Error()}
	}
	incomplete := unseen(one.res.Behaviour)
	one.res.Behaviour = l.baselines.without(l.prepare.images[c.job.Image], one.res.Behaviour)
	one.condition, one.note, one.standIns = c.name, c.says, c.standIns
	if d.note != "" {
		one.note = strings.TrimPrefix(c.says+"; "+d.note, "; ")
	}
	return conditionRun{&one, incomplete}
}

// repeat runs a job once more as it ran at first, so that what it does by chance, or under
// load, is not taken for what it does under a condition. A run that fails tells nothing.
func (l life) repeat(ctx context.Context, u plan.Unit, j job.Job, r *result) {
	program, err := l.prepare.program(u, j)
	if err != nil {
		return
	}
	program.as, program.repeated = "repeated", true
	one, _, err := l.through(ctx, u, program)
	if err != nil {
		return
	}
	one.res.Behaviour = l.baselines.without(l.prepare.images[j.Image], one.res.Behaviour)
	one.repeated = true
	r.runs = append(r.runs, one)
}

// once takes a job of a unit through a container of its own. An error says in a
// sentence why nothing can be said about the program. As is how it runs, where that is
// not as planned.
func (l life) once(ctx context.Context, u plan.Unit, j job.Job, as string) (run, diagnosis, error) {
	return l.take(ctx, u, j, as, false)
}

// take does that, without the waits of the program where it is to be fast-forwarded.
func (l life) take(ctx context.Context, u plan.Unit, j job.Job, as string, forward bool) (run, diagnosis, error) {
	program, err := l.forwarding(u, j, forward)
	if err != nil {
		return run{}, diagnosis{}, fmt.Errorf("it was not run: %w", err)
	}
	program.as = as
	return l.through(ctx, u, program)
}

// forwarding prepares a job, without its waits where it is to be fast-forwarded.
func (l life) forwarding(u plan.Unit, j job.Job, forward bool) (prepared, error) {
	j.Patient = j.Patient || forward // its waits take no time
	program, err := l.prepare.program(u, j)
	program.spec.FastForward = forward
	return program, err
}

// through takes a prepared program of a unit through a container of its own.
func (l life) through(ctx context.Context, u plan.Unit, program prepared) (run, diagnosis, error) {
	done, reused, err := l.engine.run(ctx, program)
	one := l.observe.look(program, done, reused)
	if !reused {
		l.log.write(u, one, err)
	}
	if err := l.failed(ctx, one.res, err); err != nil {
		return run{}, diagnosis{}, err
	}
	d := diagnose(u, one.res, l.prepare.tree.Withheld)
	if one.cut != nil {
		d = diagnosis{note: one.cut.says(), lacks: one.cut.lacks}
		if len(d.lacks) > 0 {
			d.needs = "it needs the module " + d.lacks[0]
		}
	}
	one.note, one.failure = d.note, d.failure
	if said := askedNote(one.res.Asked); said != "" {
		one.note = strings.TrimPrefix(one.note+"; "+said, "; ")
	}
	if said := notFollowed(u.Left); said != "" {
		one.note = strings.TrimPrefix(one.note+"; "+said, "; ")
	}
	return one, d, nil
}

// notFollowed says what of how a project runs its tests was not done, "" for nothing.
func notFollowed(left []string) string {
	const most = 3
	if len(left) == 0 {
		return ""
	}
	shown := make([]string, 0, most+1)
	for _, text := range left[:min(len(left), most)] {
		shown = append(shown, gate.Clip(text, 80))
	}
	if len(left) > most {
		shown = append(shown, fmt.Sprintf("%d more", len(left)-most))
	}
	return "of how the project runs its tests this was left out: " + strings.Join(shown, ", ")
}

// expect announces a run of a unit.
func (l life) expect(ctx context.Context, u plan.Unit, j job.Job) {
	if program, err := l.prepare.program(u, j); err == nil { // the run itself says what is wrong
		l.engine.expect(ctx, program)
	}
}

// expectWithoutWaits announces a run of a unit without its waits.
func (l life) expectWithoutWaits(ctx context.Context, u plan.Unit, j job.Job) {
	if program, err := l.forwarding(u, j, true); err == nil {
		l.engine.expect(ctx, program)
	}
}

// failed says why nothing is known about a program that was run, nil where something
// is.
func (l life) failed(ctx context.Context, res sandbox.Result, err error) error {
	var missing *sandbox.MissingError
	switch {
	case errors.As(err, &missing):
		return &lackError{missing: missing, hint: l.hint(missing)}
	case ctx.Err() != nil:
		return fmt.Errorf("it was not run to its end: %w", context.Cause(ctx))
	case err != nil:
		return fmt.Errorf("it could not be run: %w", err)
	case statusOf(res.Status) == gate.ExecutionFailed:
		return errors.New("what happened is not known: " + cmp.Or(res.Reason, "the sandbox did not say"))
	}
	return nil
}

// lackError is an engine that lacks what a program needs, with the command that
// fixes it.
type lackError struct {
	missing *sandbox.MissingError
	hint    string
}

func (l *lackError) Error() string {
	t := fmt.Sprintf("the container engine has no %s %s", l.missing.What, l.missing.Name)
	if l.hint != "" {
		t += "; to get it: " + l.hint
	}
	return t
}

func (l *lackError) Unwrap() error { return l.missing }
