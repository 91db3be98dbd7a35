package execute_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/tools/testenv"
)

// TestFurtherTestsRunWhereLinesDidNot: the nearest tests run first, and others where lines of
// the change are left.
func TestFurtherTestsRunWhereLinesDidNot(t *testing.T) {
	const near, other = "tests/test_shop.py", "tests/test_cli.py"
	const test = "def test_it():\n    pass\n"
	tree := map[string]string{"shop.py": "A = 1\nB = 2\n", near: test, other: test}
	for i := range 40 {
		tree[fmt.Sprintf("tests/test_z%02d.py", i)] = test
	}
	for _, tt := range []struct {
		name  string
		near  string // the lines that the nearest tests run
		other sandbox.Result
		fails error
		want  string // how it ran
		told  string
	}{
		{name: "others run them", near: "1", want: "module tests tests", told: "2 of 2, 2 changed"},
		{name: "all ran", near: "1, 2", want: "module tests", told: "2 of 2, 2 changed"},
		{name: "others fail besides", near: "1", other: sandbox.Result{ExitCode: 1}, want: "module tests tests", told: "2 of 2, 2 changed"},
		{name: "others do not end", near: "1", other: sandbox.Result{Status: sandbox.Timeout, Reason: "still running after 1m0s"}, want: "module tests tests", told: "2 of 2, 2 changed"},
		{name: "others do not come about", near: "1", fails: errors.New("gone"), want: "module tests", told: "1 of 2, 2 changed -2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &fakeRunner{answer: func(spec sandbox.Spec) (sandbox.Result, error) {
				res, ran := sandbox.Result{Status: sandbox.Exited}, "1"
				switch {
				case slices.Contains(spec.Argv, other):
					if tt.fails != nil {
						return sandbox.Result{}, tt.fails
					}
					if res = tt.other; res.Status == "" {
						res.Status = sandbox.Exited
					}
					ran = "1, 2"
				case slices.Contains(spec.Argv, near):
					ran = tt.near
				}
				res.Files = []sandbox.File{{Path: ".gate-coverage/python-1.json", Data: []byte(`{"files": {"shop.py": [[1, 2], [` + ran + `]]}}`)}}
				return res, nil
			}}
			out, _ := executions(t, fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions, o.Required = 0, true }), changeOf(files(tree), "shop.py"))
			e := out.Executions["shop.py"]
			var kinds []string
			for _, u := range e.Units {
				if u.Kind != "exercise" {
					kinds = append(kinds, u.Kind)
				}
			}
			if got := strings.Join(kinds, " "); got != tt.want || told(e) != tt.told {
				t.Errorf("run as %s, %s\nwant %s, %s", got, told(e), tt.want, tt.told)
			}
			if e.Status != gate.ExecutionExited || e.ExitCode != 0 || len(out.Incomplete) > 0 {
				t.Errorf("further tests say how the file ended: %s %d, %v", e.Status, e.ExitCode, out.Incomplete)
			}
		})
	}
}

func TestRoundsThatBringNothingNewAreTheLast(t *testing.T) {
	tree := map[string]string{"shop.py": "A = 1\nB = 2\n"}
	for i := range 40 {
		tree[fmt.Sprintf("tests/test_z%02d.py", i)] = "def test_it():\n    pass\n"
	}
	r := &fakeRunner{answer: func(sandbox.Spec) (sandbox.Result, error) {
		return sandbox.Result{Status: sandbox.Exited, Files: []sandbox.File{{Path: ".gate-coverage/python-1.json", Data: []byte(`{"files": {"shop.py": [[1, 2], [1]]}}`)}}}, nil
	}}
	executions(t, fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 0 }), changeOf(files(tree), "shop.py"))
	ran := 0
	for _, spec := range r.specs {
		for _, a := range spec.Argv {
			if strings.HasPrefix(a, "tests/test_z") {
				ran++
			}
		}
	}
	if ran != 10 {
		t.Errorf("%d files of tests ran, want the 10 of one round", ran)
	}
}

// TestFurtherTestsReachLinesOfRealProjects: what the nearest tests leave is run by those that
// nothing ties to the file.
func TestFurtherTestsReachLinesOfRealProjects(t *testing.T) {
	t.Parallel()
	testenv.Docker(t)
	for _, tt := range []struct {
		image, path string
		files       map[string]string
	}{
		{"python", "shop/taxes.py", map[string]string{
			"shop/__init__.py": "", "shop/taxes.py": "def tax(n):\n    return n // 5\n\n\ndef duty(n):\n    return n // 9\n",
			"shop/cli.py":         "import importlib\n\n\ndef run(name, n):\n    return getattr(importlib.import_module('shop.' + name), 'duty')(n)\n",
			"tests/test_taxes.py": "from shop.taxes import tax\n\ndef test_tax():\n    assert tax(10) == 2\n",
			"tests/test_cli.py":   "from shop import cli\n\ndef test_run():\n    assert cli.run('taxes', 18) == 2\n",
		}},
		{"node", "lib/taxes.js", map[string]string{
			"package.json": `{"type": "module", "scripts": {"test": "node --test"}}`, "lib/taxes.js": "export const tax = n => n / 5\nexport function duty(n) {\n  return n / 9\n}\n",
			"lib/cli.js":         "export const run = async (name, n) => (await import(`./${name}.js`)).duty(n)\n",
			"test/taxes.test.js": "import test from 'node:test'\nimport { tax } from '../lib/taxes.js'\ntest('tax', () => { tax(1) })\n",
			"test/cli.test.js":   "import test from 'node:test'\nimport { run } from '../lib/cli.js'\ntest('run', () => run('taxes', 18))\n",
		}},
		{"go", "tax/tax.go", map[string]string{
			"go.mod": "module example.com/shop\n\ngo 1.21\n", "tax/tax.go": "package tax\n\nfunc Tax(n int) int { return n / 5 }\n\nfunc Duty(n int) int { return n / 9 }\n",
			"tax/tax_test.go":   "package tax\n\nimport \"testing\"\n\nfunc TestTax(t *testing.T) { Tax(1) }\n",
			"shop/shop.go":      "package shop\n\nimport \"example.com/shop/tax\"\n\nfunc Price(n int) int { return n + tax.Duty(n) }\n",
			"shop/shop_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestPrice(t *testing.T) { Price(1) }\n",
		}},
	} {
		t.Run(tt.image, func(t *testing.T) {
			t.Parallel()
			testenv.Image(t, tt.image)
			out, _ := executions(t, sharedStage(t, "runc", 0), changeOf(files(tt.files), tt.path))
			e := out.Executions[tt.path]
			if n := e.Coverage["executable"] - e.Coverage["executed"]; n != 0 || len(e.Coverage) == 0 {
				t.Errorf("%s: %+v", told(e), e.Units)
			}
		})
	}
}
