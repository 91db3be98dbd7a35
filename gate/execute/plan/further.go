package plan

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
)

// Further are runs of tests that no unit has run yet, for targets of which lines did not run:
// those that import such a file first, then those that reach it through others, then the rest
// of its project, and of each the ones first that mention what is on the missing lines; at most
// limit files for each target. Of Go, all tests of a package have run: further ones are those of the packages that lead
// to it by the fewest imports. A script of a shell is run by further files of tests for Bats.
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
		if strings.HasSuffix(file, ".go") {
			furtherGo(p.goes, file, slices.Concat(have, p.plan.Units))
			continue
		}
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
	left := func(test func(string) bool) func(string) bool {
		return func(f string) bool { return !done[f] && test(f) }
	}
	switch importKind(file) {
	case "python":
		project, _ := p.tree.Above(workspace.Parent(file), pythonProjectFiles...)
		test := func(f string) bool {
			return below(project, f) && pythonTestPath.MatchString(f) && isPythonTest(f, p.tree.Text(f))
		}
		if !test(file) {
			add(likeliest(p, file, left(test)), func(f string) { p.pythonTest(f, file) })
		}
	case "node":
		project, _ := p.tree.Above(workspace.Parent(file), "package.json")
		test := func(f string) bool {
			return below(project, f) && p.runners.isTest(project, f) && p.runners.takes(project, f)
		}
		if !test(file) && len(p.runners.built(project, file)) == 0 {
			add(likeliest(p, file, left(test)), func(f string) { p.nodeTest(project, f, file) })
		}
	case "":
		if p.targets[file].Language == gate.LanguageShell && !isBats(p.tree, file) {
			add(p.ranked(file, allBats(p)), func(f string) { batsTest(p, f, file) })
		}
	}
}

// furtherGo adds the tests of other packages that lead to the package of a file, unless they
// have run for it.
func furtherGo(g *goPlanner, file string, have []Unit) {
	dir := workspace.Parent(file)
	module, known := g.p.tree.Above(dir, "go.mod")
	m := g.modules[module]
	if !known || m == nil || m.packages[dir] == nil || strings.HasSuffix(file, "_test.go") {
		return
	}
	of := GoPath(module, dir)
	if slices.ContainsFunc(have, func(u Unit) bool {
		tests, ok := u.Job.Program.(job.GoTests)
		return ok && u.Dir == module && slices.Contains(tests.Of, of)
	}) {
		return
	}
	g.fromElsewhere(module, []*goPackage{m.packages[dir]})
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
