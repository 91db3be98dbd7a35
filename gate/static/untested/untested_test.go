package untested_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/untested"
)

// asked answers what the change leaves alone.
type asked struct{ calls, tags []string }

func (a asked) Calls(_ gate.Language, name string) bool { return slices.Contains(a.calls, name) }
func (a asked) Builds(tag string) bool                  { return slices.Contains(a.tags, tag) }

const (
	pyTest  = "from calc import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
	pyCode  = "def total(xs):\n    return sum(xs)\n"
	pyNew   = "def total(xs):\n    return sum(xs) + 1\n"
	jsTest  = "import { total } from \"./calc\";\n\ndescribe(\"total\", () => {\n  it(\"adds\", () => {\n    expect(total([1, 2])).toBe(3);\n  });\n  it(\"is zero\", () => {\n    expect(total([])).toBe(0);\n  });\n});\n"
	jsCode  = "export function total(xs) {\n  return xs.reduce((a, b) => a + b, 0);\n}\n"
	jsNew   = "export function total(xs) {\n  return xs.reduce((a, b) => a + b, 1);\n}\n"
	goTest  = "package calc\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif Total(1, 2) != 3 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n"
	goCode  = "package calc\n\nfunc Total(a, b int) int {\n\treturn a + b\n}\n"
	goNew   = "package calc\n\nfunc Total(a, b int) int {\n\treturn a - b\n}\n"
	rsTest  = "fn total(a: i32) -> i32 {\n    a\n}\n\n#[test]\nfn adds() {\n    assert_eq!(total(1), 1);\n}\n"
	kotlin  = "class CalcTest {\n    @Test\n    fun adds() {\n        assertEquals(3, total(1, 2))\n    }\n}\n"
	rubyOne = "describe \"total\" do\n  it \"adds\" do\n    expect(total(1, 2)).to eq(3)\n  end\nend\n"
)

// file is a file of a change; empty texts are none.
func file(l gate.Language, path, base, head string) untested.File {
	f := untested.File{Path: path, Language: l}
	if base != "" {
		f.Base = []byte(base)
	}
	if head != "" {
		f.Head = []byte(head)
	}
	return f
}

func py(base, head string) []untested.File {
	return []untested.File{file(gate.LanguagePython, "calc.py", pyCode, pyNew), file(gate.LanguagePython, "test_calc.py", base, head)}
}

func js(base, head string) []untested.File {
	return []untested.File{file(gate.LanguageJavaScript, "src/calc.js", jsCode, jsNew), file(gate.LanguageJavaScript, "src/calc.test.js", base, head)}
}

func golang(base, head string) []untested.File {
	return []untested.File{file(gate.LanguageGo, "calc/calc.go", goCode, goNew), file(gate.LanguageGo, "calc/calc_test.go", base, head)}
}

