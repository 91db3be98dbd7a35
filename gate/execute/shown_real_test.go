package execute_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// Where every changed line has run, tests that are not nearest go on for a few seconds only. One
// that waits for others to end does not run, though it is in a file of the change. Of a file with
// many tests the likeliest are the nearest.
func TestTestsBesideTheNearestEndSoonWhereEveryChangedLineHasRun(t *testing.T) {
	t.Parallel()
	slow, many := "import time\nimport calc\n", "import time\nimport calc\n\nclass TestOthers:\n"
	for i := range 12 {
		slow += fmt.Sprintf("\ndef test_%d():\n    time.sleep(1)\n", i)
	}
	for i := range 120 {
		many += fmt.Sprintf("    def test_%d(self):\n        time.sleep(0.2)\n", i)
	}
	calc := "def double(n):\n    return 2 * n\n"
	for _, tt := range []struct {
		name  string
		tree  map[string]string
		lines map[string]gate.LineRange
		says  string
	}{
		{"Go", map[string]string{
			"go.mod":    "module example.com/x\n\ngo 1.21\n",
			"a.go":      "package x\n\nfunc Double(n int) int {\n\treturn 2 * n\n}\n",
			"a_test.go": "package x\n\nimport \"testing\"\n\nfunc TestZDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestWaits(t *testing.T) {\n\tt.Parallel()\n}\n",
			"b_test.go": "package x\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestSlow(t *testing.T) {\n\ttime.Sleep(25 * time.Second)\n}\n",
		}, map[string]gate.LineRange{"a.go": {4, 4}, "a_test.go": {6, 6}}, "1 of 3 tests ran"},
		{"Python", map[string]string{"setup.cfg": "[tool:pytest]\n", "calc.py": calc, "test_calc.py": "import calc\n\ndef test_double():\n    assert calc.double(2) == 4\n", "test_b.py": slow},
			map[string]gate.LineRange{"calc.py": {2, 2}}, " of 13 tests ran: those that are nearest to the change, and others for a while"},
		{"one large file of Python", map[string]string{"setup.cfg": "[tool:pytest]\n", "calc.py": calc, "test_calc.py": many + "\nclass TestDouble:\n    def test_double(self):\n        assert calc.double(2) == 4\n"},
			map[string]gate.LineRange{"calc.py": {1, 2}}, " of 121 tests ran: those that are nearest to the change, and others for a while"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			change := changeOf(files(tt.tree))
			kept := change.Targets[:0]
			for _, target := range change.Targets {
				if lines, ok := tt.lines[target.Path]; ok {
					target.Lines = gate.OnlyLines(lines)
					kept = append(kept, target)
				}
			}
			change.Targets = kept
			out, _ := executions(t, brief(t, time.Minute, func(*execute.Options) {}), change)
			for path := range tt.lines {
				e, said, tests := out.Executions[path], "", 0
				for _, u := range e.Units {
					if u.Kind == "tests" {
						tests++
						said += u.Reason
					}
				}
				if gaps := gapsOf(out, path); tests != 1 || !strings.Contains(said, tt.says) || gaps != "" {
					t.Errorf("%s: %d runs of tests, %q, coverage %v, gaps %q", path, tests, said, e.Coverage, gaps)
				}
			}
		})
	}
}
