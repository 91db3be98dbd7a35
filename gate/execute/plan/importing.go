package plan

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/execute/workspace"
)

// maxImporting bounds the tests that are run because they import a changed file.
const maxImporting = 10

// testFiles are the files of a project that are tests, in order.
func testFiles(t *workspace.Tree, project string, is func(file string) bool) []string {
	var out []string
	for _, f := range t.Files {
		if f.Link == "" && is(f.Path) && (project == "" || strings.HasPrefix(f.Path, project+"/")) && len(f.Data) <= workspace.MaxSource {
			out = append(out, f.Path)
		}
	}
	return out
}

var pythonTestPath = regexp.MustCompile(`(?:^|/)(?:test_[^/]*|[^/]*_test|tests?)\.py$`)

// importing lists the tests of a project that import a file and don't carry its name:
// they are the next ones to find out what a change breaks.
func importing(p *planner, file, project string, known []string) []string {
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	var tests func(string) bool
	var imports *regexp.Regexp
	if path.Ext(file) == ".py" {
		if name == "__init__" {
			name = path.Base(workspace.Parent(file))
		}
		if !identifier.MatchString(name) || name == "__main__" {
			return nil
		}
		n := regexp.QuoteMeta(name)
		tests = pythonTestPath.MatchString
		imports = regexp.MustCompile(`(?m)^[ \t]*(?:import[ \t][^\n#]*\b` + n + `\b|from[ \t]+[\w.]*\b` + n + `[ \t]+import\b|from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\([^)]*|[^\n#]*)\b` + n + `\b)`)
	} else {
		if name == "index" {
			name = path.Base(workspace.Parent(file))
		}
		if name == "." || name == "" {
			return nil
		}
		tests = func(f string) bool { return p.runners.isTest(project, f) }
		imports = regexp.MustCompile(`(?:from|import|require)\b[ \t(]*['"](?:[^'"\n]*/)?` + regexp.QuoteMeta(name) + `(?:/index)?(?:\.[cm]?[jt]sx?)?['"]`)
	}
	var out []string
	for _, test := range testFiles(p.tree, project, tests) {
		if test == file || slices.Contains(known, test) || p.tree.Withheld[test] || !imports.MatchString(p.tree.Text(test)) {
			continue
		}
		if _, ok := p.far[test]; !ok {
			p.far[test] = true
		}
		if out = append(out, test); len(out) == maxImporting {
			break
		}
	}
	return out
}
