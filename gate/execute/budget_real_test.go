package execute_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// slowSuites are a suite whose last tests take minutes of processor time, in each language: none
// of them has to do with a.
var slowSuites = map[string]string{
	"go/go.mod":       "module example.com/x\n\ngo 1.21\n",
	"go/a.go":         "package x\n\nfunc Double(n int) int {\n\treturn 2 * n\n}\n",
	"go/b.go":         "package x\n\nimport \"time\"\n\nfunc spin(d time.Duration) {\n\tfor end := time.Now().Add(d); time.Now().Before(end); {\n\t}\n}\n",
	"go/a_test.go":    "package x\n\nimport \"testing\"\n\nfunc TestZDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n",
	"go/b_test.go":    "package x\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestASlow(t *testing.T) { spin(10 * time.Minute) }\n\nfunc TestBSlow(t *testing.T) { spin(10 * time.Minute) }\n",
	"py/setup.cfg":    "[tool:pytest]\n",
	"py/calc.py":      "def double(n):\n    return 2 * n\n",
	"py/test_b.py":    "import time\nimport calc\n\ndef test_slow():\n    end = time.time() + 600\n    while time.time() < end:\n        pass\n\ndef test_later():\n    assert calc.double(1) == 2\n",
	"py/test_calc.py": "import calc\n\ndef test_double():\n    assert calc.double(2) == 4\n",
	"js/calc.js":      "exports.double = n => {\n  return 2 * n\n}\nexports.half = n => {\n  return n / 2\n}\n",
	"js/calc.test.js": "const {test} = require('node:test')\nconst {double} = require('./calc')\n\ntest('double', () => { double(2) })\n",
	"js/slow.test.js": "const {test} = require('node:test')\nconst {half} = require('./calc')\n\ntest('slow', () => {\n  half(3)\n  for (const end = Date.now() + 600000; Date.now() < end;);\n})\n",
	"sh/sum.sh":       "sum() {\n  echo $(($1 + $2))\n}\nhalf() {\n  echo $(($1 / 2))\n}\n",
	"sh/sum.bats":     "load sum.sh\n\n@test \"sum\" {\n  [ $(sum 1 2) = 3 ]\n}\n",
	"sh/slow.bats":    ". \"$BATS_TEST_DIRNAME\"/s?m.sh\n\n@test \"slow\" {\n  half 2\n  while :; do :; done\n}\n",
}

// brief is a stage that gives tests a few seconds.
func brief(t *testing.T, budget time.Duration, with func(*execute.Options)) *execute.Stage {
	t.Helper()
	return realStage(t, "runc", func(o *execute.Options) {
		o.Policy.Conditions, o.Required, o.Policy.TestTimeout = 0, true, budget
		with(o)
	})
}

func gapsOf(out gate.Outcome, path string) string {
	var all []string
	for _, g := range out.Incomplete {
		if g.Path == path {
			all = append(all, g.Reason)
		}
	}
	return strings.Join(all, "; ")
}

func TestTestsLeftOutByTheBudgetAreReported(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path   string
		budget time.Duration
		says   string
	}{
		{"go/a.go", 25 * time.Second, "1 of 3 tests ran: those that are nearest to the change, and others for a while; not run: TestASlow, TestBSlow"},
		{"py/calc.py", 6 * time.Second, "1 of 3 tests ran within 6s; not run: test_b.py::test_slow, test_b.py::test_later"},
		{"js/calc.js", 24 * time.Second, "tests that are not nearest to the change were ended after 6s: js/slow.test.js"},
		{"sh/sum.sh", 24 * time.Second, "tests that are not nearest to the change were ended after 6s: sh/slow.bats"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			out, _ := executions(t, brief(t, tt.budget, func(*execute.Options) {}), changeOf(files(slowSuites), tt.path))
			e := out.Executions[tt.path]
			if gaps := gapsOf(out, tt.path); e.Status != gate.ExecutionExited || e.Reason != tt.says || gaps != "" || e.Coverage["executed"] == 0 || e.Coverage["executed"] != e.Coverage["executable"] {
				t.Errorf("%s %q, coverage %v %q, gaps %q\nunits %s", e.Status, e.Reason, e.Coverage, e.CoverageReason, gaps, e.Reason)
				for _, u := range e.Units {
					t.Logf("%s %s %d %q %q %q", u.Kind, u.Status, u.DurationMS, u.Reason, u.Stdout.Text, u.Stderr.Text)
				}
			}
		})
	}
}

