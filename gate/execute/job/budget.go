package job

import (
	_ "embed"
	"fmt"
	"time"
)

// A run of tests has a budget of time. The runner itself ends when it is over, so that
// it tells which lines ran until then, and what it was doing. It measures from its start,
// by a clock that the supervisor's own confirms afterwards.

// The files in which it is told how tests ended, in [CoverFolder]. The program can forge
// them, as it can forge which lines ran.
const (
	TestsPrefix  = "tests-"                // begins their names
	TestsNearest = TestsPrefix + "nearest" // is there when the nearest tests have ended
	// TestsRunning begins the names of the files that say what ran at the end.
	TestsRunning = TestsPrefix + "running-"
)

// goBudget is the variable that tells tests of Go how long they may take.
const goBudget = "GATE_TESTS_FOR"

//go:embed bootstrap/budget_test.go.txt
var goBudgetTest string

// GoBudgetTest is a file for a package that is tested: it ends the tests when their
// budget is over. It has an init function and no name of its own.
func GoBudgetTest(name string) []byte {
	return fmt.Appendf(nil, "package %s\n\n%s", name, goBudgetTest)
}

// Budgeted returns a job of tests that ends after some time. near are those of its
// arguments that are the tests nearest to the change, and edited the lines of test files
// that it edits, from and to.
func (j Job) Budgeted(budget time.Duration, near []string, edited map[string][][2]int) (Job, error) {
	switch p := j.Program.(type) {
	case Python:
		p.Budget, p.Near, p.Edited = budget.Seconds(), near, edited
		j.Program = p
	case Node:
		p.Budget = budget
		j.Program = p
	case GoTests:
		p.Budget = budget
		j.Program = p
	case Bats:
		p.Budget = budget
		j.Program = p
	default:
		return Job{}, &NotApplicable{"nothing ends it in " + string(j.Image)}
	}
	return j, nil
}
