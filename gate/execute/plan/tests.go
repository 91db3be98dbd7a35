package plan

import (
	"cmp"
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
	// builds says that the runner first makes files, which takes its time in each run.
	builds    bool
	forTarget map[string][]string // the files by target
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
		if g.forTarget == nil {
			g.forTarget = map[string][]string{}
		}
		g.forTarget[target] = append(g.forTarget[target], file)
		return
	}
}

// otherRunner is in the key of a group of tests for a runner that is not known.
const otherRunner = "\x00other"

// maxLikeliest are how many files of tests count as the nearest where all of them only import
// a file of the change.
const maxLikeliest = 3

// nearFirst orders the files of a run, those of the change first and then the others that are
// nearest to it, and returns both.
func nearFirst(p *planner, g *testGroup) []string {
	distance := func(f string) int {
		switch {
		case p.targets[f] != nil:
			return 0
		case !isFar(p, f):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(g.files, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	var out []string
	for _, f := range g.files {
		if !isFar(p, f) {
			out = append(out, f)
		}
	}
	if out == nil {
		out = slices.Clone(g.files[:min(len(g.files), maxLikeliest)])
	}
	return out
}

// isFar reports whether a file of tests only imports a file of the change.
func isFar(p *planner, file string) bool { return p.far[file] && p.targets[file] == nil }

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
	var others []*testGroup
	reached := reachedNear(p)
	for _, k := range p.order {
		g := p.tests[k]
		near, unnamed := nearFirst(p, g), len(g.files) == 0
		if g.anyOrder {
			g.files = g.files[:min(len(g.files), len(near)+maxFarTests)]
		}
		switch g.unit.Job.Program.(type) {
		case job.Node, job.Bats:
			rest := apart(p, g, reached)
			near = g.files
			if len(rest.files) > 0 && !g.builds {
				others = append(others, rest)
			}
		}
		if unnamed || len(g.files) > 0 {
			p.add(ofTests(p, g, near))
		}
	}
	for _, g := range others {
		p.add(ofTests(p, g, nil))
	}
}

// reachedNear are the targets that some test nearest to the change is for, of a runner that is known.
func reachedNear(p *planner) map[string]bool {
	out := map[string]bool{}
	for k, g := range p.tests {
		if strings.Contains(k, otherRunner) {
			continue
		}
		for t, files := range g.forTarget {
			out[t] = out[t] || slices.ContainsFunc(files, func(f string) bool { return !isFar(p, f) })
		}
	}
	return out
}

// ofTests is a run of the files of a group; near are those nearest to the change.
func ofTests(p *planner, g *testGroup, near []string) Unit {
	u := g.unit
	for _, f := range g.files {
		u.Job = u.Job.With(Relative(g.from, f))
	}
	for _, f := range near {
		u.Near = append(u.Near, Relative(g.from, f))
	}
	u.Edited = editedIn(p.targets, g.files)
	u.Changed, u.Words = changedIn(p, u.Targets, g.files)
	if b, ok := u.Job.Program.(job.Bats); ok {
		b.First = editedTests(p.tree, u.Edited)
		u.Job.Program = b
	}
	return u
}

// apart takes out of a group the files that are not nearest to the change, for a run of their
// own: runners of Node and Bats can only be ended as a whole. A target without any that is nearest
// has the likeliest instead, and is reached by them. Where the group's run makes files
// first there is no such run: those tests run where lines of the change have not.
func apart(p *planner, g *testGroup, reached map[string]bool) *testGroup {
	near := map[string]bool{}
	for target, files := range g.forTarget {
		files = slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !slices.Contains(g.files, f) })
		nearest := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return isFar(p, f) })
		if !reached[target] && len(files) > 0 {
			nearest, reached[target] = files[:min(len(files), maxLikeliest)], true
		}
		for _, f := range nearest {
			near[f] = true
		}
	}
	others := *g
	others.files, others.unit.Beside, others.unit.Further = nil, true, true
	others.unit.Targets = nil
	var kept []string
	for _, f := range g.files {
		if near[f] {
			kept = append(kept, f)
			continue
		}
		others.files = append(others.files, f)
	}
	for _, t := range g.unit.Targets {
		if slices.ContainsFunc(g.forTarget[t], func(f string) bool { return slices.Contains(others.files, f) }) {
			others.unit.Targets = append(others.unit.Targets, t)
		}
	}
	g.files = kept
	return &others
}
