package plan

import (
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// maxImporting bounds the tests that are run because they import a changed file.
const maxImporting = 10

var pythonTestPath = regexp.MustCompile(`(?:^|/)(?:test_[^/]*|[^/]*_test|tests?)\.py$`)

// importing lists the tests of a project that import a file, itself or through others, and
// don't carry its name: they are the next ones to find out what a change breaks. Those
// that reach it only through others run where there are no nearer ones.
func importing(p *planner, file, project string, known []string) []string {
	within := func(f string) bool { return project == "" || strings.HasPrefix(f, project+"/") }
	test := func(f string) bool { return within(f) && pythonTestPath.MatchString(f) }
	own := test
	if importKind(file) == "node" {
		test = func(f string) bool { return within(f) && p.runners.isTest(project, f) }
		own = func(f string) bool { return test(f) && p.runners.takes(project, f) }
	}
	found := p.ranked(file, slices.DeleteFunc(p.importers.of(file), func(f string) bool { return !test(f) }))
	if !slices.ContainsFunc(slices.Concat(known, found), own) {
		found = append(found, p.ranked(file, p.importers.through(file, own))...)
	}
	var out []string
	for _, f := range found {
		if slices.Contains(known, f) || slices.Contains(out, f) || p.tree.Withheld[f] {
			continue
		}
		if _, ok := p.far[f]; !ok {
			p.far[f] = true
		}
		if out = append(out, f); len(out) == maxImporting {
			break
		}
	}
	return out
}
