package execute

import (
	"bytes"
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
		Input:    len(b.tree.files), Has: func(p string) bool { return b.given(u, p) },
		Literal: b.tree.literal, Printed: r.printed, Seen: r.res.Behaviour,
	}
	for _, t := range u.targets {
		w.Targets = append(w.Targets, path.Join(sandbox.Workspace, t))
	}
	return w
}

// given reports whether a unit finds a file at an absolute path because we put it
// there.
func (b *batch) given(u unit, p string) bool {
	rel, ok := strings.CutPrefix(p, sandbox.Workspace+"/")
	return ok && (b.tree.has(rel) || slices.ContainsFunc(u.extra, func(f file) bool { return f.path == rel }))
}

// The bounds of the search for code in the files of a change.
const (
	minLiteralLine  = 8  // bytes; shorter lines are everywhere
	maxLiteralLines = 40 // that are looked for
	literalHead     = 512
)

// literal reports whether code stands as it is in one of the files: at least half
// of its lines, or the beginning of what has no lines.
func (t *tree) literal(code []byte) bool {
	inside := func(part []byte) bool {
		return slices.ContainsFunc(t.files, func(f file) bool { return bytes.Contains(f.data, part) })
	}
	if bytes.IndexByte(code, 0) >= 0 {
		return inside(code[:min(len(code), literalHead)])
	}
	var lines [][]byte
	for line := range bytes.Lines(code) {
		if line = bytes.TrimSpace(line); len(line) >= minLiteralLine && !bytes.HasPrefix(line, []byte("#!")) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return inside(bytes.TrimSpace(code))
	}
	slices.SortStableFunc(lines, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	lines = lines[:min(len(lines), maxLiteralLines)]
	found := 0
	for _, line := range lines {
		if inside(line) {
			found++
		}
	}
	return found*2 >= len(lines)
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