func TestATestThatNoLongerRunsOrChecksIsLost(t *testing.T) {
	for name, tc := range map[string]struct {
		files []untested.File
		how   string
	}{
		"a module that is missing skips all":  {py(pyTest, "import pytest\npytest.importorskip(\"nosuch\")\n"+pyTest), "is skipped"},
		"a condition of the file skips all":   {py(pyTest, "import os, pytest\nif os.environ.get(\"X\"):\n    pytest.skip(\"slow\", allow_module_level=True)\n"+pyTest), "is skipped"},
		"a condition of the file ends it":     {py(pyTest, "import os, sys\nif os.environ.get(\"X\"):\n    sys.exit(0)\n"+pyTest), "is skipped"},
		"a mark of the file with a condition": {py(pyTest, "import pytest\npytestmark = pytest.mark.skipif(X, reason=\"\")\n"+pyTest), "is skipped"},
		"a mark of pytest":                    {py(pyTest, "import pytest\nfrom calc import total\n\n\n@pytest.mark.skip(\n    reason=\"later\",\n)\ndef test_total():\n    assert total([1, 2]) == 3\n"), "is skipped"},
		"a decorator of unittest":             {py(pyTest, "from unittest import skip\nfrom calc import total\n\n\n@skip(\"later\")\ndef test_total():\n    assert total([1, 2]) == 3\n"), "is skipped"},
		"a decorator of its class":            {py("class TestTotal:\n    def test_total(self):\n        assert total([]) == 0\n", "@skip(\"later\")\nclass TestTotal:\n    def test_total(self):\n        assert total([]) == 0\n"), "is skipped"},
		"a condition on CI":                   {py(pyTest, "from calc import total\n\n\n@pytest.mark.skipif(os.environ.get(\"CI\"), reason=\"slow\")\ndef test_total():\n    assert total([1, 2]) == 3\n"), "is skipped"},
		"a mark for its file":                 {py(pyTest, pyTest+"\n\n__test__ = False\n"), "is skipped"},
		"expected to fail":                    {py(pyTest, "from calc import total\n\n\n@pytest.mark.xfail\ndef test_total():\n    assert total([1, 2]) == 3\n"), "is expected to fail"},
		"an early return":                     {py(pyTest, "from calc import total\n\n\ndef test_total():\n    return\n    assert total([1, 2]) == 3\n"), "ends before it checks anything"},
		"a call that skips":                   {py(pyTest, "from calc import total\n\n\ndef test_total():\n    pytest.skip(\"later\")\n    assert total([1, 2]) == 3\n"), "is skipped"},
		"an empty body":                       {py(pyTest, "from calc import total\n\n\ndef test_total():\n    pass\n"), "checks nothing any more"},
		"or True":                             {py(pyTest, "from calc import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3 or True\n"), "passes whatever it finds"},
		"a caught failure":                    {py(pyTest, "from calc import total\n\n\ndef test_total():\n    try:\n        assert total([1, 2]) == 3\n    except AssertionError:\n        pass\n"), "passes whatever it finds"},
		"another name":                        {py(pyTest, "from calc import total\n\n\ndef check_total():\n    assert total([1, 2]) == 3\n"), "has a name that no runner takes for a test"},
		"a second one with its name":          {py(pyTest, pyTest+"\n\ndef test_total():\n    assert True\n"), "passes whatever it finds"},
		"deleted":                             {py(pyTest, "x = 1\n"), "is gone"},
		"another file": {[]untested.File{file(gate.LanguagePython, "calc.py", pyCode, pyNew), file(gate.LanguagePython, "test_calc.py", pyTest, ""), file(gate.LanguagePython, "calc_checks.py", "", pyTest)},
			"is in a file that no runner finds"},
		"it.skip":                    {js(jsTest, replace(jsTest, `it("adds"`, `it.skip("adds"`)), "is skipped"},
		"xit":                        {js(jsTest, replace(jsTest, `it("adds"`, `xit("adds"`)), "is skipped"},
		"describe.skip":              {js(jsTest, replace(jsTest, `describe("total"`, `describe.skip("total"`)), "is skipped"},
		"it.skipIf(true)":            {js(jsTest, replace(jsTest, `it("adds"`, `it.skipIf(true)("adds"`)), "is skipped"},
		"it.fails":                   {js(jsTest, replace(jsTest, `it("adds"`, `it.fails("adds"`)), "is expected to fail"},
		"it.only for another one":    {js(jsTest, replace(jsTest, `it("is zero"`, `it.only("is zero"`)), "does not run, because another one is marked as the only one"},
		"without expectations":       {js(jsTest, replace(jsTest, "    expect(total([1, 2])).toBe(3);\n", "")), "checks nothing any more"},
		"a caught failure in script": {js(jsTest, replace(jsTest, "    expect(total([1, 2])).toBe(3);\n", "    try { expect(total([1, 2])).toBe(3); } catch {}\n")), "passes whatever it finds"},
		"t.Skip":                     {golang(goTest, replace(goTest, "{\n\tif", "{\n\tt.Skip(\"later\")\n\tif")), "is skipped"},
		"t.Skip in CI":               {golang(goTest, replace(goTest, "{\n\tif", "{\n\tif os.Getenv(\"CI\") != \"\" {\n\t\tt.SkipNow()\n\t}\n\tif")), "is skipped"},
		"t.Log for t.Fatal":          {golang(goTest, replace(goTest, "t.Fatal", "t.Log")), "checks nothing any more"},
		"a build tag":                {golang(goTest, "//go:build later\n\n"+goTest), "is in a file that is not built by default"},
		"a name of Go":               {golang(goTest, replace(goTest, "TestTotal", "testTotal")), "has a name that no runner takes for a test"},
		"a name of another system": {[]untested.File{file(gate.LanguageGo, "calc/calc.go", goCode, goNew), {Path: "calc/calc_windows_test.go", OldPath: "calc/calc_test.go", Language: gate.LanguageGo, Base: []byte(goTest), Head: []byte(goTest)}},
			"is in a file that is not built by default"},
		"#[ignore]": {[]untested.File{file(gate.LanguageRust, "src/lib.rs", rsTest, replace(replace(rsTest, "#[test]", "#[test]\n#[ignore]"), "    a\n", "    a + 1\n"))}, "is skipped"},
		"@Disabled": {[]untested.File{file(gate.LanguageKotlin, "src/main/Calc.kt", "fun total(a: Int, b: Int): Int {\n    return a + b\n}\n", "fun total(a: Int, b: Int): Int {\n    return a - b\n}\n"),
			file(gate.LanguageKotlin, "src/test/CalcTest.kt", kotlin, replace(kotlin, "@Test", "@Test\n    @Disabled"))}, "is skipped"},
		"pending in Ruby": {[]untested.File{file(gate.LanguageRuby, "lib/calc.rb", "def total(a, b)\n  a + b\nend\n", "def total(a, b)\n  a - b\nend\n"),
			file(gate.LanguageRuby, "spec/calc_spec.rb", rubyOne, replace(rubyOne, "it \"adds\" do\n", "it \"adds\" do\n    skip \"later\"\n"))}, "is skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			got := untested.Compare(tc.files, asked{})
			if len(got) == 0 || got[0].How != tc.how || got[0].Edits == "" {
				t.Errorf("lost %+v, want one that %s, with what the change edits", got, tc.how)
			}
		})
	}
}

