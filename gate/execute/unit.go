package execute

import (
	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// The kinds of units.
const (
	kindScript = "script" // run as a program
	kindModule = "module" // imported
	kindTests  = "tests"  // the runner that the repository uses
	kindHook   = "hook"   // what an installer or a build would run
	kindPolicy = "policy" // the command that the policy names
)

// unit is one program to run for one or more targets.
type unit struct {
	kind    string
	image   gate.Language // whose image; JavaScript stands for TypeScript too
	targets []string      // paths of the targets that it runs
	argv    []string
	help    []string // what to run when argv fails because it wants arguments; nil for nothing
	dir     string   // slash-separated, relative to the workspace
	env     []string
	extra   []workspace.File // files that only this unit finds in its workspace
	recipe  bool             // lines of a Dockerfile or a Makefile, which are there to change the system
}

// plan is what becomes of every target: it is in units, or there is a reason why
// not.
type plan struct {
	units  []unit
	reason map[string]notRun
}

// notRun says why a target is in no unit.
type notRun struct {
	reason string
	// program says that the target is something that runs elsewhere, as opposed to
	// a document or data.
	program bool
	// lost says that it would have been run and something of ours was in the way:
	// a gap, whatever the policy says.
	lost bool
}

func nothing(reason string) notRun { return notRun{reason: reason} }
func cannot(reason string) notRun  { return notRun{reason: reason, program: true} }
func lost(reason string) notRun    { return notRun{reason: reason, program: true, lost: true} }

// planner collects the units of a change.
type planner struct {
	tree  *workspace.Tree
	named map[string][]string // paths by base name
	plan  plan
	tests map[string]*testGroup // by project and runner
	order []string              // of tests
	goes  *goPlanner
}

func (p *planner) add(u unit) { p.plan.units = append(p.plan.units, u) }

func (p *planner) skip(path string, n notRun) {
	if _, ok := p.plan.reason[path]; !ok {
		p.plan.reason[path] = n
	}
}
