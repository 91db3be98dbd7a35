package execute

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/sandbox"
)

// A program that was still waiting when its time was up is run once more without the
// waits: its waiting calls end early and the clocks that it sees go along. The first
// run keeps real time, so that nothing can tell from the clock that it is watched;
// what either does counts.

// waitedLong is the shortest wait for which a run that was cut short is repeated.
const waitedLong = time.Second

// forwards reports whether a run was ended while something of it waited. One that
// ended by itself, with all that it started, has shown what comes after its waits.
func forwards(r run) bool {
	res := r.res
	switch res.Status {
	case sandbox.Waiting, sandbox.Serving:
		return true
	case sandbox.Timeout:
		return res.Waited >= waitedLong
	}
	return res.Left.Any() || r.cut != nil && !r.cut.others && res.Waited >= waitedLong
}

// forward runs a job of a unit again without its waits. It takes away what is said
// about the time that was not enough, where this run came to its end.
func (l life) forward(ctx context.Context, u plan.Unit, j job.Job, r *result) {
	one, d, err := l.take(ctx, u, j, "its waits skipped", true)
	if err != nil {
		r.late = cmp.Or(r.late, "its waits were not skipped") + "; it was not run without its waits: " + err.Error()
		return
	}
	r.unseen = cmp.Or(r.unseen, unseen(one.res.Behaviour))
	one.res.Behaviour = l.baselines.without(l.prepare.images[j.Image], one.res.Behaviour)
	one.forwarded = true
	one.note = "skipped " + span(one.res.Skipped) + " of waiting"
	if d.note != "" {
		one.note += "; " + d.note
	}
	if one.res.Clock != "" {
		one.note += "; it may have seen another clock: " + one.res.Clock
	}
	if one.res.Clock != "" && one.res.Clock != sandbox.NoForward && !l.whole(ctx, u, j, r) {
		r.runs = append(r.runs, one)
		return
	}
	first := &r.runs[0]
	first.note = fmt.Sprintf("%s (%s)", cmp.Or(first.note, leftNote(first.res)), forwardedNote(one.res))
	switch {
	case one.res.Status == sandbox.Exited && !one.res.Left.Any() && one.res.Clock == "":
		r.late = ""
	case r.late != "":
		r.late += "; " + forwardedNote(one.res)
	case one.res.Clock != "" && one.res.Clock != sandbox.NoForward:
		r.late = first.res.Reason + ", and what it waits for besides was not seen: " + one.res.Clock
	}
	r.runs = append(r.runs, one)
}

// whole runs a job again that was ended before its time was up, because it only waited,
// and waits for what cannot be skipped. It reports whether there is something to be said
// about its waits even then.
func (l life) whole(ctx context.Context, u plan.Unit, j job.Job, r *result) bool {
	i := slices.IndexFunc(r.runs, func(one run) bool { return one.early })
	if i < 0 {
		return true
	}
	j.Patient = true
	one, d, err := l.once(ctx, u, j, "")
	if err != nil {
		r.late = cmp.Or(r.late, "its waits were not skipped") + "; it was not run with all of its time: " + err.Error()
		return false
	}
	r.unseen = cmp.Or(r.unseen, unseen(one.res.Behaviour))
	one.res.Behaviour = l.baselines.without(l.prepare.images[j.Image], one.res.Behaviour)
	r.runs[i], r.late = one, late(one)
	r.needs = cmp.Or(r.needs, d.needs)
	return forwards(one)
}

// leftNote is what is to be known about the end of a run that itself ended well.
func leftNote(res sandbox.Result) string {
	if res.Left.Any() {
		return "it left a process running in the background"
	}
	return "it waited"
}

// forwardedNote says how a run without waits ended.
func forwardedNote(res sandbox.Result) string {
	after := "fast-forwarded by " + span(res.Skipped)
	switch {
	case res.Left.Any():
		return after + " that process still ran"
	case res.Status == sandbox.Exited:
		return after + " it ended"
	case res.Status == sandbox.Waiting, res.Status == sandbox.Serving:
		return after + " it was still waiting"
	}
	return fmt.Sprintf("%s it was ended as %s", after, statusOf(res.Status))
}

// span is a time as people say it.
func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Round(time.Hour).Hours())/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Round(time.Minute).Hours()))
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d minutes", int(d.Round(time.Second).Minutes()))
	}
	return fmt.Sprintf("%d seconds", int(d.Round(time.Second).Seconds()))
}

// restingAtOnce is how many runs go side by side in the place of one, where they do little but
// wait.
const restingAtOnce = 3

// rests reports whether the runs of a unit used little of a processor. Where no one has measured
// that, it says no.
func (r result) rests() bool {
	var used, took time.Duration
	for _, one := range r.runs {
		if one.res.Resources.CPU <= 0 {
			return false
		}
		used, took = used+one.res.Resources.CPU, took+one.res.Duration
	}
	return used < took/4
}

// forward runs those again that were ended while they waited.
func (r *rounds) forward(ctx context.Context) error {
	var resting, others []int
	for i, one := range r.results {
		switch {
		case one.lost != "" || len(one.waited) == 0:
		case one.rests():
			resting = append(resting, i)
		default:
			others = append(others, i)
		}
	}
	var failed error
	for _, group := range []struct {
		units    []int
		parallel int
	}{{resting, restingAtOnce * r.parallel}, {others, r.parallel}} {
		done := make([]bool, len(group.units))
		err := gate.ForEach(ctx, group.parallel, len(group.units), func(ctx context.Context, i int) error {
			at := group.units[i]
			for _, j := range r.results[at].waited {
				r.life.forward(ctx, r.units[at], j, &r.results[at])
			}
			done[i] = true
			r.progress.report("without its waits " + r.units[at].Targets[0])
			return nil
		})
		for i, ok := range done {
			if one := &r.results[group.units[i]]; !ok && one.unseen == "" {
				one.unseen = "it was not run without its waits: " + err.Error()
			}
		}
		failed = cmp.Or(failed, err)
	}
	return failed
}
