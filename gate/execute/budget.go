package execute

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// Tests end themselves when their budget is over, and tell which lines ran and what they
// were doing. What they did until then counts in full. What the budget left out is a
// note, and a gap where everything has to run; but where code of the change was running
// at the end, or not all of the nearest tests had ended, they are as any program whose
// time was up.

// cut is what is known of tests whose time was over.
type cut struct {
	budget  time.Duration
	total   int // tests, 0 where that is not known
	ended   int
	left    []string // some of those that did not end
	done    []string // those of Go that did
	running []string // targets on a stack at the end
	near    bool     // the nearest tests have ended
	told    bool     // it said what was running
	edited  bool     // the tests with edited lines have ended, where there are any
	late    string   // what was not seen of the change, "" for nothing
	lacks   []string // the modules for want of which tests failed that are nearest to the change
	beside  []string // the files of a run of tests of which none is nearest
	others  bool     // only the tests beside the nearest had no more time
	slow    bool     // that is only that not all of the nearest tests had ended
}

// over reports whether tests ended because their time was over, by the supervisor's
// clock: nothing that the program says counts, but that the time of those beside the nearest
// was over.
func (p prepared) over(res sandbox.Result) bool {
	return p.budget > 0 && res.Status == sandbox.Exited && (res.Duration >= p.budget || p.othersOver(res) || p.endedByTimeout(res))
}

// endedByTimeout reports whether timeout(1), which ends the tests of Bats, did so. Its clock and the
// supervisor's differ by some of the time that a busy machine takes to start a program.
func (p prepared) endedByTimeout(res sandbox.Result) bool {
	_, bats := p.job.Program.(job.Bats)
	return bats && res.ExitCode == timeoutCode && res.Duration >= p.budget-p.budget/10
}

// timeoutCode is the exit code of timeout(1) when the time was over.
const timeoutCode = 124

// othersOver reports whether only the tests beside the nearest had no more time.
func (p prepared) othersOver(res sandbox.Result) bool {
	if _, bats := p.job.Program.(job.Bats); bats {
		return p.others > 0 && res.Duration >= p.others && res.Duration < p.budget && slices.ContainsFunc(res.Files, func(f sandbox.File) bool {
			return f.Path == job.CoverFolder+"/"+job.TestsOthers
		})
	}
	return p.others > 0 && (res.Duration >= p.others || p.job.NearestOnly) && res.Duration < p.budget && slices.ContainsFunc(res.Files, func(f sandbox.File) bool {
		return strings.HasPrefix(f.Path, job.CoverFolder+"/"+job.TestsRunning)
	})
}

// beside reports whether a run is one of tests beside the nearest, with less time than all have.
func (p prepared) beside() bool { return p.unit.Beside && p.others > 0 }

// cut reads what tests told when their time was over.
func (o observer) cut(p prepared, res sandbox.Result) *cut {
	c := &cut{budget: p.budget, others: p.othersOver(res) || p.beside()}
	if p.beside() {
		c.beside = slices.DeleteFunc(slices.Clone(p.job.Args), func(arg string) bool { return !o.tree.Has(path.Join(p.unit.Dir, arg)) })
	}
	running := map[string]bool{}
	for _, f := range res.Files {
		name, ok := strings.CutPrefix(f.Path, job.CoverFolder+"/")
		if !ok || o.tree.Has(f.Path) {
			continue
		}
		switch {
		case name == job.TestsNearest:
			c.near = true
		case !strings.HasPrefix(name, job.TestsRunning):
		case p.job.Image == gate.LanguagePython:
			c.python(f.Data, running)
		default:
			c.told = true
			for _, file := range placesIn(f.Data) {
				running[file] = true
			}
		}
	}
	if p.job.Image == gate.LanguageGo {
		c.golang(p.unit, res.Stdout)
	}
	if b, ok := p.job.Program.(job.Bats); ok {
		c.bats(o.tree, p.unit, b, res.Stdout)
	}
	if p.job.Image == gate.LanguageJavaScript {
		// Nothing tells what waits in a process of Node, so all that it loaded counts.
		for file, lines := range linesOf(o, p, res) {
			running[file] = running[file] || lines
		}
	}
	for _, t := range p.unit.Targets {
		if running[t] {
			c.running = append(c.running, t)
		}
	}
	after := "still running after " + res.Duration.Round(time.Millisecond).String()
	switch {
	case !c.told:
		c.late = after + ": what comes later was not seen"
	case len(c.running) > 0:
		c.late = after + ", in " + c.running[0] + ": what comes later was not seen"
	case !c.near && !wholeScript(p.unit):
		c.late, c.slow = after+", and not all of the nearest tests had ended: what comes later was not seen", c.editedEnded(p.unit)
	}
	return c
}

// editedEnded reports whether no test of the change was left out: of its files of tests, only
// some tests are edited, and those have ended.
func (c *cut) editedEnded(u plan.Unit) bool {
	return !slices.ContainsFunc(u.Targets, func(t string) bool {
		_, some := u.Edited[t]
		isTest := strings.HasSuffix(t, "_test.go") || slices.Contains(u.Job.Args, plan.Relative(u.Dir, t))
		return isTest && !(some && c.edited)
	})
}