func TestTestsBesideTheNearestDoNotRunWhereEveryChangedLineHas(t *testing.T) {
	t.Parallel()
	for path, lines := range map[string]gate.LineRange{"js/calc.js": {1, 3}, "sh/sum.sh": {1, 3}} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			change := changeOf(files(slowSuites), path)
			change.Targets[0].Lines = gate.OnlyLines(lines)
			out, _ := executions(t, brief(t, 24*time.Second, func(*execute.Options) {}), change)
			e := out.Executions[path]
			tests := 0
			for _, u := range e.Units {
				if u.Kind == "tests" {
					tests++
				}
			}
			const want = "tests that are not nearest to the change were not run: every changed line had run"
			if tests != 1 || e.Reason != want || e.Coverage["executed"] != 2 || gapsOf(out, path) != "" {
				t.Errorf("%d runs of tests, %q, coverage %v, gaps %q", tests, e.Reason, e.Coverage, gapsOf(out, path))
			}
		})
	}
}

// The edited test of a file is the first; the others of it have a quarter of the time, and none
// under another condition.
func TestTestsOfAFileBesideTheEditedOneHaveAQuarterOfTheTime(t *testing.T) {
	t.Parallel()
	tree := map[string]string{
		"sum.sh":   "sum() {\n  [ \"$(date +%Y)\" -lt 2029 ] || echo late\n  echo $(($1 + $2))\n}\n",
		"sum.bats": "load sum.sh\n\n@test \"slow\" {\n  while :; do :; done\n}\n\n@test \"sum\" {\n  [ $(sum 1 2) = 3 ]\n}\n",
	}
	change := changeOf(files(tree))
	for _, target := range change.Targets {
		if target.Path == "sum.bats" {
			target.Lines = gate.OnlyLines(gate.LineRange{8, 8})
		}
	}
	out, found := executions(t, brief(t, 24*time.Second, func(o *execute.Options) { o.Policy.Conditions = 1 }), change)
	e := out.Executions["sum.bats"]
	said := ""
	for _, u := range e.Units {
		said += fmt.Sprintf("%s %s after %d s: %s; ", u.Kind, u.Status, u.DurationMS/6000*6, u.Reason)
	}
	const want = "tests exited after 6 s: 0 of 2 tests ran: those that are nearest to the change, and others for a while; tests, on a build machine exited after 0 s: ; "
	if gaps := gapsOf(out, "sum.bats"); said != want || e.ExitCode != 0 || gaps != "" || len(found.Of("sum.sh")) > 0 {
		t.Errorf("%s\nwant %s\nexit code %d, gaps %q, findings %v", said, want, e.ExitCode, gaps, found.Of("sum.sh"))
	}
}

// A suite whose other tests take long costs a quarter of the time, unless one of them runs a changed
// line as the first; under another condition none of them runs.
func TestTestsBesideTheNearestHaveAQuarterOfTheTime(t *testing.T) {
	t.Parallel()
	const sleeps = "import time\nimport calc\n\ndef test_0():\n    time.sleep(3)\n\ndef test_1():\n    time.sleep(3)\n    calc.half(2)\n"
	many := sleeps
	for i := 2; i < 40; i++ {
		many += fmt.Sprintf("\ndef test_%d():\n    time.sleep(3)\n", i)
	}
	for _, tt := range []struct {
		name, runner, says string
	}{
		{"pytest", "[tool:pytest]\n", "of 41 tests ran: those that are nearest to the change, and others for a while; not run: test_b.py::test_"},
		{"unittest", "", "of 41 tests ran: those that are nearest to the change, and others for a while; not run: test_b.All.test_"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			head := map[string]string{
				"calc.py":      "import datetime\n\ndef double(n):\n    return 2 * n\n\ndef half(n):\n    return n if datetime.datetime.now().year > 2029 else n / 2\n",
				"test_calc.py": "import calc\n\ndef test_double():\n    assert calc.double(2) == 4\n",
				"test_b.py":    many,
				"setup.cfg":    tt.runner,
			}
			if tt.runner == "" {
				head["test_calc.py"] = "import unittest\nimport calc\n\nclass Double(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(calc.double(2), 4)\n"
				head["test_b.py"] = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(many, "\n    ", "\n        "), "\ndef test", "\n    def test"), "():", "(self):")
				head["test_b.py"] = strings.Replace(head["test_b.py"], "import time\nimport calc\n", "import time\nimport unittest\nimport calc\n\nclass All(unittest.TestCase):\n", 1)
			}
			s := brief(t, 32*time.Second, func(o *execute.Options) { o.Policy.Conditions = 1 })
			out, found := executions(t, s, changeOf(files(head), "calc.py"))
			e, said := out.Executions["calc.py"], ""
			for _, u := range e.Units {
				if u.Kind == "tests" {
					said += u.Reason
				}
				shifted := strings.Contains(u.Kind, "2030")
				if took := time.Duration(u.DurationMS) * time.Millisecond; strings.HasPrefix(u.Kind, "tests") && (!shifted && (took < 11*time.Second || took > 30*time.Second) || shifted && took > 8*time.Second) {
					t.Errorf("%s took %s: %s", u.Kind, took, u.Stdout.Text)
				}
			}
			if gaps := gapsOf(out, "calc.py"); !strings.Contains(said, tt.says) || gaps != "" || e.Coverage["executed"] != e.Coverage["executable"] || len(found.Of("calc.py")) > 0 {
				t.Errorf("%s %q, coverage %s, gaps %q, findings %+v", e.Status, said, told(e), gaps, found.Of("calc.py"))
			}
		})
	}
}

