package ran

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAFileThatSwitchesAllOfItsTestsOffRanNone(t *testing.T) {
	for name, c := range map[string]struct {
		path, text string
		off        bool
	}{
		"Go, skipped":               {"a_test.go", "package m\n\nfunc TestA(t *testing.T) {\n\tt.Skip(\"later\")\n\tF()\n}\n", true},
		"Go, on one line":           {"a_test.go", "func TestA(t *testing.T) { t.SkipNow(); F() }\n", true},
		"Go, returns at once":       {"a_test.go", "func TestA(t *testing.T) {\n\t// later\n\treturn\n\tF()\n}\n", true},
		"Go, a main that runs none": {"a_test.go", "func TestMain(m *testing.M) {\n\tos.Exit(0)\n}\nfunc TestA(t *testing.T) {\n\tF()\n}\n", true},
		"Go, one of two":            {"a_test.go", "func TestA(t *testing.T) {\n\tt.Skip()\n}\nfunc TestB(t *testing.T) {\n\tF()\n}\n", false},
		"Go, under a condition":     {"a_test.go", "func TestA(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n\tF()\n}\n", false},
		"Go, a main that runs":      {"a_test.go", "func TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\nfunc TestA(t *testing.T) {\n\tF()\n}\n", false},
		"a suite":                   {"a.test.js", "import { f } from './a'\ndescribe.skip('x', () => {\n  it('y', f)\n})\n", true},
		"tests with an x":           {"a.test.ts", "xit('y', f)\nxdescribe('z', f)\n", true},
		"by an option":              {"a.test.mjs", "test('y', { skip: true }, f)\n", true},
		"each of a table":           {"a.test.ts", "test.skip.each([1])('y', f)\n", true},
		"one of two in a script":    {"a.test.js", "test.skip('y', f)\ntest('z', f)\n", false},
		"on some machines":          {"a.test.ts", "describe.skipIf(process.env.CI)('y', f)\n", false},
		"no tests":                  {"a.js", "console.log(1)\n", false},
		"another language":          {"a_test.rb", "describe.skip('x')\n", false},
	} {
		e := Evidence{Path: c.path, Runs: []Run{{Tests: true, Told: true, Counted: true}}, Source: func(string) string { return c.text }}
		got := Decide(e)
		if off := got.Status == gate.ExecutionNoTestsRan && got.Deliberate && got.By == c.path; off != c.off {
			t.Errorf("%s: %+v, want it switched off: %v", name, got, c.off)
		}
	}
}
