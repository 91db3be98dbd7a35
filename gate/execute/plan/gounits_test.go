package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
)

// goTestsOf are the runs of tests for a change of all files of Go, by their packages.
func goTestsOf(t *testing.T, files map[string]string) map[string]job.GoTests {
	t.Helper()
	tree, c := fstest.MapFS{}, &gate.Change{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
		c.Files = append(c.Files, name)
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			c.Targets = append(c.Targets, &gate.Target{Path: name, Language: gate.LanguageGo, Kind: gate.ChangeAdded})
		}
	}
	slices.Sort(c.Files)
	slices.SortFunc(c.Targets, func(a, b *gate.Target) int { return strings.Compare(a.Path, b.Path) })
	c.Head = tree
	out := map[string]job.GoTests{}
	for _, u := range Make(workspace.Load(c, nil, workspace.Limits{Bytes: 1 << 20, Files: 100}), c.Targets, nil, nil).Units {
		if p, ok := u.Job.Program.(job.GoTests); ok && u.Kind == Tests {
			out[strings.Join(p.Packages, " ")] = p
		}
	}
	return out
}

func TestARunOfGoTestsDependsOnlyOnWhatItsPackageImports(t *testing.T) {
	files := map[string]string{
		"go.mod": "module m\n", "a/a.go": "package a\n\nfunc One() {}\n", "a/a_test.go": "package a\n\nfunc TestOne(t *T) { One() }\n\nfunc TestDouble(t *T) { Double() }\n",
		"b/b.go": "package b\n\nfunc B() {}\n", "b/b_test.go": "package b\n\nfunc TestDouble(t *T) {}\n\nfunc TestB(t *T) { B() }\n",
		"c/c.go": "package c\n\nimport \"m/a\"\n\nfunc C() { a.One() }\n", "c/c_test.go": "package c\n\nfunc TestDouble(t *T) {}\n\nfunc TestC(t *T) { C() }\n\nfunc TestZ(t *T) {}\n",
	}
	before := goTestsOf(t, files)
	files["a/a.go"] += "\nfunc Double() {}\n"
	after := goTestsOf(t, files)
	for pkg, same := range map[string]bool{"./a": false, "./b": true, "./c": false} {
		x, ok := before[pkg]
		y := after[pkg]
		if !ok || (x.Nearest == y.Nearest) != same {
			t.Errorf("%s: nearest %q, then %q; want the same: %v", pkg, x.Nearest, y.Nearest, same)
		}
	}
}

func TestManyPackagesOfGoAreTestedInOneRun(t *testing.T) {
	for n, want := range map[int]int{1: 1, maxGoAlone: maxGoAlone, maxGoAlone + 1: 1} {
		files := map[string]string{"go.mod": "module m\n"}
		for i := range n {
			files[fmt.Sprintf("p%d/p.go", i)] = "package p\n\nfunc F() {}\n"
			files[fmt.Sprintf("p%d/p_test.go", i)] = "package p\n"
		}
		if runs := goTestsOf(t, files); len(runs) != want {
			t.Errorf("%d packages: %d runs, want %d", n, len(runs), want)
		}
	}
}
