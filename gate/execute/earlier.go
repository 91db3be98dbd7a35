package execute

import (
	"context"
	"io/fs"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
)

// answer says whether the base's version of a file ran.
type answer int

const (
	unknown answer = iota // the base has no such file, or it was not tried
	itRan
	itDidNot
)

// earlier is what is known of the base's version of a file.
type earlier struct {
	answer
	asked bool // it wanted arguments
}

// maxEarlier bounds how many files of the base are run. What comes after them counts as
// having run: the change is looked at more closely, not less.
const maxEarlier = 40

// earlier runs the base's versions of files in the world of the base, as the base says and with
// what is installed for the head.
func (s *Stage) earlier(ctx context.Context, l life, installed *provided, base *workspace.Tree, fsys fs.FS, files []notRun) map[string]earlier {
	out := map[string]earlier{}
	l.prepare.tree, l.log = base, nil
	l.engine = newBaseEngine(l.engine.runner, s.o, base)
	var targets []*gate.Target
	heads := map[string]string{} // by the path in the base
	for _, f := range files {
		t := *f.target
		if t.OldPath != "" {
			t.Path = t.OldPath
		}
		if !base.Has(t.Path) {
			continue
		}
		out[f.target.Path] = earlier{answer: itRan}
		if len(targets) == maxEarlier {
			continue
		}
		heads[t.Path] = f.target.Path
		t.Kind, t.OldPath, t.Lines = gate.ChangeNone, "", gate.LineSet{}
		targets = append(targets, &t)
	}
	if len(targets) == 0 {
		return out
	}
	p := plan.Make(base, targets, s.o.Policy.Run, fsys)
	installed.into(p.Units, base)
	l.observe = observer{tree: base, sources: sources(base, p.Units), restricted: l.observe.restricted}
	results := make([]result, len(p.Units))
	for i := range results {
		results[i].lost = "it was not reached"
	}
	err := gate.ForEach(ctx, s.o.Parallel, len(p.Units), func(ctx context.Context, i int) error {
		results[i] = l.first(ctx, p.Units[i])
		return nil
	})
	done, _ := outcome(base, targets, p, results, l.observe.sources, strictness{})
	for path, e := range done.Executions {
		if err == nil && (e.Status == gate.ExecutionNotRun || e.Status.Interrupted()) {
			out[heads[path]] = earlier{answer: itDidNot}
		}
	}
	for i, u := range p.Units {
		var args asked
		args.ask(results[i])
		for _, t := range u.Targets {
			before := out[heads[t]]
			before.asked = before.asked || args.misses
			out[heads[t]] = before
		}
	}
	return out
}
