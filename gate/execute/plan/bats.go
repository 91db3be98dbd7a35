package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// isBats reports whether a file holds tests that Bats understands.
func isBats(t *workspace.Tree, file string) bool {
	name, marked := Shebang(t.Text(file))
	return path.Ext(file) == ".bats" || marked && name == "bats"
}

// fixture is a folder of files that tests run, many of which are made to fail.
var fixture = regexp.MustCompile(`(?:^|/)(?:fixtures?|examples?|testdata)/`)

// batsFor are the files of tests that are likely to run a script, the likeliest first: those
// that carry its name, those that mention it, and where there are none of either, all.
func batsFor(p *planner, file string) []string {
	all, base := allBats(p), path.Base(file)
	var near []string
	for _, f := range all {
		if likeName(file, f) == 2 || strings.Contains(p.tree.Text(f), base) {
			near = append(near, f)
		}
	}
	// The other tests know the script by another name at most.
	rest := slices.DeleteFunc(slices.Clone(all), func(f string) bool { return slices.Contains(near, f) })
	out := slices.Concat(p.ranked(file, near), p.ranked(file, rest))
	out = out[:min(len(out), max(maxImporting, min(len(near), maxTestFiles)))]
	for _, f := range out {
		if _, known := p.far[f]; !known {
			p.far[f] = !slices.Contains(near, f) && len(near) > 0
		}
	}
	return out
}

// allBats are the files of tests for Bats that are no fixtures.
func allBats(p *planner) []string {
	var out []string
	for _, f := range p.tree.Files {
		if path.Ext(f.Path) == ".bats" && f.Link == "" && !fixture.MatchString(f.Path) && !p.tree.Withheld[f.Path] {
			out = append(out, f.Path)
		}
	}
	return out
}

// batsTest runs a file of tests from the root, as most projects do, with the project's own
// Bats where it is Bats.
func batsTest(p *planner, file, target string) {
	program := "bats"
	if p.tree.Executable("bin/bats") && p.tree.Has("libexec/bats-core/bats") {
		program = "bin/bats"
	}
	p.addTest("bats", target, file, func() testGroup {
		return testGroup{unit: Unit{Kind: Tests, Job: job.Job{Image: gate.LanguageShell, Program: job.Bats{Program: program}}}}
	})
}

// A test in a file, in both forms that Bats knows, with its name.
var (
	batsTestLine    = regexp.MustCompile(`^[ \t]*@test[ \t]+(.*[^ \t])[ \t]+\{.*$`)
	batsCommentLine = regexp.MustCompile(`^[ \t]*([^ \t()]+)[ \t]*\(?\)?[ \t]+\{[ \t]+#[ \t]*@test[ \t]*$`)
)

// BatsTest returns the name of the test that begins at a line of a file, "" for none.
func BatsTest(line string) string {
	for _, form := range []*regexp.Regexp{batsTestLine, batsCommentLine} {
		if m := form.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			name := m[1]
			if strings.ContainsAny(name[:1], `"'`) {
				name = name[1:]
			}
			return strings.TrimRight(name, `"'`)
		}
	}
	return ""
}

// maxEditedTests bounds how many tests run before the others: of more all may as well.
const maxEditedTests = 50

// editedTests are the tests with edited lines, by name, nil where there are none or too many.
func editedTests(t *workspace.Tree, edited map[string][][2]int) []string {
	var out []string
	for file, ranges := range edited {
		name, n := "", 0
		for line := range strings.Lines(t.Text(file)) {
			n++
			if began := BatsTest(line); began != "" {
				name = began
			}
			in := slices.ContainsFunc(ranges, func(r [2]int) bool { return r[0] <= n && n <= r[1] })
			if in && name != "" && strings.TrimSpace(line) != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	if len(out) > maxEditedTests {
		return nil
	}
	slices.Sort(out)
	return out
}
