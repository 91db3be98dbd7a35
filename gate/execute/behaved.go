package execute

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/sandbox"
)

// behaved are the findings that follow from what the runs of a unit did: one for
// each rule, the worst.
func (b *batch) behaved(u unit, r result) []gate.Finding {
	var out, only []gate.Finding
	usual := map[string]gate.Severity{} // of runs without conditions, which come first
	for _, run := range r.runs {
		news := 0
		for _, f := range behaviour.Findings(b.watched(u, run)) {
			switch {
			case run.condition == "":
				usual[f.Rule] = max(usual[f.Rule], f.Severity)
			case f.Severity >= gate.SeveritySuspicious && f.Severity > usual[f.Rule]:
				if news++; news == 1 {
					only = append(only, conditionalOn(run.condition, u, f))
				}
			}
			i := slices.IndexFunc(out, func(o gate.Finding) bool { return o.Rule == f.Rule })
			if i < 0 {
				out = append(out, f)
			} else if out[i].Severity < f.Severity {
				out[i] = f
			}
		}
	}
	return append(out, only...)
}

// watched is a run as the rules look at it.
func (b *batch) watched(u unit, r run) behaviour.Run {
	w := behaviour.Run{
		Kind: behaviour.Kind(cmp.Or(r.kind, u.kind)), Language: u.image, Recipe: u.recipe,
		Internet: true,
		Input:    len(b.tree.Files), Has: func(p string) bool { return b.tree.Given(u.extra, p) },
		Literal: b.tree.Literal, Printed: r.printed, Seen: r.res.Behaviour,
	}
	for _, t := range u.targets {
		w.Targets = append(w.Targets, path.Join(sandbox.Workspace, t))
	}
	return w
}

// recognised shows our own start of a program in its behaviour as a report shows
// commands: without the bootstrap code. started is what really started, and argv
// what stands for it.
func recognised(seen sandbox.Behaviour, started, argv []string) sandbox.Behaviour {
	events := slices.Clone(seen.Events)
	for i, e := range events {
		if e.Action == sandbox.ActionExec && sameStart(e.Args, started) {
			events[i].Args = command(argv)
		}
	}
	seen.Events = events
	return seen
}

// recordedArguments is how many arguments of a command the recorder keeps.
const recordedArguments = 64

// sameStart reports whether recorded arguments, each of which may be cut, are those
// of a command.
func sameStart(recorded, argv []string) bool {
	return len(recorded) == min(len(argv), recordedArguments) && slices.EqualFunc(recorded, argv[:len(recorded)], func(r, a string) bool {
		return r == a || len(r) >= 100 && strings.HasPrefix(a, r)
	})
}
