package ran

import (
	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
)

// Evidence is what the runs of one file left.
type Evidence struct {
	Path    string
	Changed gate.LineSet
	// Lines are those with code, and whether they ran; nil where nothing told of them.
	Lines coverage.Lines
	Shape coverage.Shape
	Runs  []Run
	// Source returns the text of a file of the tree, "" for one that is not there.
	Source func(path string) string
}

// Run is one run that the file took part in, in the world that the change is for.
type Run struct {
	Tests bool // a runner of tests was started
	Code  int  // its exit code
	// Counted says that its interpreter was to tell which lines ran, and Told that it
	// did.
	Counted, Told bool
	// Direct says that its interpreter was started for the file itself, so that it tells
	// something of it or was kept from that.
	Direct bool
	// Compiled says that the file is a part of one program with others: what told of one
	// of them has all of them.
	Compiled bool
	Stopped  *coverage.Stopped // nil where nothing is known of its end
	Failure  Failure           // what the output says
}

// Failure is what the output of a run says about why it ended.
type Failure struct {
	Status gate.ExecutionStatus // "" for nothing
	Reason string
	File   string
	Line   int
	// Lacks is a module or a command that is not there.
	Lacks string
}

// Verdict says whether a file ran.
type Verdict struct {
	Status gate.ExecutionStatus
	Reason string
	// By is the file that ended the program or cannot be loaded, and Line a line of it.
	By   string
	Line int
	// Lacks is a module or a command that is not there.
	Lacks string
	// Deliberate says that By ends the program whatever it is started for.
	Deliberate bool
	// Refused says that it ended itself, under a condition or where it was called.
	Refused bool
}

// Ran reports whether the file ran.
func (v Verdict) Ran() bool { return v.Status == gate.ExecutionExited }
