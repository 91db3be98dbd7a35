package gate

import (
	"reflect"
	"testing"
)

// counted is a file whose run says which of its changed lines ran.
func counted(path string, s ExecutionStatus, reason string, executed, executable int) FileResult {
	return FileResult{Path: path, Execution: &Execution{Runnable: true, Status: s, Reason: reason, Coverage: map[string]int{"executed": executed, "executable": executable}}}
}

func uncounted(path string, s ExecutionStatus, reason string, runnable bool) FileResult {
	return FileResult{Path: path, Execution: &Execution{Runnable: runnable, Status: s, Reason: reason}}
}

func TestExecutedLinesAreSummedUpWithReasons(t *testing.T) {
	for name, tt := range map[string]struct {
		files []FileResult
		want  Executed
	}{
		"nothing":                                {nil, Executed{}},
		"a document":                             {[]FileResult{uncounted("a.md", ExecutionNotRun, "nothing to execute in Markdown", false), {Path: "b"}}, Executed{}},
		"lines of two files":                     {[]FileResult{counted("a", ExecutionExited, "", 3, 4), counted("b", ExecutionExited, "", 5, 5)}, Executed{Lines: 8, Of: 9, Files: 2}},
		"a change of comments only":              {[]FileResult{counted("a", ExecutionExited, "", 0, 0)}, Executed{}},
		"a run whose lines are not counted":      {[]FileResult{uncounted("a", ExecutionExited, "", true)}, Executed{Unmeasured: 1}},
		"a result that does not say it is code":  {[]FileResult{uncounted("a", ExecutionMissingModule, "it needs x", false)}, Executed{Unrun: []Unrun{{"it needs x", 1, "a"}}}},
		"no way to run it":                       {[]FileResult{uncounted("a.rb", ExecutionNotRun, "no Ruby", true)}, Executed{Unrun: []Unrun{{"no Ruby", 1, "a.rb"}}}},
		"stopped, and its lines ran in a test":   {[]FileResult{counted("a", ExecutionMissingModule, "it needs x", 4, 4)}, Executed{Lines: 4, Of: 4, Files: 1}},
		"stopped on the way":                     {[]FileResult{counted("a", ExecutionMissingModule, "it needs x", 1, 4)}, Executed{Lines: 1, Of: 4, Files: 1, Unrun: []Unrun{{"it needs x", 1, "a"}}}},
		"stopped before its first line":          {[]FileResult{counted("a", ExecutionStoppedEarly, "it exits", 0, 4)}, Executed{Of: 4, Files: 1, Unrun: []Unrun{{"it exits", 1, "a"}}}},
		"a run that gate or the engine failed":   {[]FileResult{counted("a", ExecutionFailed, "no engine", 0, 4)}, Executed{Of: 4, Files: 1, Unrun: []Unrun{{"no engine", 1, "a"}}}},
		"the reason of most files first":         {[]FileResult{uncounted("a", ExecutionNotRun, "x", true), uncounted("b", ExecutionNotRun, "y", true), uncounted("c", ExecutionNotRun, "y", true)}, Executed{Unrun: []Unrun{{"y", 2, "b"}, {"x", 1, "a"}}}},
		"counts that cannot be true count as no": {[]FileResult{counted("a", ExecutionExited, "", 5, 4), counted("b", ExecutionExited, "", -1, 4), counted("c", ExecutionExited, "", 1, maxLines+1)}, Executed{Unmeasured: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := SumUp(tt.files); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestASandboxThatExecutedNoneOfTheChangeDidNotRun(t *testing.T) {
	for name, tt := range map[string]struct {
		had  LayerStatus
		file FileResult
		want LayerStatus
		sum  bool
	}{
		"a line ran":                  {LayerRan, counted("a", ExecutionExited, "", 1, 4), LayerRan, true},
		"a program ran":               {LayerRan, uncounted("a", ExecutionServing, "", true), LayerRan, true},
		"no line of a program ran":    {LayerRan, counted("a", ExecutionExited, "", 0, 4), LayerIdle, true},
		"a module was missing":        {LayerRan, uncounted("a", ExecutionMissingModule, "it needs x", true), LayerIdle, true},
		"there is nothing to execute": {LayerRan, uncounted("a", ExecutionNotRun, "Markdown", false), LayerIdle, true},
		"parts say that none ran":     {LayerIdle, counted("a", ExecutionExited, "", 1, 4), LayerRan, true},
		"it failed":                   {LayerFailed, counted("a", ExecutionExited, "", 1, 4), LayerFailed, false},
		"it was not there":            {LayerSkipped, counted("a", ExecutionExited, "", 1, 4), LayerSkipped, false},
	} {
		t.Run(name, func(t *testing.T) {
			given := []LayerResult{{Name: LayerSandbox, Status: tt.had}}
			res := Conclude(Result{Layers: given, Files: []FileResult{tt.file}}, Policy{})
			if got := res.Layers[0].Status; got != tt.want || (res.Executed != nil) != tt.sum || given[0].Status != tt.had {
				t.Errorf("%s with %+v, want %s", got, res.Executed, tt.want)
			}
		})
	}
}
