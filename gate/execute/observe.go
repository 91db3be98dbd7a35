package execute

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// observer reads off a finished run what the program did: what we did around it is
// taken away, and what the interpreters said of it is read.
type observer struct {
	tree       *workspace.Tree
	sources    coverage.Sources  // texts of the files whose lines are counted
	restricted bool              // the restricted mode of Python is on
	newHost    func(string) bool // whether the base doesn't name a host; nil without a base
	namedHost  func(string) bool // whether the base names a host; nil without a base
}

// look returns the run of a program.
func (o observer) look(p prepared, k kept, reused bool) run {
	r := run{shown: p.job.Shown(), newHost: o.newHost, namedHost: o.namedHost, pids: p.spec.Limits.Pids, memory: p.spec.Limits.Memory, timeout: p.spec.Limits.Timeout, res: k.Result, printed: k.Printed, cached: reused}
	seen := k.Result.Behaviour
	if o.restricted {
		r.refused, seen = refusals(seen)
	}
	if p.job.Interpreted() {
		r.foreign, seen = foreign(seen)
	}
	if p.uncounted == "" {
		seen = withoutCounting(seen, p.line)
		r.res.Left = withoutOurs(r.res.Left)
	}
	seen = withoutCache(seen, p.line)
	r.res.Behaviour = recognised(seen, p.line.Started, r.shown)
	r.early = p.spec.EndIdle && r.res.Duration-r.res.Held < p.spec.Limits.Timeout && (r.res.Status == sandbox.Waiting || r.res.Status == sandbox.Serving)
	r.unasked = unasked(p.routes, r.res)
	r.lines = o.lines(p, r.res)
	if p.over(r.res) {
		r.cut = o.cut(p, r.res)
	}
	if m, ok := p.job.Program.(job.Make); ok && p.uncounted == "" {
		r.res.Stdout.Data = coverage.WithoutTrace(r.res.Stdout.Data, m.File)
	}
	return r
}

// sources are the texts of all files that units run.
func sources(t *workspace.Tree, units []plan.Unit) coverage.Sources {
	out := coverage.Sources{}
	for _, u := range units {
		for _, target := range u.Targets {
			if t.Has(target) && t.Bytes(target) <= workspace.MaxSource {
				out[target] = t.Text(target)
			}
		}
	}
	return out
}

// withoutCounting removes from a behaviour what was done to count lines.
func withoutCounting(seen sandbox.Behaviour, line job.Line) sandbox.Behaviour {
	var rest []sandbox.Event
	for _, e := range seen.Events {
		around := len(line.Argv) != len(line.Started) && sameStart(e.Args, line.Argv)
		if ours := e.Action == sandbox.ActionExec && len(e.Canaries) == 0 && (around || job.Around(e.Args)); ours {
			continue
		}
		if e.Action == sandbox.ActionExec {
			e.Args = job.WithoutCount(e.Args)
		}
		rest = append(rest, e)
	}
	seen.Events = rest
	return seen
}

// withoutCache removes the start of the build cache that the go command was told to ask,
// and of nothing else: the very program with the very arguments, in a run that has one.
func withoutCache(seen sandbox.Behaviour, line job.Line) sandbox.Behaviour {
	if len(line.Cache) == 0 {
		return seen
	}
	seen.Events = slices.DeleteFunc(slices.Clone(seen.Events), func(e sandbox.Event) bool {
		return e.Action == sandbox.ActionExec && e.Object == line.Cache[0] && slices.Equal(e.Args, line.Cache) && len(e.Canaries) == 0
	})
	return seen
}

// withoutOurs takes out of what was left what we have put around the program. It ends
// with the last of the program's own processes, so alone it is none of ours.
func withoutOurs(l sandbox.Left) sandbox.Left {
	theirs := slices.DeleteFunc(slices.Clone(l.Commands), job.AroundLeft)
	if len(theirs) > 0 {
		l.Commands = theirs
	}
	return l
}

// recognised shows our own start of a program in its behaviour as a report shows
// commands: without the bootstrap code. started is what really started.
func recognised(seen sandbox.Behaviour, started, shown []string) sandbox.Behaviour {
	events := slices.Clone(seen.Events)
	for i, e := range events {
		if e.Action == sandbox.ActionExec && sameStart(e.Args, started) {
			events[i].Args = shown
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