// wholeScript reports whether a unit is the test script that a manifest of the change names:
// it runs all tests, and none of them is nearest to a manifest.
func wholeScript(u plan.Unit) bool {
	return !slices.ContainsFunc(u.Targets, func(t string) bool { return path.Base(t) != "package.json" })
}

func linesOf(o observer, p prepared, res sandbox.Result) map[string]bool {
	out := map[string]bool{}
	for file := range o.lines(p, res).profile {
		out[file] = true
	}
	return out
}

// maxPlaces bounds the places that are read of one process.
const maxPlaces = 10_000

var placeInTree = regexp.MustCompile(regexp.QuoteMeta(sandbox.Workspace+"/") + `([^\n:]{1,500})(?::\d+|\n|$)`)

// placesIn are the files of the tree that are in the stacks of a program.
func placesIn(stack []byte) []string {
	var out []string
	for _, m := range placeInTree.FindAllSubmatch(stack[:min(len(stack), 1<<20)], maxPlaces) {
		out = append(out, path.Clean(string(m[1])))
	}
	return out
}

// python reads what the start of a Python program says of its tests.
func (c *cut) python(data []byte, running map[string]bool) {
	var told struct {
		Running      []string `json:"running"`
		Total, Ended int
		Left, Lacks  []string
		Near, Edited bool
	}
	if len(data) > 1<<20 || json.Unmarshal(data, &told) != nil || told.Total < 0 || told.Ended < 0 || told.Ended > told.Total || len(told.Running) > maxPlaces {
		return
	}
	c.told, c.near, c.edited, c.total, c.ended = true, told.Near, told.Edited, told.Total, told.Ended
	for _, l := range told.Left[:min(len(told.Left), maxLeftOut)] {
		c.left = append(c.left, gate.Clip(strings.ToValidUTF8(l, "\uFFFD"), 200))
	}
	for _, name := range told.Lacks[:min(len(told.Lacks), maxReplaced)] {
		if pythonName.MatchString(name) {
			c.lacks = append(c.lacks, name)
		}
	}
	for _, f := range told.Running {
		running[path.Clean(f)] = true
	}
}

var pythonName = regexp.MustCompile(`^\w{1,100}$`)

var goEnded = regexp.MustCompile(`(?m)^--- (?:PASS|FAIL|SKIP): (\w+) \(`)

// golang counts tests by what the go command printed.
func (c *cut) golang(u plan.Unit, out sandbox.Stream) {
	ended := map[string]int{}
	for _, m := range goEnded.FindAllSubmatch(out.Data, -1) {
		ended[string(m[1])]++
	}
	// Without a test that is known to reach the change there is nothing to go by.
	c.near = len(u.Near) > 0 && (c.near || !slices.ContainsFunc(u.Near, func(t string) bool { return ended[t] == 0 }))
	if out.Truncated {
		return
	}
	c.total = len(u.Tests)
	for _, t := range u.Tests {
		if ended[t] > 0 {
			ended[t]--
			c.ended++
			c.done = append(c.done, t)
		} else if len(c.left) < maxLeftOut {
			c.left = append(c.left, t)
		}
	}
}

// maxLeftOut is how many tests are named.
const maxLeftOut = 5

// says is the note about tests whose time was over.
func (c *cut) says() string {
	text := fmt.Sprintf("the tests were ended after %s", c.budget)
	switch {
	case len(c.beside) > 0:
		text = fmt.Sprintf("tests that are not nearest to the change were ended after %s: %s", c.budget, strings.Join(c.beside[:min(len(c.beside), maxLeftOut)], ", "))
		if more := len(c.beside) - maxLeftOut; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return text
	case c.others && c.total > 0:
		text = fmt.Sprintf("%d of %d tests ran: those that are nearest to the change, and others for a while", c.ended, c.total)
	case c.others:
		text = "tests that are not nearest to the change were ended"
	case c.total > 0:
		text = fmt.Sprintf("%d of %d tests ran within %s", c.ended, c.total, c.budget)
	}
	if len(c.left) == 0 {
		return text
	}
	text += "; not run: " + strings.Join(c.left[:min(len(c.left), maxLeftOut)], ", ")
	if more := c.total - c.ended - min(len(c.left), maxLeftOut); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// slow is the run of tests whose time was over before the nearest had ended, where nothing else
// was not seen of them; nil for none.
func (r result) slow() *run {
	for i := range r.runs {
		if one := &r.runs[i]; one.condition == "" && one.kind == "" && !one.forwarded && !one.repeated && one.cut != nil && one.cut.slow && r.late == one.cut.late {
			return one
		}
	}
	return nil
}

// othersCut reports whether tests beside the nearest had no more time.
func (r result) othersCut() bool {
	return slices.ContainsFunc(r.runs, func(one run) bool { return one.condition == "" && one.cut != nil && one.cut.others })
}

// leftOut is what the budgets of a unit's tests left out, "" for nothing.
func leftOut(r result) string {
	text := ""
	for _, one := range r.runs {
		if one.cut != nil && one.condition == "" && !one.repeated {
			text = cmp.Or(text, one.cut.says())
		}
		if one.forwarded && one.res.Status == sandbox.Exited && one.cut == nil {
			text = "" // the same tests came to their end without their waits
		}
	}
	return text
}