// Of Go, the tests that had no time run where lines of the change have not run.
func TestTestsOfGoThatHadNoTimeRunForLinesThatHaveNot(t *testing.T) {
	t.Parallel()
	head := map[string]string{
		"go.mod":    slowSuites["go/go.mod"],
		"a.go":      "package x\n\nfunc Double(n int) int {\n\treturn 2 * n\n}\n\nfunc half(n int) int {\n\treturn n / 2\n}\n",
		"b.go":      "package x\n\nvar all = map[string]func(int) int{\"half\": half}\n",
		"a_test.go": slowSuites["go/a_test.go"],
		"b_test.go": "package x\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestASlow(t *testing.T) {\n\ttime.Sleep(13 * time.Second)\n}\n\nfunc TestByName(t *testing.T) {\n\tif all[\"half\"](4) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
	}
	out, _ := executions(t, brief(t, 48*time.Second, func(*execute.Options) {}), changeOf(files(head), "a.go"))
	e, said := out.Executions["a.go"], ""
	for _, u := range e.Units {
		said += fmt.Sprintf("%d %s %q; ", u.DurationMS, u.Reason, u.Stdout.Text)
	}
	for _, b := range e.Behaviour {
		if strings.Contains(b.Detail, "sh -c") {
			t.Errorf("our own start of the tests is shown: %s", b.Detail)
		}
	}
	if gaps := gapsOf(out, "a.go"); !strings.Contains(said, "1 of 3 tests ran: those that are nearest") || !strings.Contains(said, "--- PASS: TestByName") || strings.Count(said, "--- PASS: TestZDouble") != 1 || told(e) != "2 of 2, 9 changed" || gaps != "" {
		t.Errorf("%s, gaps %q\n%s", told(e), gaps, said)
	}
}

func TestTestsLeftOutByTheBudgetAreGapsUnderTheStrictProfile(t *testing.T) {
	t.Parallel()
	s := brief(t, 6*time.Second, func(o *execute.Options) { o.On.NotExecutable = gate.LeniencyIncomplete })
	out, _ := executions(t, s, changeOf(files(slowSuites), "py/calc.py"))
	if gaps := gapsOf(out, "py/calc.py"); !strings.Contains(gaps, "1 of 3 tests ran within 6s") {
		t.Errorf("gaps %q", gaps)
	}
}

