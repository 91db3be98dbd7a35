package report

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestTheTopOfAReportSaysHowMuchOfTheChangeRan(t *testing.T) {
	ran := []gate.LayerResult{{Name: gate.LayerSandbox, Status: gate.LayerRan}}
	skipped := func(why string) []gate.LayerResult {
		return []gate.LayerResult{{Name: gate.LayerSandbox, Status: gate.LayerSkipped, Reason: why}}
	}
	file := func(path string, s gate.ExecutionStatus, reason string, counts map[string]int) gate.FileResult {
		return gate.FileResult{Path: path, Change: gate.ChangeModified, Execution: &gate.Execution{Runnable: true, Status: s, Reason: reason, Coverage: counts}}
	}
	lines := func(executed, executable int) map[string]int {
		return map[string]int{"executed": executed, "executable": executable}
	}
	whole := file("a.py", gate.ExecutionExited, "", lines(3, 4))
	tree := whole
	tree.Change = gate.ChangeNone
	needs := func(path, module string) gate.FileResult {
		return file(path, gate.ExecutionMissingModule, "it needs the module "+module, nil)
	}
	for name, tt := range map[string]struct {
		layers []gate.LayerResult
		files  []gate.FileResult
		want   string
	}{
		"not selected":          {skipped(notSelected), []gate.FileResult{whole}, ""},
		"no file":               {ran, nil, ""},
		"no engine":             {skipped("no engine answers"), []gate.FileResult{{Path: "a.py"}}, "Executed nothing: <no engine answers>."},
		"lines of a change":     {ran, []gate.FileResult{whole, whole}, "Executed 6 of 8 changed lines in 2 files."},
		"lines of a folder":     {ran, []gate.FileResult{tree}, "Executed 3 of 4 lines in 1 file."},
		"not counted":           {ran, []gate.FileResult{file("a.sh", gate.ExecutionExited, "", nil)}, "Executed 1 file whose lines are not counted."},
		"counted and not":       {ran, []gate.FileResult{whole, file("a.sh", gate.ExecutionExited, "", nil)}, "Executed 3 of 4 changed lines in 1 file, and 1 file whose lines are not counted."},
		"a document":            {ran, []gate.FileResult{{Path: "a.md", Execution: &gate.Execution{Status: gate.ExecutionNotRun}}}, "Executed nothing: there was nothing to execute."},
		"a file that needs one": {ran, []gate.FileResult{whole, needs("b.py", "x\x1b")}, `Executed 3 of 4 changed lines in 1 file. <b.py> did not run to the end: <it needs the module x\x1b>.`},
		"a file that exits":     {ran, []gate.FileResult{file("a.py", gate.ExecutionStoppedEarly, "it exits", lines(0, 4))}, "Executed 0 of 4 changed lines in 1 file. <a.py> did not run to the end: <it exits>."},
		"files that need one":   {ran, []gate.FileResult{needs("a.py", "x"), needs("b.py", "x")}, "Executed none of the change. 2 files did not run to the end: <it needs the module x>."},
		"many reasons": {
			ran, []gate.FileResult{needs("a.py", "1"), needs("b.py", "2"), needs("c.py", "3"), needs("d.py", "4"), needs("e.py", "5")},
			"Executed none of the change. <a.py> did not run to the end: <it needs the module 1>. <b.py> did not run to the end: <it needs the module 2>." +
				" <c.py> did not run to the end: <it needs the module 3>. 2 more files did not run.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := executedText(gate.Result{Layers: tt.layers, Files: tt.files}, func(s string) string { return "<" + visible(s) + ">" })
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
