package execute

import (
	"context"
	"crypto/sha256"
	"maps"
	"path"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// Tests reach services, start servers and run shells, an installer runs what it downloads,
// and most of that is as old as the file. A finding decides when the head has it and the base
// has not, so what does something suspicious runs on the base as well: what it does there in
// the same words is a note. Words that leave open what was written or run count only for
// tests, and only where no data of the change had a part in it: an installer is no precedent
// for what it installs. Nothing is taken away from what it did, so that rules which join
// several observations see all of them.

// before is what a unit did on the base.
type before struct {
	known behaviour.Known
	// sameData says that none of the data that the change brings had a part in the head's runs.
	sameData bool
	codes    map[[sha256.Size]byte]bool // the code that appeared
	ends     map[string]bool            // the rules about how they ended and what they used
	slow     bool                       // their time was over before the nearest had ended
}

// demote makes notes of what is said of how tests end where the base's end like that too: a
// project whose tests need more memory than a container has needed it before the change.
func (b *before) demote(found []gate.Finding) []gate.Finding {
	if b == nil {
		return found
	}
	for i := range found {
		if f := &found[i]; f.Severity > gate.SeverityNote && b.ends[f.Rule] {
			f.Severity = gate.SeverityNote
			f.Evidence += "; on the base they do the same"
		}
	}
	return found
}

// before runs tests on the base of which something is suspicious, or code appeared and they
// are quick, or so much code that not all of it is looked at. Where something is suspicious, all of
// them have the full time; else they have that of the head's. At the end it also runs tests whose
// time was not enough, and the other units of which something is suspicious, with their functions
// called and under other conditions where the head's were. A run that fails says nothing: more is
// shown, not less.
func (r *rounds) before(ctx context.Context, end bool) error {
	if r.base == nil {
		return nil
	}
	var todo []int
	for i, u := range r.units {
		one := r.results[i]
		if one.before != nil || u.Kind != plan.Tests && !end {
			continue
		}
		if r.worthComparing(u, one) || u.Kind == plan.Tests && end && one.slow() != nil {
			todo = append(todo, i)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	tree := r.base()
	l := r.life
	l.prepare.tree, l.log = tree, nil
	l.engine = r.baseEngine(tree)
	l.observe = observer{tree: tree, restricted: l.observe.restricted, newHost: l.observe.newHost, namedHost: l.observe.namedHost}
	return gate.ForEach(ctx, r.parallel, len(todo), func(ctx context.Context, n int) error {
		i := todo[n]
		u, ok := onBase(r.units[i], r.life.prepare.tree, tree)
		if !ok {
			return nil
		}
		r.progress.report("the base's " + u.Kind + " " + u.Targets[0])
		l := l
		// What is suspicious may be old in any of the tests. Code that appeared is mostly of those
		// that ran in the head.
		l.prepare.everything = l.prepare.everything || doubtful(r, r.units[i], r.results[i])
		done := l.first(ctx, u)
		if called := slices.ContainsFunc(r.results[i].runs, func(one run) bool { return one.kind == kindExercise }); called && done.lost == "" {
			everything := job.Calls{Touched: map[string][][2]int{}} // lines of the base are others
			for _, t := range u.Targets {
				everything.Touched[t] = nil
			}
			if j, err := done.jobOf(u).Exercised(everything); err == nil {
				l.exercise(ctx, u, j, &done, false)
			}
		}
		if g := r.results[i].supplied; g != nil && done.lost == "" {
			if one, err := l.with(ctx, u, g.job, g.supplied, "with what the head asked for"); err == nil {
				done.runs = append(done.runs, one)
			}
		}
		if done.lost == "" && u.Kind != plan.Tests {
			for _, c := range r.results[i].conditions {
				l.under(ctx, u, c).into(&done)
			}
		}
		b := &before{known: behaviour.Known{}, sameData: u.Kind == plan.Tests && !readsNewData(r.results[i], r.data), codes: map[[sha256.Size]byte]bool{}, ends: map[string]bool{}}
		for _, f := range r.ending(u, done) {
			b.ends[f.Rule] = true
		}
		for _, one := range done.runs {
			b.slow = b.slow || one.cut != nil && one.cut.told && !one.cut.near
			one.res.Behaviour = l.baselines.without(l.prepare.images[u.Job.Image], one.res.Behaviour)
			b.known.Learn(watched(tree, u, one, nil))
			for _, c := range one.res.Behaviour.Captures {
				b.codes[sumOf(c)] = true
			}
		}
		r.results[i].before = b
		return nil
	})
}

// readsNewData reports whether the runs of a unit may have read data that the change brings: a
// file that is no code of a language that the sandbox runs. Where it is not known what a run
// read, it may have read everything.
func readsNewData(one result, data map[string]bool) bool {
	if len(data) == 0 {
		return false
	}
	return slices.ContainsFunc(one.runs, func(ran run) bool {
		in := ran.res.Behaviour.Inputs
		if in == nil {
			return slices.Contains(slices.Collect(maps.Values(data)), true)
		}
		return slices.ContainsFunc(in.Read, func(name string) bool { _, brought := data[name]; return brought })
	})
}

// dataOf are the files of a change that are no code: true for those that a program is likely to
// read, false for documentation.
func dataOf(targets []*gate.Target) map[string]bool {
	code := []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageShell, gate.LanguageGo}
	out := map[string]bool{}
	for _, t := range targets {
		if !slices.Contains(code, t.Language) {
			out[t.Path] = t.Role != gate.RoleDocs
		}
	}
	return out
}

// slowBefore makes notes of tests whose time was over where that of the base's tests was as well,
// so that a project whose tests are slow can be changed. Where code of the change was still
// running, or none of it is known to have run, it stays a gap.
func (r *rounds) slowBefore() {
	all := coversOf(r.results, false)
	for i, u := range r.units {
		one := &r.results[i]
		if late := one.slow(); late != nil && one.before != nil && one.before.slow && r.anyRan(u, all) {
			late.note += "; not all of the nearest tests had ended, and on the base they had not either"
			one.late = ""
		}
	}
}

// worthComparing reports whether the base could tell that something of a run is old.
func (r *rounds) worthComparing(u plan.Unit, one result) bool {
	if one.lost != "" {
		return false
	}
	if doubtful(r, u, one) {
		return true
	}
	fresh := map[[sha256.Size]byte]bool{}
	for _, run := range one.runs {
		for _, c := range run.res.Behaviour.Captures {
			if _, ok := isNew(r.life.prepare.tree, u, c, r.life.prepare.policy); ok {
				fresh[sumOf(c)] = true
			}
		}
	}
	// Of code that is more than is looked at, only the base can tell what is old, however long
	// that takes.
	return len(fresh) > 0 && (one.took() <= maxRepeated || len(fresh) > maxUnpacked)
}

// doubtful reports whether something of what a unit did or how it ended is suspicious.
func doubtful(r *rounds, u plan.Unit, one result) bool {
	seen := slices.Concat(behaviourFindings(r.life.prepare.tree, u, one), r.ending(u, one))
	return slices.ContainsFunc(seen, func(f gate.Finding) bool { return f.Severity >= gate.SeveritySuspicious })
}

// ending are the findings about how the runs of a unit ended and what they used.
func (r *rounds) ending(u plan.Unit, one result) []gate.Finding {
	return slices.Concat(observations(u, one), alerts(u, one, r.life.prepare.policy))
}

// onBase is a unit with those of its files that the base has; ok is false where it has none
// of the tests, or not all files of another unit.
func onBase(u plan.Unit, head, base *workspace.Tree) (on plan.Unit, ok bool) {
	if u.Kind != plan.Tests {
		return u, !slices.ContainsFunc(u.Targets, func(t string) bool { return !base.Has(t) })
	}
	if _, golang := u.Job.Program.(job.GoTests); golang {
		return u, base.Dirs[u.Dir] || u.Dir == ""
	}
	files := 0
	u.Job.Args = slices.DeleteFunc(slices.Clone(u.Job.Args), func(arg string) bool {
		file := path.Join(u.Dir, arg)
		if head.Has(file) && !base.Has(file) {
			return true
		}
		if base.Has(file) {
			files++
		}
		return false
	})
	u.Edited = nil
	u.Near = slices.DeleteFunc(slices.Clone(u.Near), func(name string) bool { return !base.Has(path.Join(u.Dir, name)) })
	return u, files > 0
}

// sumOf tells captures apart, also those of which only the same head was kept.
func sumOf(c sandbox.Capture) [sha256.Size]byte { return sha256.Sum256(slices.Concat(c.Data, c.Sum)) }

// anyRan reports whether a changed line of a unit's files is known to have run.
func (r *rounds) anyRan(u plan.Unit, all coverage.Profile) bool {
	return slices.ContainsFunc(u.Targets, func(t string) bool {
		known, ok := all[t]
		return ok && coverage.CountIn(r.changed[t], r.life.observe.sources[t], known).Executed > 0
	})
}
