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

// TestFurtherTestsAreThoseThatNoRunHas, the likeliest first.
func TestFurtherTestsAreThoseThatNoRunHas(t *testing.T) {
	bats := map[string]string{"sum.sh": "#!/bin/bash\nadd\nsubtract\n", "test/fixtures/x.bats": "@test x {\n}\n", "test/sum.bats": "@test a {\n  sum.sh\n}\n"}
	for i := range 11 {
		bats[fmt.Sprintf("test/b%02d.bats", i)] = "@test b {\n}\n"
	}
	bats["test/z.bats"] = "@test z {\n  subtract\n}\n"
	for name, tt := range map[string]struct {
		files    map[string]string
		file     string
		language gate.Language
		limit    int
		want     []string // of each run the files or packages
	}{
		"of Python": {map[string]string{
			"shop.py": "tax = 1\nduty = 2\n", "app.py": "import shop\n", "tests/test_shop.py": "import shop\ndef test(): pass\n",
			"tests/test_app.py": "import app\ndef test(): pass\n", "tests/test_zoo.py": "def test(): duty\n", "tests/test_bar.py": "def test(): pass\n", "tests/conftest.py": "",
		}, "shop.py", gate.LanguagePython, 10, []string{"tests/test_app.py tests/test_zoo.py tests/test_bar.py"}},
		"at most so many": {map[string]string{
			"shop.py": "tax = 1\nduty = 2\n", "tests/test_shop.py": "def test(): pass\n", "tests/test_zoo.py": "def test(): duty\n", "tests/test_bar.py": "def test(): pass\n",
		}, "shop.py", gate.LanguagePython, 1, []string{"tests/test_zoo.py"}},
		"none are left": {map[string]string{"shop.py": "tax = 1\nduty = 2\n", "tests/test_shop.py": "def test(): pass\n"}, "shop.py", gate.LanguagePython, 10, nil},
		"of a file of tests": {map[string]string{
			"tests/test_shop.py": "def test():\n  pass\n", "tests/test_zoo.py": "def test(): pass\n",
		}, "tests/test_shop.py", gate.LanguagePython, 10, nil},
		"of the packages that import one of Go": {map[string]string{
			"go.mod": "module m\n", "tax/tax.go": "package tax\n\nfunc Duty() {\n}\n", "tax/tax_test.go": "package tax\n", "shop/shop.go": "package shop\n\nimport _ \"m/tax\"\n", "shop/shop_test.go": "package shop\n",
			"other/o.go": "package other\n", "other/o_test.go": "package other\n",
		}, "tax/tax.go", gate.LanguageGo, 10, []string{"./shop of ./tax"}},
		"of Go have run where a package has none": {map[string]string{
			"go.mod": "module m\n", "tax/tax.go": "package tax\n\nfunc Duty() {\n}\n", "shop/shop.go": "package shop\n\nimport _ \"m/tax\"\n", "shop/shop_test.go": "package shop\n",
		}, "tax/tax.go", gate.LanguageGo, 10, nil},
		"of a script": {bats, "sum.sh", gate.LanguageShell, 10, []string{"test/b08.bats test/b09.bats test/b10.bats"}},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{}
			c := &gate.Change{Head: tree, Targets: []*gate.Target{{Path: tt.file, Language: tt.language, Kind: gate.ChangeModified, Lines: gate.OnlyLines(gate.LineRange{1, 3})}}}
			for p, text := range tt.files {
				tree[p] = &fstest.MapFile{Data: []byte(text)}
				c.Files = append(c.Files, p)
			}
			slices.Sort(c.Files)
			w := workspace.Load(c, nil, workspace.Limits{Bytes: 1 << 20, Files: 1000})
			first := Make(w, c.Targets, nil, nil).Units
			missing := map[string]gate.LineSet{tt.file: gate.OnlyLines(gate.LineRange{2, 2})}
			var got []string
			further := Further(w, c.Targets, nil, nil, first, missing, tt.limit)
			for _, u := range further {
				if !u.Further || u.Kind != Tests || !slices.Equal(u.Targets, []string{tt.file}) {
					t.Errorf("%+v", u)
				}
				if g, ok := u.Job.Program.(job.GoTests); ok {
					got = append(got, strings.Join(g.Packages, " ")+" of "+strings.Join(g.Of, " "))
					continue
				}
				got = append(got, strings.Join(slices.DeleteFunc(slices.Clone(u.Job.Args), func(a string) bool { return !strings.HasPrefix(a, "test") }), " "))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q\nwant %q", got, tt.want)
			}
			if again := Further(w, c.Targets, nil, nil, slices.Concat(first, further), missing, 100); tt.limit > 1 && len(again) > 0 {
				t.Errorf("they would run again: %+v", again)
			}
		})
	}
}
