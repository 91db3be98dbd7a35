package execute

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/sandbox"
)

// severityOf orders how runs can end, the worst last. A status that is not in it
// is worse than all.
var severityOf = map[gate.ExecutionStatus]int{
	gate.ExecutionExited: 1, gate.ExecutionNotRun: 2, gate.ExecutionServing: 3, gate.ExecutionWaiting: 4,
	gate.ExecutionTimeout: 5, gate.ExecutionOOM: 6, gate.ExecutionKilled: 7, gate.ExecutionFailed: 8,
}

// statusOf translates; what it does not know is a failure of ours.
func statusOf(s sandbox.Status) gate.ExecutionStatus {
	switch s {
	case sandbox.Exited:
		return gate.ExecutionExited
	case sandbox.Timeout:
		return gate.ExecutionTimeout
	case sandbox.Waiting:
		return gate.ExecutionWaiting
	case sandbox.Serving:
		return gate.ExecutionServing
	case sandbox.OOM:
		return gate.ExecutionOOM
	case sandbox.Killed:
		return gate.ExecutionKilled
	}
	return gate.ExecutionFailed
}

// unit is a run as the result document has it.
func (r run) unit(kind string) gate.Unit {
	kind = cmp.Or(r.kind, kind)
	if len(r.standIns) > 0 {
		kind += ", with stand-ins"
	}
	if r.supplied != "" {
		kind += ", with made-up input"
	}
	if r.forwarded {
		kind += ", fast-forwarded"
	}
	if r.condition != "" {
		kind += ", " + r.condition
	}
	if r.met {
		kind += ", with conditions taken as met"
	}
	if r.repeated {
		kind += ", repeated"
	}
	return gate.Unit{
		Kind: kind, Command: r.shown, Status: statusOf(r.res.Status), Reason: r.note, ExitCode: r.res.ExitCode,
		DurationMS: r.res.Duration.Milliseconds(), CPUMS: r.res.Resources.CPU.Milliseconds(), Stdout: output(r.res.Stdout), Stderr: output(r.res.Stderr), Cached: r.cached,
	}
}

func resources(r sandbox.Result) gate.Resources {
	return gate.Resources{CPUMS: r.Resources.CPU.Milliseconds(), MemoryBytes: r.Resources.Memory, Pids: r.Resources.Pids}
}

// end is how one unit ended.
type end struct {
	status gate.ExecutionStatus
	reason string
	code   int
}

// into adds the result of a unit to the execution of one of its targets, and
// returns how it ended.
func (r result) into(e *gate.Execution, kind string) end {
	ended := end{code: -1}
	for i, run := range r.runs {
		u, used := run.unit(kind), resources(run.res)
		e.Units = append(e.Units, u)
		e.Behaviour = merge(e.Behaviour, behaviour.Document(run.res.Behaviour), run.condition == "" && !run.met && !run.forwarded && !run.repeated)
		e.DurationMS += u.DurationMS
		e.Engine, e.Runtime, e.Image = run.res.Engine, run.res.Runtime, run.res.Image
		e.Resources.CPUMS += used.CPUMS
		e.Resources.MemoryBytes = max(e.Resources.MemoryBytes, used.MemoryBytes)
		e.Resources.Pids = max(e.Resources.Pids, used.Pids)
		for _, name := range run.standIns {
			if !slices.Contains(e.StandIns, name) {
				e.StandIns = append(e.StandIns, name)
			}
		}
		if run.repeated {
			continue // how the program ends was seen
		}
		if run.condition != "" || run.forwarded || run.kind != "" || run.supplied != "" || len(run.standIns) > 0 {
			continue // another world says nothing about how it ends in this one
		}
		// Asking for help comes after a failure that is on record; its success must
		// not look like that of the program.
		if i == 0 || rank(u.Status) > rank(ended.status) {
			ended = end{u.Status, run.note, u.ExitCode}
		}
	}
	switch {
	case r.missing != nil:
		return end{gate.ExecutionNotRun, r.lost, -1}
	case r.lost != "":
		return end{gate.ExecutionFailed, r.lost, -1}
	}
	return ended
}

// maxBehaviour bounds what the document holds of one file.
const maxBehaviour = 500

// merge adds what one more run did. What several runs did is one entry, and counts
// more only for a run in the same world.
func merge(all, more []gate.Behaviour, count bool) []gate.Behaviour {
	for _, m := range more {
		same := func(b gate.Behaviour) bool { return b.Kind == m.Kind && b.Detail == m.Detail }
		if i := slices.IndexFunc(all, same); i >= 0 {
			if count {
				all[i].Count += m.Count
			}
		} else if len(all) < maxBehaviour {
			all = append(all, m)
		}
	}
	return all
}

// worst returns the worst of the ends of the units of a target: by status, and
// among equal ones the first that is not a success.
func worst(ends []end) end {
	var w end
	for i, e := range ends {
		if i == 0 || rank(e.status) > rank(w.status) || e.status == w.status && w.code == 0 && e.code != 0 {
			w = e
		}
	}
	return w
}

func rank(s gate.ExecutionStatus) int {
	if n, ok := severityOf[s]; ok {
		return n
	}
	return len(severityOf) + 1
}

// output is what the result document holds of a stream.
func output(s sandbox.Stream) gate.Output {
	data, cut := s.Data, s.Truncated
	if len(data) > shownOutput {
		data, cut = data[:shownOutput], true
	}
	return gate.Output{Text: strings.ToValidUTF8(string(data), "\uFFFD"), Bytes: s.Bytes, Truncated: cut}
}
