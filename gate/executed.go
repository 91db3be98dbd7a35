package gate

import (
	"cmp"
	"slices"
)

// Executed sums up how much of a change the sandbox ran. Like the counts that it adds up
// it rests on what interpreters say, which the program under test can forge.
type Executed struct {
	// Lines and Of are the changed lines with code that ran and those that there are, of
	// Files in which they were measured.
	Lines int `json:"lines"`
	Of    int `json:"of"`
	Files int `json:"files"`
	// Unmeasured is how many files ran without anybody counting their lines.
	Unmeasured int `json:"unmeasured,omitempty"`
	// Unrun are the files that hold something to execute and did not run, or not to
	// their end, by the reason; the reason of most files first.
	Unrun []Unrun `json:"unrun,omitempty"`
}

// Unrun is why files of a change did not run. Reason may name what the change names, and
// is hostile.
type Unrun struct {
	Reason string `json:"reason"`
	Files  int    `json:"files"`
	Path   string `json:"path"` // of the first of them
}

// maxLines bounds the count of one file, so that no sum of them overflows.
const maxLines = 1 << 30

// Lines are the changed lines with code and those of them that ran; ok is false where
// nothing was measured, or where the counts cannot be true.
func (e *Execution) Lines() (executed, executable int, ok bool) {
	executed, ok = e.Coverage["executed"]
	executable, also := e.Coverage["executable"]
	return executed, executable, ok && also && executed >= 0 && executed <= executable && executable <= maxLines
}

// ended reports whether a program ran until it was at its end or was stopped there.
func (s ExecutionStatus) ended() bool {
	switch s {
	case ExecutionExited, ExecutionTimeout, ExecutionWaiting, ExecutionServing, ExecutionOOM, ExecutionKilled:
		return true
	}
	return false
}

// SumUp adds up what ran of the files of a result.
func SumUp(files []FileResult) Executed {
	var sum Executed
	for i := range files {
		f := &files[i]
		e := f.Execution
		if e == nil || !e.Runnable && !e.Status.ended() && !e.Status.Interrupted() {
			continue
		}
		executed, executable, measured := e.Lines()
		switch {
		case measured && executable > 0:
			sum.Lines, sum.Of, sum.Files = sum.Lines+executed, sum.Of+executable, sum.Files+1
		case !measured && e.Status.ended():
			sum.Unmeasured++
		}
		if whole := measured && executed == executable; !e.Status.ended() && !whole {
			sum.unrun(e.Reason, f.Path)
		}
	}
	slices.SortStableFunc(sum.Unrun, func(a, b Unrun) int { return cmp.Compare(b.Files, a.Files) })
	return sum
}

func (x *Executed) unrun(reason, path string) {
	i := slices.IndexFunc(x.Unrun, func(u Unrun) bool { return u.Reason == reason })
	if i < 0 {
		x.Unrun = append(x.Unrun, Unrun{Reason: reason, Files: 1, Path: path})
		return
	}
	x.Unrun[i].Files++
}

// Nothing reports whether none of the change ran.
func (x Executed) Nothing() bool { return x.Lines == 0 && x.Unmeasured == 0 }

// whatRan says of a sandbox that completed whether it executed any of the change: one
// that did not is idle, and says why.
func whatRan(layers []LayerResult, x Executed) []LayerResult {
	for i, l := range layers {
		switch {
		case l.Name != LayerSandbox || !l.Status.Completed():
		case !x.Nothing():
			layers[i].Status, layers[i].Reason = LayerRan, ""
		case x.Of == 0 && len(x.Unrun) == 0:
			layers[i].Status, layers[i].Reason = LayerIdle, "the change has nothing to execute"
		default:
			layers[i].Status, layers[i].Reason = LayerIdle, "none of the change was executed"
		}
	}
	return layers
}