// The budget is no hiding place: new code that still runs at its end is a gap, and new
// code that waits is run again without its waits.
func TestNewCodeThatOutlastsTheBudgetIsNoNote(t *testing.T) {
	t.Parallel()
	steal := "open(os.path.expanduser('~/.ssh/id_rsa')).read()"
	for _, tt := range []struct {
		name, path, text string
		budget           time.Duration
		gap, finding     string
	}{
		{"a test of Python that loops for ever", "py/test_x.py", "import calc\n\ndef test_loop():\n    while True:\n        calc.double(1)\n", 8 * time.Second, "py/test_x.py", ""},
		{"a test of Python that waits before it acts", "py/test_x.py", "import os, time\n\ndef test_wait():\n    time.sleep(600)\n    " + steal + "\n", 8 * time.Second, "", "credentials"},
		{"a module whose function never returns", "py/calc.py", "def double(n):\n    while n:\n        pass\n", 8 * time.Second, "py/calc.py", ""},
		{"a thread that outlives its test", "py/calc.py", "import threading\n\ndef spin():\n    while True:\n        pass\n\ndef double(n):\n    threading.Thread(target=spin, daemon=True).start()\n    return 2 * n\n", 6 * time.Second, "py/calc.py", ""},
		{"a test of Go that loops for ever", "go/x_test.go", "package x\n\nimport \"testing\"\n\nfunc TestLoop(t *testing.T) {\n\tfor n := 0; ; n++ {\n\t\tDouble(n)\n\t}\n}\n", 25 * time.Second, "go/x_test.go", ""},
		{"a test of Go that waits before it acts", "go/x_test.go", "package x\n\nimport (\n\t\"os\"\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestWait(t *testing.T) {\n\ttime.Sleep(10 * time.Minute)\n\tos.ReadFile(os.Getenv(\"HOME\") + \"/.ssh/id_rsa\")\n}\n", 25 * time.Second, "", "credentials"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			head := map[string]string{}
			for p, text := range slowSuites {
				if !strings.HasPrefix(tt.path, p[:3]) || tt.finding != "" && (p == "go/b_test.go" || p == "py/test_b.py") {
					continue
				}
				head[p] = text
			}
			head[tt.path] = tt.text
			out, found := executions(t, brief(t, tt.budget, func(*execute.Options) {}), changeOf(files(head), tt.path))
			gaps, ruled := gapsOf(out, tt.path), strings.Join(rules(found, tt.path), " ")
			if (tt.gap != "") != strings.Contains(gaps, "still running after") || tt.gap != "" && !strings.Contains(gaps, "in "+tt.gap) || !strings.Contains(ruled, tt.finding) {
				t.Errorf("gaps %q, findings %s\n%s", gaps, ruled, told(out.Executions[tt.path]))
				for _, u := range out.Executions[tt.path].Units {
					t.Logf("%s %d %s %q %q", u.Kind, u.DurationMS, u.Reason, u.Stdout.Text, u.Stderr.Text)
				}
			}
		})
	}
}

func TestEditedTestsOfAFileDecide(t *testing.T) {
	t.Parallel()
	const text = "import time\n\ndef test_slow():\n    end = time.time() + 600\n    while time.time() < end:\n        pass\n\ndef test_quick():\n    assert 1 + 1 == 2\n"
	for _, tt := range []struct {
		name        string
		lines       gate.LineRange
		gap, reason string
	}{
		{"one that ends, behind a slow one", gate.LineRange{9, 9}, "", "1 of 2 tests ran within 8s; not run: test_big.py::test_slow"},
		{"the slow one", gate.LineRange{5, 5}, "in py/test_big.py", "0 of 2 tests ran within 8s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			change := changeOf(files(map[string]string{"py/setup.cfg": slowSuites["py/setup.cfg"], "py/test_big.py": text}), "py/test_big.py")
			change.Targets[0].Lines = gate.OnlyLines(tt.lines)
			out, _ := executions(t, brief(t, 8*time.Second, func(*execute.Options) {}), change)
			e := out.Executions["py/test_big.py"]
			if gaps := gapsOf(out, "py/test_big.py"); (gaps == "") != (tt.gap == "") || !strings.Contains(gaps, tt.gap) || !strings.Contains(e.Reason, tt.reason) && !strings.Contains(gaps, "still running") {
				t.Errorf("%s %q, gaps %q\n%s", e.Status, e.Reason, gaps, told(e))
			}
		})
	}
}

func TestStandInsReplaceModulesOfTheNearestTestsAfterATimeout(t *testing.T) {
	t.Parallel()
	head := map[string]string{
		"py/setup.cfg":    slowSuites["py/setup.cfg"],
		"py/calc.py":      "def double(n):\n    import absent_of_nobody\n    return 2 * n\n",
		"py/test_calc.py": "import calc\n\ndef test_double():\n    assert calc.double(2) == 4\n",
		"py/test_slow.py": slowSuites["py/test_b.py"],
	}
	out, _ := executions(t, brief(t, 6*time.Second, func(*execute.Options) {}), changeOf(files(head), "py/calc.py"))
	if e := out.Executions["py/calc.py"]; strings.Join(e.StandIns, " ") != "absent_of_nobody" || e.Coverage["executed"] == 0 || e.Coverage["executed"] != e.Coverage["executable"] {
		t.Errorf("stand-ins %q, coverage %v\n%s", e.StandIns, e.Coverage, told(e))
	}
}
