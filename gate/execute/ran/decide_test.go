package ran

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
)

// The evidence of a program of five lines: an import, a function of two lines, a blank
// one and a call.
var (
	top  = []gate.LineRange{{1, 1}, {2, 3}, {5, 5}}
	all  = coverage.Lines{1: true, 2: true, 3: true, 5: true}
	none = coverage.Lines{1: false, 2: false, 3: false, 5: false}
	half = coverage.Lines{1: true, 2: true, 3: false, 5: false}
)

func ended(how string, code int, frames ...coverage.Frame) *coverage.Stopped {
	return &coverage.Stopped{How: how, Code: code, Frames: frames}
}

func TestFilesThatRanAreToldFromOthers(t *testing.T) {
	here := coverage.Frame{File: "a.py", Line: 2, Top: true}
	for _, tt := range []struct {
		name       string
		lines      coverage.Lines
		shape      coverage.Shape
		changed    gate.LineSet
		run        Run
		source     string
		status     gate.ExecutionStatus
		reason     string
		deliberate bool
		refused    bool
	}{
		{name: "all of it", lines: all, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true, Direct: true}, status: gate.ExecutionExited},
		{name: "an error at its end", lines: all, shape: coverage.Shape{Top: top}, run: Run{Code: 1, Counted: true, Told: true, Stopped: ended("ValueError", 1, here)}, status: gate.ExecutionExited},
		{name: "what nothing calls", lines: coverage.Lines{1: true, 2: true, 3: false, 5: true}, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true}, status: gate.ExecutionExited},
		{name: "functions only", lines: none, shape: coverage.Shape{Loaded: true}, run: Run{Counted: true, Told: true}, status: gate.ExecutionExited},
		{name: "no code", lines: coverage.Lines{}, run: Run{Counted: true, Told: true}, status: gate.ExecutionExited},
		{name: "the lines of the change", lines: half, shape: coverage.Shape{Top: top}, changed: gate.OnlyLines(gate.LineRange{1, 2}), run: Run{Counted: true, Told: true, Code: 1}, status: gate.ExecutionExited},
		{name: "other lines than those of the change", lines: half, shape: coverage.Shape{Top: top}, changed: gate.OnlyLines(gate.LineRange{2, 5}), run: Run{Counted: true, Told: true, Code: 1}, status: gate.ExecutionStoppedEarly},
		{name: "what a compiler left out", lines: coverage.Lines{1: true, 2: true, 3: true}, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true}, status: gate.ExecutionStoppedEarly},
		{name: "an end that nothing tells of", lines: half, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true}, status: gate.ExecutionStoppedEarly, reason: "its top level did not come to its end"},
		{
			name: "an exit", lines: half, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true, Stopped: ended("SystemExit", 0, here)}, source: "x\nraise SystemExit\n",
			status: gate.ExecutionStoppedEarly, reason: "SystemExit ended the program in line 2", deliberate: true,
		},
		{
			name: "an exit that misses an argument", lines: half, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true, Code: 2, Stopped: ended("SystemExit", 2, here)},
			source: "x\nif len(sys.argv) < 2: sys.exit(2)\n", status: gate.ExecutionStoppedEarly, reason: "SystemExit ended the program in line 2",
		},
		{
			name: "a library that misses an argument", lines: half, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true, Code: 2, Stopped: ended("SystemExit", 2, here)},
			source: "x\na = p.parse_args()\n", status: gate.ExecutionStoppedEarly, reason: "SystemExit ended the program in line 2",
		},
		{
			name: "a library that ends it without an error", lines: half, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true, Stopped: ended("SystemExit", 0, here)},
			source: "x\npydoc.cli()\n", status: gate.ExecutionStoppedEarly, reason: "SystemExit ended the program in line 2", deliberate: true,
		},
		{
			name: "an end without cleaning up", lines: half, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true, Stopped: ended("_exit", 3, here)}, source: "x\n  os._exit(3)\n",
			status: gate.ExecutionStoppedEarly, reason: "os._exit ended the program in line 2", deliberate: true,
		},
		{
			name: "an exit of another file while it is loaded", lines: none, shape: coverage.Shape{Top: top},
			run:    Run{Counted: true, Told: true, Code: 3, Stopped: ended("SystemExit", 3, coverage.Frame{File: "__init__.py", Line: 1, Top: true})},
			status: gate.ExecutionStoppedEarly, reason: "SystemExit ended the program in __init__.py, line 1", deliberate: true,
		},
		{
			name: "a function of another file that refuses its arguments", lines: half, shape: coverage.Shape{Top: top},
			run:    Run{Counted: true, Told: true, Code: 2, Stopped: ended("SystemExit", 2, here, coverage.Frame{File: "options.py", Line: 9})},
			status: gate.ExecutionStoppedEarly, reason: "SystemExit ended the program in options.py, line 9",
		},
		{
			name: "a function of another file that ends it as a success", lines: half, shape: coverage.Shape{Top: top},
			run:    Run{Counted: true, Told: true, Stopped: ended("process.exit", 0, here, coverage.Frame{File: "options.py", Line: 9})},
			status: gate.ExecutionStoppedEarly, reason: "process.exit ended the program in options.py, line 9", deliberate: true,
		},
		{
			name: "an error", lines: half, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true, Code: 1, Stopped: ended("KeyError", 1, here), Failure: Failure{Reason: "it ended with exit code 1: KeyError: 'x'"}},
			status: gate.ExecutionStoppedEarly, reason: "it ended with exit code 1: KeyError: 'x' in line 2",
		},
		{
			name: "a setting that is missing", lines: half, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true, Code: 1, Stopped: ended("ValueError", 1, here)},
			source: "x\n    raise ValueError('not set')\n", status: gate.ExecutionStoppedEarly, reason: "an error ended it in line 2", refused: true,
		},
		{
			name: "an error that is raised in any case", lines: half, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true, Code: 1, Stopped: ended("ValueError", 1, here)},
			source: "x\nraise ValueError('no')\n", status: gate.ExecutionStoppedEarly, reason: "an error ended it in line 2",
		},
		{name: "functions of a compiled program that nothing calls", lines: none, run: Run{Counted: true, Told: true, Compiled: true}, status: gate.ExecutionExited},
		{name: "a compiled program that failed", lines: none, run: Run{Counted: true, Told: true, Compiled: true, Code: 1}, status: gate.ExecutionStoppedEarly},
		{
			name: "a syntax error of its own", run: Run{Counted: true, Told: true, Code: 1, Stopped: &coverage.Stopped{How: "IndentationError", Code: 1, File: "a.py", Line: 3}},
			status: gate.ExecutionSyntaxError, reason: "syntax error in line 3",
		},
		{
			name: "a syntax error of what it imports", lines: half, run: Run{Counted: true, Told: true, Code: 1, Stopped: &coverage.Stopped{How: "SyntaxError", Code: 1, Frames: []coverage.Frame{here}, File: "b.py", Line: 3}},
			shape: coverage.Shape{Top: top}, status: gate.ExecutionSyntaxError, reason: "syntax error in b.py, line 3",
		},
		{
			name: "a module that is not there", lines: half, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true, Code: 1, Stopped: &coverage.Stopped{How: "ModuleNotFoundError", Code: 1, Frames: []coverage.Frame{here}, Name: "flask.views"}},
			status: gate.ExecutionMissingModule, reason: "it needs the module flask",
		},
		{
			name: "an import that fails", lines: half, shape: coverage.Shape{Top: top}, run: Run{Counted: true, Told: true, Code: 1, Stopped: &coverage.Stopped{How: "ImportError", Code: 1, Frames: []coverage.Frame{here}, Name: "json"}},
			status: gate.ExecutionImportFailed, reason: "its import from json failed in line 2",
		},
		{
			name: "what the output says where only the place of an error is known", lines: none, shape: coverage.Shape{Top: top},
			run:    Run{Counted: true, Told: true, Code: 1, Stopped: ended("exception", 1, here), Failure: Failure{Status: gate.ExecutionImportFailed, Reason: "its import from x failed"}},
			status: gate.ExecutionImportFailed, reason: "its import from x failed",
		},
		{name: "no word, and no error", run: Run{Counted: true, Direct: true}, status: gate.ExecutionStoppedEarly, reason: "before it told which of its lines ran", deliberate: true},
		{name: "no word, and an error", run: Run{Counted: true, Direct: true, Code: 1}, status: gate.ExecutionStoppedEarly, reason: "before it told which of its lines ran"},
		{name: "a file that no run loaded", run: Run{Counted: true, Told: true, Direct: true}, status: gate.ExecutionStoppedEarly, reason: "no run came to it"},
		{name: "text that was translated", shape: coverage.Shape{Loaded: true}, run: Run{Counted: true, Told: true}, status: gate.ExecutionExited},
		{name: "a part of a program", run: Run{Counted: true, Told: true, Compiled: true}, status: gate.ExecutionExited},
		{name: "a program that is not built", run: Run{Counted: true, Compiled: true, Code: 125, Failure: Failure{Status: gate.ExecutionNotBuilt, Reason: "it did not build"}}, status: gate.ExecutionNotBuilt, reason: "it did not build"},
		{name: "where nothing can tell", run: Run{}, status: gate.ExecutionExited},
		{name: "where nothing can tell, and it cannot be read", run: Run{Code: 2, Failure: Failure{Status: gate.ExecutionSyntaxError, Reason: "syntax error in line 9"}}, status: gate.ExecutionSyntaxError, reason: "syntax error in line 9"},
		{name: "a recipe of the change", lines: coverage.Lines{2: true, 5: false}, shape: coverage.Shape{Apart: true}, run: Run{Counted: true, Told: true}, status: gate.ExecutionExited},
		{name: "recipes that nothing asked for", lines: coverage.Lines{2: true, 5: false}, shape: coverage.Shape{Apart: true}, changed: gate.OnlyLines(gate.LineRange{4, 5}), run: Run{Counted: true, Told: true}, status: gate.ExecutionNotRun, reason: "its default goal runs none of the changed lines"},
		{name: "no recipe in the change", lines: coverage.Lines{2: true, 5: false}, shape: coverage.Shape{Apart: true}, changed: gate.OnlyLines(gate.LineRange{1, 1}), run: Run{Counted: true, Told: true}, status: gate.ExecutionExited},
		{name: "tests", lines: all, shape: coverage.Shape{Top: top, Tests: 2, Tested: 1}, run: Run{Tests: true, Counted: true, Told: true}, status: gate.ExecutionExited},
		{name: "tests of which none ran", lines: all, shape: coverage.Shape{Top: top, Tests: 2}, run: Run{Tests: true, Counted: true, Told: true}, status: gate.ExecutionNoTestsRan, reason: "none of its tests ran"},
		{name: "tests that no runner loaded", run: Run{Tests: true, Counted: true}, status: gate.ExecutionNoTestsRan, reason: "none of its tests ran"},
		{name: "tests that lack a module", run: Run{Tests: true, Counted: true, Told: true, Code: 2, Failure: Failure{Status: gate.ExecutionMissingModule, Reason: "it needs the module x", Lacks: "x"}}, status: gate.ExecutionMissingModule, reason: "it needs the module x"},
		{name: "a runner that is not there", run: Run{Tests: true, Counted: true, Code: 127, Failure: Failure{Reason: "it needs the command jest", Lacks: "jest"}}, status: gate.ExecutionNoTestsRan, reason: "it needs the command jest"},
		{
			name: "tests that skip themselves", lines: coverage.Lines{1: true, 2: true, 5: false}, shape: coverage.Shape{Top: []gate.LineRange{{1, 1}, {2, 2}, {5, 5}}}, run: Run{Tests: true, Counted: true, Told: true},
			source: "import pytest\npytest.skip('x', allow_module_level=True)\n", status: gate.ExecutionNoTestsRan, reason: "it skips all of its tests in line 2", deliberate: true,
		},
		{
			name: "tests that want a library", lines: coverage.Lines{1: true, 2: true, 5: false}, shape: coverage.Shape{Top: []gate.LineRange{{1, 1}, {2, 2}, {5, 5}}}, run: Run{Tests: true, Counted: true, Told: true},
			source: "import pytest\nnumpy = pytest.importorskip('x')\n", status: gate.ExecutionNoTestsRan, reason: "none of its tests ran",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := Decide(Evidence{Path: "a.py", Changed: tt.changed, Lines: tt.lines, Shape: tt.shape, Runs: []Run{tt.run}, Source: func(string) string { return tt.source }})
			if v.Status != tt.status || !strings.Contains(v.Reason, tt.reason) || v.Deliberate != tt.deliberate {
				t.Errorf("%s %q deliberate %v\nwant %s %q %v", v.Status, v.Reason, v.Deliberate, tt.status, tt.reason, tt.deliberate)
			}
			if tt.refused && !v.Refused {
				t.Errorf("it did not refuse: %+v", v)
			}
			if v.Ran() != (tt.status == gate.ExecutionExited) || !v.Ran() && v.Reason == "" {
				t.Errorf("a file that did not run has no reason: %+v", v)
			}
		})
	}
}