func TestATestThatStillRunsIsNotLost(t *testing.T) {
	for name, tc := range map[string]struct {
		files []untested.File
		ask   asked
	}{
		"another expectation":              {py(pyTest, replace(pyTest, "== 3", "== 4")), asked{}},
		"another name that is found":       {py(pyTest, replace(pyTest, "test_total", "test_sum")), asked{}},
		"a condition on the system":        {py(pyTest, replace(pyTest, "def test", "@pytest.mark.skipif(sys.platform == \"win32\", reason=\"x\")\ndef test")), asked{}},
		"skipped before":                   {py(replace(pyTest, "def test", "@skip\ndef test"), replace(pyTest, "def test", "@skip(\"why\")\ndef test")), asked{}},
		"moved to another file":            {[]untested.File{file(gate.LanguagePython, "calc.py", pyCode, pyNew), file(gate.LanguagePython, "test_calc.py", pyTest, ""), file(gate.LanguagePython, "test_sums.py", "", pyTest)}, asked{}},
		"deleted, another one calls it":    {py(pyTest, "from calc import total\n\n\ndef test_empty():\n    assert total([]) == 1\n"), asked{}},
		"deleted, an unchanged one calls":  {py(pyTest, "x = 1\n"), asked{calls: []string{"total"}}},
		"deleted with what it tested":      {[]untested.File{file(gate.LanguagePython, "calc.py", pyCode, "def other():\n    return 2\n"), file(gate.LanguagePython, "test_calc.py", pyTest, "x = 1\n")}, asked{}},
		"a return in a function":           {py(pyTest, "from calc import total\n\n\ndef test_total():\n    def two():\n        return 2\n    assert total([1, two()]) == 3\n"), asked{}},
		"a word in a string":               {js(jsTest, replace(jsTest, `it("adds"`, `it("adds, see it.skip('x')"`)), asked{}},
		"a tag that a run of tests sets":   {golang(goTest, "//go:build later\n\n"+goTest), asked{tags: []string{"later"}}},
		"a tag that holds":                 {golang(goTest, "//go:build linux || later\n\n"+goTest), asked{}},
		"testing.Short":                    {golang(goTest, replace(goTest, "{\n\tif", "{\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n\tif")), asked{}},
		"a helper that checks":             {golang(goTest, replace(goTest, "\tif Total(1, 2) != 3 {\n\t\tt.Fatal(\"wrong\")\n\t}\n", "\tsame(t, Total(1, 2), 3)\n")), asked{}},
		"a file that held no tests before": {py("x = 1\n", "@skip\ndef test_a():\n    pass\n"), asked{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := untested.Compare(tc.files, tc.ask); len(got) > 0 {
				t.Errorf("lost %+v", got)
			}
		})
	}
}

func TestATestIsLostWithoutMoreWhereTheChangeLeavesAloneWhatItTested(t *testing.T) {
	files := []untested.File{file(gate.LanguagePython, "test_calc.py", pyTest, replace(pyTest, "def test", "@skip\ndef test"))}
	got := untested.Compare(files, asked{})
	if len(got) != 1 || got[0].Edits != "" || got[0].Line != 5 || got[0].Name != "test_total" {
		t.Errorf("lost %+v", got)
	}
}

func TestWhatATestedFunctionUsesCountsAsTested(t *testing.T) {
	before := "RATE = 2\n\n\ndef total(xs):\n    return sum(xs) * RATE\n"
	files := []untested.File{file(gate.LanguagePython, "calc.py", before, replace(before, "RATE = 2", "RATE = 0")), file(gate.LanguagePython, "test_calc.py", pyTest, "x = 1\n")}
	if got := untested.Compare(files, asked{}); len(got) != 1 || got[0].Edits != "total" {
		t.Errorf("lost %+v", got)
	}
}

func replace(s, old, by string) string { return strings.Replace(s, old, by, 1) }

func TestABuildConstraintThatTheBaseHasLosesNoTest(t *testing.T) {
	constrained := "//go:build !purego\n\n" + goTest
	files := golang(constrained, replace(constrained, "package calc\n", "package calc\n\n// More.\n"))
	if got := untested.Compare(files, asked{tags: []string{"purego"}}); len(got) > 0 {
		t.Errorf("%+v", got)
	}
	files = golang(goTest, constrained)
	if got := untested.Compare(files, asked{tags: []string{"purego"}}); len(got) == 0 {
		t.Error("a new constraint that CI does not meet loses nothing")
	}
}
