package static_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/static"
)

const (
	oneTest   = "from calc import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
	noTest    = "from calc import total\n\n\n@pytest.mark.skip\ndef test_total():\n    assert total([1, 2]) == 3\n"
	tested    = "def total(xs):\n    return sum(xs)\n"
	nowEdited = "def total(xs):\n    return sum(xs) + 1\n"
)

func TestASwitchedOffTestIsSuspiciousWhereTheChangeEditsWhatItTested(t *testing.T) {
	for name, tc := range map[string]struct {
		base, head map[string]string
		want       string
	}{
		"what it tested is edited": {map[string]string{"calc.py": tested, "test_calc.py": oneTest}, map[string]string{"calc.py": nowEdited, "test_calc.py": noTest}, "test_calc.py suspicious"},
		"what it tested stays":     {map[string]string{"calc.py": tested, "test_calc.py": oneTest}, map[string]string{"calc.py": tested, "test_calc.py": noTest}, "test_calc.py note"},
		"deleted":                  {map[string]string{"calc.py": tested, "test_calc.py": oneTest}, map[string]string{"calc.py": nowEdited}, "test_calc.py suspicious"},
		"deleted, an unchanged test calls it": {map[string]string{"calc.py": tested, "test_calc.py": oneTest, "tests/test_all.py": oneTest},
			map[string]string{"calc.py": nowEdited, "tests/test_all.py": oneTest}, ""},
		"built by a tag": {map[string]string{"a.go": "package a\n\nfunc Total() int {\n\treturn 1\n}\n", "a_test.go": "package a\n\nfunc TestTotal(t *testing.T) {\n\tif Total() != 1 {\n\t\tt.Fatal()\n\t}\n}\n"},
			map[string]string{"a.go": "package a\n\nfunc Total() int {\n\treturn 2\n}\n", "a_test.go": "//go:build later\n\npackage a\n\nfunc TestTotal(t *testing.T) {\n\tif Total() != 1 {\n\t\tt.Fatal()\n\t}\n}\n"}, "a_test.go suspicious"},
		"built by a tag that the Makefile sets": {map[string]string{"Makefile": "test:\n\tgo test -tags later ./...\n", "a.go": "package a\n\nfunc Total() int {\n\treturn 1\n}\n", "a_test.go": "package a\n\nfunc TestTotal(t *testing.T) {\n\tif Total() != 1 {\n\t\tt.Fatal()\n\t}\n}\n"},
			map[string]string{"Makefile": "test:\n\tgo test -tags later ./...\n", "a.go": "package a\n\nfunc Total() int {\n\treturn 2\n}\n", "a_test.go": "//go:build later\n\npackage a\n\nfunc TestTotal(t *testing.T) {\n\tif Total() != 1 {\n\t\tt.Fatal()\n\t}\n}\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := change.Compared(t.Context(), treeOf(tc.base), treeOf(tc.head))
			if err != nil {
				t.Fatal(err)
			}
			found := gate.NewFindings(c.Targets, nil)
			if _, err := newScanner(t, nil).Run(t.Context(), c, found); err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, target := range c.Targets {
				for _, f := range found.Of(target.Path) {
					if f.Rule == "weakening/test-switched-off" {
						got = target.Path + " " + f.Severity.String()
					}
				}
			}
			if got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

func TestWhatThePolicyLeavesOutIsNamedWithWhatRunsIt(t *testing.T) {
	const reason = "excluded by paths.exclude (vendor/**)"
	for name, tc := range map[string]struct {
		tree map[string]string
		out  string
		want string // of the reason
	}{
		"a package script":           {map[string]string{"package.json": `{"scripts":{"test":"node vendor/run.js"}}`}, "vendor/run.js", "package.json runs it on line 1"},
		"a Makefile":                 {map[string]string{"Makefile": "all:\n\tsh vendor/build.sh\n"}, "vendor/build.sh", "Makefile runs it on line 2"},
		"a workflow":                 {map[string]string{".github/workflows/a.yml": "jobs:\n  a:\n    steps:\n      - run: ./vendor/b.sh\n"}, "vendor/b.sh", ".github/workflows/a.yml runs it on line 4"},
		"an import of Python":        {map[string]string{"app.py": "import os\nfrom vendor.tool import go\n"}, "vendor/tool.py", "app.py imports it on line 2"},
		"an import of JavaScript":    {map[string]string{"a.js": "const x = require(\"./vendor/x\")\n"}, "vendor/x.js", "a.js imports it on line 1"},
		"an import of Go":            {map[string]string{"main.go": "package main\n\nimport \"example.com/a/vendor/x\"\n\nfunc main() { x.Go() }\n"}, "vendor/x/x.go", "main.go imports it on line 3"},
		"one that is run runs it":    {map[string]string{"Makefile": "all:\n\tsh vendor/build.sh\n", "vendor/build.sh": "sh vendor/next.sh\n"}, "vendor/next.sh", "vendor/build.sh runs it on line 1"},
		"one that nothing runs does": {map[string]string{"vendor/build.sh": "sh vendor/next.sh\n"}, "vendor/next.sh", ""},
		"nothing":                    {map[string]string{"app.py": "import os\n"}, "vendor/tool.py", ""},
	} {
		t.Run(name, func(t *testing.T) {
			head := treeOf(tc.tree)
			if head[tc.out] == nil {
				head[tc.out] = treeOf(map[string]string{"x": "x\n"})["x"]
			}
			c := &gate.Change{Head: head, Base: treeOf(nil), Skipped: []gate.Skip{{Path: tc.out, Reason: reason, ByPolicy: true}}}
			for p := range head {
				c.Files = append(c.Files, p)
			}
			slices.Sort(c.Files)
			for _, profile := range []gate.Profile{gate.ProfileDefault, gate.ProfileStrict} {
				policy := gate.DefaultPolicy()
				profile.Apply(&policy)
				policy.Paths.Exclude = []string{"vendor/**"}
				own, err := ownRules()
				if err != nil {
					t.Fatal(err)
				}
				scanner, err := static.New(static.Options{Policy: policy, Rules: own, Classify: change.Classify})
				if err != nil {
					t.Fatal(err)
				}
				out, err := scanner.Run(t.Context(), c, gate.NewFindings(nil, nil))
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				for _, s := range out.Skipped {
					got += s.Reason
				}
				if tc.want == "" && got != "" || tc.want != "" && !(strings.HasPrefix(got, reason+", ") && strings.HasSuffix(got, tc.want)) {
					t.Errorf("left out because %q, want %q", got, tc.want)
				}
				if incomplete := len(out.Incomplete) > 0; incomplete != (tc.want != "" && profile == gate.ProfileStrict) {
					t.Errorf("profile %s: incomplete %v", profile, out.Incomplete)
				}
			}
		})
	}
}
