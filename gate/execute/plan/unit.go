package plan

import (
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
)

// The kinds of units.
const (
	Script = "script" // run as a program
	Module = "module" // imported
	Tests  = "tests"  // the runner that the repository uses
	Hook   = "hook"   // what an installer or a build would run
	Policy = "policy" // the command that the policy names
)

// Unit is one program to run for one or more targets.
type Unit struct {
	Kind    string
	Targets []string // paths of the targets that it runs
	Job     job.Job
	// Help says that it is run once more, with --help, when it fails because it wants
	// arguments.
	Help  bool
	Dir   string           // slash-separated, relative to the workspace
	Extra []workspace.File // files that only this unit finds in its workspace
	// Tests are those of its run that are known by name, and Near those of them that are
	// nearest to the change and run first.
	Tests, Near []string
	// Edited are the lines of its files of tests that the change edits, from and to, by
	// file; a file of which all is new is not there.
	Edited map[string][][2]int
	// Changed are the lines of its other targets that the change edits, from and to, by file,
	// none where all is new, and Words names on them.
	Changed map[string][][2]int
	Words   []string
	// Left is what belongs to how the project runs these tests and was not followed.
	Left []string
	// Further says that its tests run besides those that the plan has, because lines of the
	// change had not run.
	Further bool
	// Beside says that of those its tests come right after the nearest, for a part of the time.
	Beside bool
	Recipe bool // lines of a Dockerfile or a Makefile, which are there to change the system
}

// Plan says for every target which units run it, or why none does.
type Plan struct {
	Units   []Unit
	Reasons map[string]NotRun
}

// NotRun says why a target is in no unit.
type NotRun struct {
	Reason string
	// Program says that the target is something that runs elsewhere, as opposed to
	// a document or data.
	Program bool
	// Lost says that it would have been run and something of ours was in the way:
	// a gap, whatever the policy says.
	Lost bool
}

func nothing(reason string) NotRun { return NotRun{Reason: reason} }
func cannot(reason string) NotRun  { return NotRun{Reason: reason, Program: true} }
func lost(reason string) NotRun    { return NotRun{Reason: reason, Program: true, Lost: true} }
