package execute

import (
	"fmt"
	"time"

	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/ran"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/wasm"
)

// result is what the runs of one unit gave.
type result struct {
	runs     []run
	lost     string // why nothing can be said; a gap
	missing  *sandbox.MissingError
	needs    string       // what the program lacked, so that not all of it ran
	lacks    []string     // the modules that the program lacked
	stubbed  stubbedJob   // how it ran with something in their place
	supplied *suppliedRun // how it ran with what it asked for; nil where it did not
	unseen   string       // what of its behaviour is not known; a gap
	spared   string       // under which conditions it was not run, and why; a gap where everything has to run
	unneeded bool         // tests beside the nearest did not run, because every changed line had
	waited   []job.Job    // those that were ended while they waited
	before   *before      // what it did on the base; nil where that is not known
	// conditions are the other conditions under which it was run.
	conditions []conditioned
	late       string // what its runs did not get to in time; a gap where the layer is required
}

// stubbedJob is the last job of a unit in which stubs stood in for modules; the zero value is none.
type stubbedJob struct {
	job   job.Job
	names []string
}

// jobOf is what later rounds of a unit start: with something in the place of what it lacks, if it
// ran like that, because without it ends where it ended the first time.
func (r result) jobOf(u plan.Unit) job.Job {
	if len(r.stubbed.names) > 0 {
		return r.stubbed.job
	}
	return u.Job
}

// run is one container of a unit: the second one asked for help.
type run struct {
	shown []string // what people would type to start it
	pids  int64    // how many processes and threads it might have
	// newHost reports whether the base doesn't name a host; nil without a base.
	newHost func(string) bool
	// namedHost reports whether the base names a host; nil without a base.
	namedHost func(string) bool
	// memory and timeout are what it might use.
	memory  int64
	timeout time.Duration
	res     sandbox.Result
	note    string // in our words, what is to be known about the end
	// failure is what its output says of why it ended.
	failure ran.Failure
	// printed are the canaries that were in its output.
	printed []string
	// condition is what was different from an ordinary run, "" for nothing.
	condition string
	// met says that conditions were taken as met.
	met bool
	// extra are files that it found besides those of its unit.
	extra []workspace.File
	// repeated says that it ran once more as at first, to tell chance from a condition.
	repeated bool
	// forwarded says that its waits were skipped.
	forwarded bool
	// kind is what it was run as where that is not the kind of its unit.
	kind string
	// standIns are the modules that stand-ins replaced.
	standIns []string
	// supplied is what it got besides what was planned, "" for nothing.
	supplied string
	// refused is what the restricted mode did not let it do.
	refused []refusal
	// foreign is what a WebAssembly module imports besides WASI.
	foreign []wasm.Foreign
	// lines are those that ran.
	lines lines
	// early says that it was ended before its time was up, because it only waited.
	early bool
	// unasked is what of a server was not asked, "" for nothing.
	unasked string
	// cut is what is known of tests whose time was over; nil where they ended before.
	cut *cut
	// cached says that it is known from an earlier run.
	cached bool
}

// lines is what a run says of its lines, and of its end.
type lines struct {
	profile coverage.Profile
	shapes  coverage.Shapes
	reasons map[string]string // by path, "" for all: why not more is known
	counted bool              // the interpreter was to tell
	told    bool              // it did
	stopped *coverage.Stopped // why it ended, where it said so
}

// unseen says what of a behaviour is not known, "" where nothing is missing.
func unseen(seen sandbox.Behaviour) string {
	switch {
	case seen.Recorder == "":
		return "its behaviour was not recorded"
	case seen.Lost > 0:
		return fmt.Sprintf("%d events of its behaviour were not kept", seen.Lost)
	case seen.Unsearched > 0:
		return fmt.Sprintf("%d bytes of what it wrote were not searched for planted secrets", seen.Unsearched)
	}
	return ""
}

// failedOnItsOwn reports whether a program ended with an error, as one does that
// misses its arguments.
func failedOnItsOwn(r sandbox.Result) bool {
	return r.Status == sandbox.Exited && r.ExitCode > 0 && r.ExitCode < 126
}
