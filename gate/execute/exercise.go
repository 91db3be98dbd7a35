package execute

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/coverage"
)

// kindExercise is a run of a module whose functions are called. It is a container of
// its own, so that what an import does stays apart from what its functions do.
const kindExercise = string(behaviour.Exercise)

//go:embed bootstrap/exercise.mjs
var exerciseFile string

// exercised returns how a module is imported and its functions called; ok is false
// where that is not possible.
func exercised(u unit) (argv []string, ok bool) {
	if u.kind != kindModule {
		return nil, false
	}
	argv = slices.Clone(u.argv)
	switch u.image {
	case gate.LanguagePython:
		code := slices.Index(argv, pythonBootstrap)
		var job pythonJob
		if code < 0 || code+1 >= len(argv) || json.Unmarshal([]byte(argv[code+1]), &job) != nil {
			return nil, false
		}
		job.Exercise = true
		data, _ := json.Marshal(job) // strings and a bool: cannot fail
		argv[code+1] = string(data)
		return argv, true
	case gate.LanguageJavaScript:
		code := slices.Index(argv, importFile)
		if code < 0 {
			return nil, false
		}
		argv[code] = exerciseFile
		return argv, true
	}
	return nil, false
}

// exerciseAll calls the functions of the modules of which lines of the change have
// not run.
func (b *batch) exerciseAll(ctx context.Context) error {
	all := covers(b.results)
	var todo []int
	for i, u := range b.units {
		if argv, ok := exercised(u); ok && b.worthExercise(u, b.results[i], all) {
			todo = append(todo, i)
			b.expect(ctx, u, argv)
		}
	}
	done := make([]bool, len(todo))
	err := gate.ForEach(ctx, b.stage.o.Parallel, len(todo), func(ctx context.Context, i int) error {
		b.exercise(ctx, b.units[todo[i]], &b.results[todo[i]])
		done[i] = true
		b.report("functions of " + b.units[todo[i]].targets[0])
		return nil
	})
	for i, unit := range todo {
		if r := &b.results[unit]; !done[i] && r.unseen == "" {
			r.unseen = "its functions were not called: " + err.Error()
		}
	}
	return err
}

// worthExercise reports whether a module could be imported and some of its changed
// lines are not known to have run.
func (b *batch) worthExercise(u unit, r result, all coverage.Profile) bool {
	if r.lost != "" || len(r.runs) == 0 || rank(statusOf(r.runs[0].res.Status)) > rank(gate.ExecutionExited) || r.runs[0].res.ExitCode != 0 {
		return false
	}
	return slices.ContainsFunc(u.targets, func(t string) bool {
		known, ok := all[t]
		return !ok || len(coverage.CountIn(b.changed[t], b.source[t], known).Uncovered) > 0
	})
}

func (b *batch) exercise(ctx context.Context, u unit, r *result) {
	argv, _ := exercised(u)
	one, err := b.once(ctx, u, argv)
	if err != nil {
		r.unseen = cmp.Or(r.unseen, "its functions were not called: "+err.Error())
		return
	}
	r.unseen = cmp.Or(r.unseen, unseen(one.res.Behaviour))
	one.res.Behaviour = b.own(u, one.res.Behaviour)
	one.kind, one.note = kindExercise, "its functions that want no arguments were called"
	if note := diagnose(u, one.res, b.tree.Withheld).note; note != "" {
		one.note += ": " + note
	}
	r.runs = append(r.runs, one)
}
