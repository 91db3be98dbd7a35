package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
)

// testGroup is one run of a test runner.
type testGroup struct {
	unit  Unit // without the files behind its arguments
	files []string
	from  string // folder that the files are named from
	// anyOrder says that the runner takes the files in an order of its own.
	anyOrder bool
}

// maxFarTests bounds the tests that only import a file of the change, where there are
// nearer ones and the runner does not run these first.
const maxFarTests = 5

// maxTestFiles bounds one run of a test runner, so that one that hangs does not
// take the time of all others with it.
const maxTestFiles = 25

// addTest puts a test file into the run of its runner, on behalf of a target.
func (p *planner) addTest(key string, target, file string, make func() testGroup) {
	for n := 0; ; n++ {
		k := key + strings.Repeat("\x00+", n)
		g := p.tests[k]
		if g == nil {
			made := make()
			g = &made
			p.tests[k] = g
			p.order = append(p.order, k)
		}
		if len(g.files) >= maxTestFiles && !slices.Contains(g.files, file) {
			continue
		}
		if file != "" && !slices.Contains(g.files, file) {
			g.files = append(g.files, file)
		}
		if !slices.Contains(g.unit.Targets, target) {
			g.unit.Targets = append(g.unit.Targets, target)
		}
		return
	}
}

// maxLikeliest are how many files of tests count as the nearest where all of them only import
// a file of the change.
const maxLikeliest = 3

// nearFirst orders the files of a run, the nearest to the change first, and returns those.
func nearFirst(p *planner, g *testGroup) []string {
	far := func(file string) bool { return p.far[file] && p.targets[file] == nil }
	slices.SortStableFunc(g.files, func(a, b string) int {
		switch {
		case far(a) == far(b):
			return 0
		case far(b):
			return -1
		}
		return 1
	})
	var out []string
	for _, f := range g.files {
		if !far(f) {
			out = append(out, Relative(g.from, f))
		}
	}
	if out == nil {
		for _, f := range g.files[:min(len(g.files), maxLikeliest)] {
			out = append(out, Relative(g.from, f))
		}
	}
	return out
}

// maxEdited bounds the ranges of lines that a run of tests is told of: more are as a file
// of which all is new.
const maxEdited = 200

// editedIn are the lines of files that the change edits.
func editedIn(targets map[string]*gate.Target, files []string) map[string][][2]int {
	var out map[string][][2]int
	for _, f := range files {
		t := targets[f]
		if t == nil || t.Lines.All() || len(t.Lines.Ranges()) > maxEdited {
			continue
		}
		if out == nil {
			out = map[string][][2]int{}
		}
		out[f] = [][2]int{}
		for _, r := range t.Lines.Ranges() {
			out[f] = append(out[f], r)
		}
	}
	return out
}

// maxChangedLine bounds the lines of a file whose numbers a run of tests is told.
const maxChangedLine = 100_000

// changedIn are the lines of targets that the change edits, but for those of some files of
// tests, and names on them.
func changedIn(p *planner, targets, tests []string) (lines map[string][][2]int, words []string) {
	all := map[string]bool{}
	lines = map[string][][2]int{}
	for _, t := range targets {
		target := p.targets[t]
		if target == nil || slices.Contains(tests, t) {
			continue
		}
		lines[t] = [][2]int{}
		if r := target.Lines.Ranges(); len(r) > 0 && len(r) <= maxEdited && r[len(r)-1][1] <= maxChangedLine {
			for _, one := range r {
				lines[t] = append(lines[t], one)
			}
		}
		maps.Copy(all, editedWords(p.tree.Text(t), target))
	}
	words = slices.Sorted(maps.Keys(all))
	return lines, words[:min(len(words), maxEditedWords)]
}

func (p *planner) finishTests() {
	for _, k := range p.order {
		g := p.tests[k]
		near := nearFirst(p, g)
		if g.anyOrder {
			g.files = g.files[:min(len(g.files), len(near)+maxFarTests)]
		}
		for _, f := range g.files {
			g.unit.Job = g.unit.Job.With(Relative(g.from, f))
		}
		g.unit.Near, g.unit.Edited = near, editedIn(p.targets, g.files)
		g.unit.Changed, g.unit.Words = changedIn(p, g.unit.Targets, g.files)
		if b, ok := g.unit.Job.Program.(job.Bats); ok {
			b.First = editedTests(p.tree, g.unit.Edited)
			g.unit.Job.Program = b
		}
		p.add(g.unit)
	}
}
