package plan

import (
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// Further are runs of tests that no unit has run yet, for targets of which lines did not run:
// those that import such a file first, then those that reach it through others, then the rest
// of its project, and of each the ones first that mention what is on the missing lines; at most
// limit files for each target. Of Go, all tests of a package have run.
func Further(t *workspace.Tree, targets []*gate.Target, commands map[string]string, base fs.FS, have []Unit, missing map[string]gate.LineSet, limit int) []Unit {
	p := planned(t, targets, commands, base)
	done := map[string]bool{}
	for _, u := range have {
		if u.Kind != Tests {
			continue
		}
		for _, arg := range u.Job.Args {
			done[path.Join(u.Dir, arg)] = true
		}
	}
	p.plan, p.tests, p.order, p.far = Plan{Reasons: map[string]NotRun{}}, map[string]*testGroup{}, nil, map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(missing)) {
		if p.targets[file] == nil {
			continue
		}
		only := *p.targets[file]
		only.Lines = missing[file] // whose words tell which tests are likely
		p.targets[file] = &only
		furtherFor(p, file, done, limit)
	}
	p.finishTests()
	linkWorkspace(t, p.plan.Units)
	for i := range p.plan.Units {
		p.plan.Units[i].Further = true
	}
	return p.plan.Units
}

// furtherFor puts the likeliest tests that have not run into runs.
func furtherFor(p *planner, file string, done map[string]bool, limit int) {
	add := func(tests []string, run func(test string)) {
		n := 0
		for _, test := range tests {
			if done[test] || p.tree.Withheld[test] || n == limit {
				continue
			}
			run(test)
			n++
		}
	}
	switch importKind(file) {
	case "python":
		project, _ := p.tree.Above(workspace.Parent(file), pythonProjectFiles...)
		test := func(f string) bool {
			return below(project, f) && pythonTestPath.MatchString(f) && isPythonTest(f, p.tree.Text(f))
		}
		if !test(file) {
			add(likeliest(p, file, test), func(f string) { p.pythonTest(f, file) })
		}
	case "node":
		project, _ := p.tree.Above(workspace.Parent(file), "package.json")
		test := func(f string) bool {
			return below(project, f) && p.runners.isTest(project, f) && p.runners.takes(project, f)
		}
		if !test(file) && len(p.runners.built(project, file)) == 0 {
			add(likeliest(p, file, test), func(f string) { p.nodeTest(project, f, file) })
		}
	}
}

// below reports whether a file lies in a folder, "" for the root.
func below(dir, file string) bool {
	return dir == "" || len(file) > len(dir) && file[:len(dir)] == dir && file[len(dir)] == '/'
}

// likeliest are the tests of a project, those first that are likely to run what is missing of
// a file.
func likeliest(p *planner, file string, test func(string) bool) []string {
	kind := importKind(file)
	var rest []string
	for _, f := range p.tree.Files {
		if f.Link == "" && importKind(f.Path) == kind && f.Path != file && test(f.Path) {
			rest = append(rest, f.Path)
		}
	}
	direct := slices.DeleteFunc(p.importers.of(file), func(f string) bool { return !test(f) })
	var out []string
	for _, group := range [][]string{p.ranked(file, direct), p.ranked(file, p.importers.through(file, test)), p.ranked(file, rest)} {
		for _, f := range group {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}
