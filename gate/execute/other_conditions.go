package execute

import (
	"cmp"
	"context"
	"sync/atomic"

	"github.com/aigate/gate/gate"
)

// The conditions of one unit do not depend on each other, so that they run side by side like
// units: often a unit of tests is all that is left to run, with a slot beside it.

// again is a unit that runs under other conditions.
type again struct {
	unit       int
	conditions []conditioned
	ran        []conditionRun // one slot for each condition
	left       atomic.Int64   // conditions that have not ended
	done       bool
}

// conditionRun is what came of one condition.
type conditionRun struct {
	run    *run   // nil for none
	unseen string // why not everything was seen
}

func newAgain(unit int, conditions []conditioned) *again {
	a := &again{unit: unit, conditions: conditions, ran: make([]conditionRun, len(conditions))}
	a.left.Store(int64(len(conditions)))
	return a
}

// into adds what ran to the result of the unit, in the order of the conditions, once.
func (a *again) into(r *result) {
	for _, one := range a.ran {
		one.into(r)
	}
	a.ran = nil
}

func (c conditionRun) into(r *result) {
	r.unseen = cmp.Or(r.unseen, c.unseen)
	if c.run != nil {
		r.runs = append(r.runs, *c.run)
	}
}

// runAgain runs units under their conditions. Who ends the last condition of a unit also
// repeats its first run, where that is needed to tell chance from a condition.
func (r *rounds) runAgain(ctx context.Context, todo []*again) error {
	type one struct {
		unit      *again
		condition int
	}
	var all []one
	for _, a := range todo {
		r.results[a.unit].conditions = a.conditions
		for n := range a.conditions {
			all = append(all, one{a, n})
		}
	}
	err := gate.ForEach(ctx, r.parallel, len(all), func(ctx context.Context, i int) error {
		a, n := all[i].unit, all[i].condition
		u := r.units[a.unit]
		a.ran[n] = r.life.under(ctx, u, a.conditions[n])
		if a.left.Add(-1) > 0 {
			return nil
		}
		result := &r.results[a.unit]
		a.into(result)
		if someConditional(behaviourFindings(r.life.prepare.tree, u, *result)) {
			r.life.repeat(ctx, u, result.jobOf(u), result)
		}
		a.done = true
		r.progress.report("other conditions for " + u.Targets[0])
		return nil
	})
	for _, a := range todo {
		if a.done {
			continue
		}
		result := &r.results[a.unit]
		a.into(result)
		if result.unseen == "" {
			result.unseen = "it was not run under other conditions: " + err.Error()
		}
	}
	return err
}
