package job

import (
	"cmp"
	_ "embed"
	"fmt"
	"time"
)

// A run of tests has a budget of time. The runner itself ends when it is over, so that
// it tells which lines ran until then, and what it was doing. It measures from its start,
// by a clock that the supervisor's own confirms afterwards, and leaves out the time in which
// others kept it from a processor, as [sandbox.HeldFile] says.

// The files in which it is told how tests ended, in [CoverFolder]. The program can forge
// them, as it can forge which lines ran.
const (
	TestsPrefix  = "tests-"                // begins their names
	TestsNearest = TestsPrefix + "nearest" // is there when the nearest tests have ended
	// TestsOthers is there when the tests beside the nearest ended because of their own bound.
	TestsOthers = TestsPrefix + "others"
	// TestsRunning begins the names of the files that say what ran at the end.
	TestsRunning = TestsPrefix + "running-"
)

// The variables that tell tests of Go how long they may take: all of them, and of these the
// ones beside the nearest, which do not end while they are in one of some files.
const (
	goBudget   = "GATE_TESTS_FOR"
	goOthers   = "GATE_TESTS_OTHERS_FOR"
	goChanging = "GATE_TESTS_NOT_IN"
)

// stretched is how many times its budget a run of tests takes at most, when others keep it from
// a processor. Until then the supervisor tells the command that is around it when to end.
const stretched = 4

// Budget is how long a run of tests may take, and which of them come first.
type Budget struct {
	All time.Duration // for all of them
	// Others is how long tests go on after the nearest have ended: in Python also after the
	// last one that ran a changed line as the first. 0 is as long as All. It ends between
	// two tests, or where no file of Targets runs. Bats has such an end behind tests that the
	// change edits, at once; Node has none.
	Others time.Duration
	// Shown takes the place of Others where every changed line has run; 0 is no other time. Tests
	// of Go do not know which lines ran, and have this time in any case.
	Shown time.Duration
	// NearestOnly ends the run when the nearest tests have ended.
	NearestOnly bool
	Near        []string            // those of the arguments that are the tests nearest to the change
	Edited      map[string][][2]int // lines of test files that the change edits, from and to
	Changed     map[string][][2]int // lines of other files that it edits, by file; none for all of them
	Targets     []string            // its files
	Words       []string            // names on the lines of Changed: tests that mention them run before others of their file
}

//go:embed bootstrap/budget_test.go.txt
var goBudgetTest string

// GoBudgetTest is a file for a package that is tested: it ends the tests when their
// budget is over. It has an init function and no name of its own.
func GoBudgetTest(name string) []byte {
	return fmt.Appendf(nil, "package %s\n\n%s", name, goBudgetTest)
}

// Budgeted returns a job of tests that ends after some time.
func (j Job) Budgeted(b Budget) (Job, error) {
	switch p := j.Program.(type) {
	case Python:
		p.Budget, p.Near, p.Edited = b.All.Seconds(), b.Near, b.Edited
		p.Others, p.Shown, p.NearestOnly, p.Changed, p.Words = b.Others.Seconds(), b.Shown.Seconds(), b.NearestOnly, b.Changed, b.Words
		j.Program = p
	case Node:
		p.Budget = b.All
		j.Program = p
	case GoTests:
		p.Budget, p.Others, p.NearestOnly = b.All, cmp.Or(b.Shown, b.Others), b.NearestOnly
		if p.NotIn = b.Targets; len(b.Targets) > maxMeasured {
			p.Others = 0 // they don't fit into a variable
		}
		j.Program = p
	case Bats:
		p.Budget, p.Others, p.NearestOnly = b.All, b.Others, b.NearestOnly
		j.Program = p
	default:
		return Job{}, &NotApplicable{"nothing ends it in " + string(j.Image)}
	}
	return j, nil
}
