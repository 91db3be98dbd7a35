package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
)

func TestTheTestsNearestToAChangeComeFirst(t *testing.T) {
	for _, tt := range []struct {
		name   string
		files  map[string]string
		target string
		lines  gate.LineSet
		near   []string
		first  string // what is given to go test -run, or the first argument of another runner
	}{
		{
			"tests whose text mentions what was edited, also through a helper", map[string]string{
				"go.mod": "module m", "a.go": "package m\n\nfunc First() {}\n\nfunc Second() {}\n",
				"a_test.go": "package m\n\nimport \"testing\"\n\nfunc helper() { Second() }\n\nfunc TestA(t *testing.T) { First() }\n\nfunc TestB(t *testing.T) { helper() }\n\nfunc TestSecondOfThem(t *testing.T) {}\n\nfunc Testament() { Second() }\n",
			}, "a.go", gate.OnlyLines(gate.LineRange{5, 5}), []string{"TestB", "TestSecondOfThem"}, "^(TestB|TestSecondOfThem)$",
		},
		{
			"tests that were edited", map[string]string{"go.mod": "module m", "a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) {}\n"},
			"a_test.go", gate.OnlyLines(gate.LineRange{7, 7}), []string{"TestB"}, "^(TestB)$",
		},
		{
			"those of a package that imports one without tests", map[string]string{
				"go.mod": "module m", "in/a.go": "package in\n\nfunc First() {}\n", "mid/m.go": "package mid\n\nimport _ \"m/in\"\n",
				"top/t.go": "package top\n\nimport _ \"m/mid\"\n", "top/t_test.go": "package top\n\nimport \"testing\"\n\nfunc TestOther(t *testing.T) {}\n\nfunc TestFirst(t *testing.T) {}\n",
			}, "in/a.go", gate.LineSet{}, []string{"TestFirst"}, "^(TestFirst)$",
		},
		{
			"test files that carry the name before those that import", map[string]string{
				"p/calc.py": "X = 1\n", "p/test_a.py": "from p import calc\n\ndef test_a(): pass\n", "p/test_calc.py": "def test_b(): pass\n", "p/test_z.py": "def test_c(): pass\n",
			}, "p/calc.py", gate.LineSet{}, []string{"p/test_calc.py"}, "p/test_calc.py p/test_a.py",
		},
		{
			"the same in JavaScript", map[string]string{"calc.js": "module.exports = 1\n", "a.test.js": "const c = require('./calc')\n", "calc.test.js": "1\n", "z.test.js": "2\n"},
			"calc.js", gate.LineSet{}, []string{"calc.test.js"}, "calc.test.js; a.test.js",
		},
		{
			"for each file of the change, with a runner that is told its files", map[string]string{
				"package.json": `{"scripts": {"test": "vitest"}}`, "calc.ts": "export const c = 1\n", "calc.test.ts": "import './calc'\n", "x.test.ts": "import './calc'\n",
			}, "calc.ts", gate.LineSet{}, []string{"calc.test.ts"}, "sh calc.test.ts; sh x.test.ts",
		},
		{
			"alone where the tests are built first", map[string]string{
				"package.json": `{"scripts": {"test": "tsc && mocha"}}`, "calc.js": "1\n", "calc.test.js": "import './calc.js'\n", "x.test.js": "import './calc.js'\n",
			}, "calc.js", gate.LineSet{}, []string{"calc.test.js"}, "sh calc.test.js",
		},
		{
			"all, where they are few", map[string]string{"calc.js": "1\n", "a.test.js": "import './calc.js'\n", "b.test.js": "import './calc.js'\n"},
			"calc.js", gate.LineSet{}, []string{"a.test.js", "b.test.js"}, "a.test.js b.test.js",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := fstest.MapFS{}
			for p, text := range tt.files {
				tree[p] = &fstest.MapFile{Data: []byte(text)}
			}
			language := map[string]gate.Language{".go": gate.LanguageGo, ".py": gate.LanguagePython, ".js": gate.LanguageJavaScript, ".ts": gate.LanguageTypeScript}[tt.target[len(tt.target)-3:]]
			c := &gate.Change{Head: tree, Targets: []*gate.Target{{Path: tt.target, Language: language, Kind: gate.ChangeModified, Lines: tt.lines}}}
			for p := range tt.files {
				c.Files = append(c.Files, p)
			}
			slices.Sort(c.Files)
			units := Make(workspace.Load(c, nil, workspace.Limits{Bytes: 1 << 20, Files: 100}), c.Targets, nil, nil).Units
			units = slices.DeleteFunc(units, func(u Unit) bool { return u.Kind != Tests })
			if len(units) == 0 {
				t.Fatal("no unit of tests")
			}
			u := units[0]
			var first string
			switch p := u.Job.Program.(type) {
			case job.GoTests:
				first = p.Nearest
			case job.Node:
				first = last(u)
				for _, other := range units[1:] {
					if first += "; " + last(other); !other.Beside || !other.Further || other.Near != nil {
						t.Errorf("%+v is not beside the nearest", other)
					}
				}
			default:
				first = last(u)
			}
			if !slices.Equal(u.Near, tt.near) || first != tt.first {
				t.Errorf("near %q, first %q; want %q and %q", u.Near, first, tt.near, tt.first)
			}
		})
	}
}

// last are the last two words that a run is started with, without Node and its options.
func last(u Unit) string {
	argv := slices.DeleteFunc(slices.Clone(u.Job.Line().Started), func(w string) bool { return w == "node" || w == "--test" })
	return strings.Join(argv[max(0, len(argv)-2):], " ")
}

// Each file of a change has tests whose end counts, and no more than it needs, however many runs
// they are in.
func TestEachFileHasTestsThatCountAndTheOthersRunBeside(t *testing.T) {
	head := fstest.MapFS{"package.json": {Data: []byte(`{"scripts": {"test": "node --test"}}`)}, "named.js": {Data: []byte("1\n")}, "used.js": {Data: []byte("2\n")}, "named.test.js": {Data: []byte("require('./named')\n")}}
	for i := range 10 {
		head[fmt.Sprintf("a%d.test.js", i)] = &fstest.MapFile{Data: []byte("require('./named')\n")}
		head[fmt.Sprintf("b%d.test.js", i)] = &fstest.MapFile{Data: []byte("require('./used')\n")}
	}
	c := &gate.Change{Head: head, Files: slices.Sorted(maps.Keys(head))}
	for _, name := range []string{"named.js", "used.js"} {
		c.Targets = append(c.Targets, &gate.Target{Path: name, Language: gate.LanguageJavaScript, Kind: gate.ChangeModified})
	}
	var counts, beside []string
	for _, u := range Make(workspace.Load(c, nil, workspace.Limits{Bytes: 1 << 20, Files: 100}), c.Targets, nil, nil).Units {
		switch {
		case u.Beside:
			beside = append(beside, u.Job.Args...)
		case u.Kind == Tests:
			counts = append(counts, u.Job.Args...)
		}
	}
	if want := []string{"named.test.js", "b0.test.js", "b1.test.js", "b2.test.js"}; !slices.Equal(counts, want) || len(beside) != 17 {
		t.Errorf("%q count, want %q; %d are beside, want 17", counts, want, len(beside))
	}
}
