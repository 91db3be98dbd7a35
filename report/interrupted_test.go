package report

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAFileThatDidNotRunSaysSoInItsHeadline(t *testing.T) {
	for _, tt := range []struct {
		name     string
		status   gate.ExecutionStatus
		reason   string
		standIns []string
		found    gate.Severity
		gap      bool
		want     string
	}{
		{name: "a syntax error", status: gate.ExecutionSyntaxError, reason: "syntax error in line 3", want: "did not run: syntax error in line 3"},
		{name: "words of the program are not repeated", status: gate.ExecutionSyntaxError, reason: "syntax error in <b>, line 3", want: "did not run: syntax error"},
		{name: "a module", status: gate.ExecutionMissingModule, want: "did not run: missing module"},
		{name: "something in its place", status: gate.ExecutionMissingModule, standIns: []string{"x"}, want: "with stand-ins: missing module"},
		{name: "an import", status: gate.ExecutionImportFailed, want: "did not run: import failed"},
		{name: "an early end", status: gate.ExecutionStoppedEarly, want: "did not run: stopped early"},
		{name: "tests", status: gate.ExecutionNoTestsRan, want: "did not run: no tests ran"},
		{name: "a build", status: gate.ExecutionNotBuilt, want: "did not run: not built"},
		{name: "where it is required", status: gate.ExecutionNotBuilt, gap: true, want: "did not run: not built"},
		{name: "beside a finding", status: gate.ExecutionNotBuilt, found: gate.SeveritySuspicious, want: "suspicious 1, did not run: not built"},
		{name: "what ran", status: gate.ExecutionExited, want: "exit 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := gate.FileResult{Path: "a.py", Execution: &gate.Execution{Status: tt.status, Reason: tt.reason, StandIns: tt.standIns}}
			if tt.found > 0 {
				f.Findings = []gate.Finding{{Rule: "a/b", Layer: gate.LayerSandbox, Severity: tt.found, InChange: true}}
			}
			r := gate.Result{Layers: []gate.LayerResult{{Name: gate.LayerSandbox, Status: gate.LayerRan}}, Files: []gate.FileResult{f}}
			if tt.gap {
				r.Incomplete = []gate.Gap{{Layer: gate.LayerSandbox, Path: "a.py", Reason: "x"}}
			}
			if got := layerCell(r, &f, gate.LayerSandbox, indexGaps(r)).text; !strings.HasPrefix(got, tt.want) || strings.Contains(got, "<") {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
