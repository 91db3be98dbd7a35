package execute

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
)

// Lines of a change that did not run may be run by tests that are not among the nearest.
// They run in rounds, the likeliest first, until every line has run, a round brought nothing
// new, or tests have had their time.

// furtherFiles are how many files of tests a round has for each file of the change.
func furtherFiles() []int { return []int{10, 25, 25} }

// forFurther is the time of one run of further tests, and that of all tests after which no
// other round begins.
func forFurther(p gate.SandboxPolicy) time.Duration { return p.ForTests() / 2 }

// forOthers is how long tests go on of which none is nearest to the change, when the nearest
// have ended and none of them runs a changed line as the first.
func forOthers(p gate.SandboxPolicy) time.Duration { return p.ForTests() / 4 }

// forShown is that time where every changed line has run, and nothing about them is suspicious. Tests
// of Go, which do not know, have it in any case: where lines are left, the others run again.
const forShown = 5 * time.Second

// further runs rounds of tests besides those of the plan. What they do counts as that of
// all tests; that one did not end in its time, or did not come about, leaves the result as
// complete as it was without it.
func (r *rounds) further(ctx context.Context) error {
	if r.more == nil {
		return nil
	}
	for n, most := range furtherFiles() {
		missing, lines := r.missing()
		if lines == 0 || r.tested() >= forFurther(r.life.prepare.policy) {
			return nil
		}
		units := r.more(r.units, missing, most)
		if n == 0 {
			units = slices.Concat(r.rest(missing), units)
		}
		if len(units) == 0 {
			return nil
		}
		if err := besides(ctx, r, units); err != nil {
			return err
		}
		if _, left := r.missing(); left >= lines {
			return nil
		}
	}
	return nil
}

// apart are the units that run first, and tests beside the nearest.
func apart(units []plan.Unit) (first, others []plan.Unit) {
	for _, u := range units {
		if u.Beside {
			others = append(others, u)
		} else {
			first = append(first, u)
		}
	}
	return first, others
}

// beside runs the tests that the plan has besides the nearest, unless those had no time left, or
// every changed line has run and nothing about them is suspicious: they take as long as the
// nearest, and again on the base.
func beside(ctx context.Context, r *rounds) error {
	all := covers(r.results)
	units := slices.DeleteFunc(slices.Clone(r.others), func(u plan.Unit) bool {
		if !r.life.prepare.everything && r.shown(u.Targets, all) {
			for i, near := range r.units {
				if slices.ContainsFunc(near.Targets, func(t string) bool { return slices.Contains(u.Targets, t) }) {
					r.results[i].unneeded = true
				}
			}
			return true
		}
		for i, near := range r.units {
			same := near.Kind == plan.Tests && near.Dir == u.Dir && slices.ContainsFunc(near.Targets, func(t string) bool { return slices.Contains(u.Targets, t) })
			if one := r.results[i]; same && (one.lost != "" || one.late != "") {
				return true
			}
		}
		return false
	})
	return besides(ctx, r, units)
}

// shown reports whether every changed line of some files is known to have run, and nothing of
// what ran them is suspicious.
func (r *rounds) shown(targets []string, all coverage.Profile) bool {
	for _, t := range targets {
		known, ok := all[t]
		if c := coverage.CountIn(r.changed[t], r.life.observe.sources[t], known); !ok || c.Executed == 0 || len(c.Uncovered) > 0 {
			return false
		}
	}
	for i, u := range r.units {
		if slices.ContainsFunc(u.Targets, func(t string) bool { return slices.Contains(targets, t) }) && (r.results[i].lost != "" || r.suspected(u, r.results[i])) {
			return false
		}
	}
	return true
}

// besides runs tests whose end says nothing about a file.
func besides(ctx context.Context, r *rounds, units []plan.Unit) error {
	done := make([]*result, len(units))
	for _, u := range units {
		r.life.expect(ctx, u, u.Job)
	}
	err := gate.ForEach(ctx, r.parallel, len(units), func(ctx context.Context, i int) error {
		one := r.life.first(ctx, units[i])
		done[i] = &one
		r.progress.report("further tests for " + units[i].Targets[0])
		return nil
	})
	for i, one := range done {
		if one == nil || one.lost != "" {
			continue
		}
		one.late, one.waited, one.needs = "", nil, ""
		r.withoutBaseline(units[i], one)
		r.units, r.results = append(r.units, units[i]), append(r.results, *one)
	}
	return err
}

// rest are runs of those tests that had no time because they are not nearest to the change,
// where lines of it did not run. (Those of Python go on by themselves.)
func (r *rounds) rest(missing map[string]gate.LineSet) []plan.Unit {
	var out []plan.Unit
	for i, u := range r.units {
		tests, golang := u.Job.Program.(job.GoTests)
		lacks := slices.ContainsFunc(u.Targets, func(t string) bool { _, ok := missing[t]; return ok })
		if !lacks || !r.results[i].othersCut() {
			continue
		}
		if u.Beside {
			u.Beside = false
			out = append(out, u)
		}
		if !golang {
			continue
		}
		done := map[string]int{}
		for _, one := range r.results[i].runs {
			if one.condition == "" && one.cut != nil {
				for _, name := range one.cut.done {
					done[name]++
				}
			}
		}
		for _, name := range u.Tests {
			done[name]-- // one of that name in another package has not ended
		}
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(done)), func(name string) bool { return done[name] < 0 })
		tests.Nearest, u.Near, u.Further = "", nil, true
		u.Job.Program = tests
		if len(names) > 0 {
			u.Job = u.Job.With("-skip", "^("+strings.Join(names, "|")+")$") // they are identifiers
		}
		out = append(out, u)
	}
	return out
}

// missing are the changed lines that did not run, of files of which it is known, and how many
// they are.
func (r *rounds) missing() (map[string]gate.LineSet, int) {
	all := covers(r.results)
	out, n := map[string]gate.LineSet{}, 0
	for i, u := range r.units {
		if r.results[i].lost != "" {
			continue
		}
		for _, t := range u.Targets {
			known, ok := all[t]
			if _, seen := out[t]; seen || !ok {
				continue
			}
			c := coverage.CountIn(r.changed[t], r.life.observe.sources[t], known)
			if len(c.Uncovered) > 0 {
				out[t] = gate.OnlyLines(c.Uncovered...)
				n += c.Executable - c.Executed
			}
		}
	}
	return out, n
}

// tested is how long the tests have taken.
func (r *rounds) tested() time.Duration {
	var out time.Duration
	for i, u := range r.units {
		if u.Kind == plan.Tests {
			out += r.results[i].took()
		}
	}
	return out
}
