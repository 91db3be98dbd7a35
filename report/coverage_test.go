package report

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestLinesThatRanAreNeverMoreThanWasSaid(t *testing.T) {
	counts := func(executed, executable int) map[string]int {
		return map[string]int{"changed": 20, "executable": executable, "executed": executed}
	}
	many := make([]gate.LineRange, shownRanges+3)
	for i := range many {
		many[i] = gate.LineRange{2*i + 1, 2*i + 1}
	}
	for _, tt := range []struct {
		name        string
		exec        gate.Execution
		change      gate.ChangeKind
		short, long string
	}{
		{"all", gate.Execution{Coverage: counts(3, 3)}, "", "3 of 3 lines", "ran 3 of 3 changed lines"},
		{"some", gate.Execution{Coverage: counts(1, 4), Uncovered: []gate.LineRange{{2, 2}, {5, 6}}}, "", "1 of 4 lines", "ran 1 of 4 changed lines, not 2, 5-6"},
		{"many ranges", gate.Execution{Coverage: counts(0, 13), Uncovered: many}, "", "0 of 13 lines", "ran 0 of 13 changed lines, not 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 3 more ranges"},
		{"a folder without a base", gate.Execution{Coverage: counts(1, 1)}, gate.ChangeNone, "1 of 1 line", "ran 1 of 1 line"},
		{"a comment", gate.Execution{Coverage: counts(0, 0)}, "", "no line of code", "no changed line has code"},
		{"more than there are", gate.Execution{Coverage: counts(9, 3)}, "", "", ""},
		{"less than nothing", gate.Execution{Coverage: counts(-1, 3), CoverageReason: "x"}, "", "lines not measured", "which lines ran was not measured: `x`"},
		{"other counts", gate.Execution{Coverage: map[string]int{"executed": 3}}, "", "", ""},
		{"a reason", gate.Execution{CoverageReason: "sh does not tell"}, "", "lines not measured", "which lines ran was not measured: `sh does not tell`"},
		{"some, and a reason", gate.Execution{Coverage: counts(3, 3), CoverageReason: "one was ended"}, "", "3 of 3 lines", "ran 3 of 3 changed lines: `one was ended`"},
		{"nothing known", gate.Execution{}, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := gate.FileResult{Path: "a", Change: tt.change, Execution: &tt.exec}
			if got := ranShort(&tt.exec); got != tt.short {
				t.Errorf("short: %q, want %q", got, tt.short)
			}
			if got := strings.Join(grouped([]gate.FileResult{f})[0].coverage(code), "\n"); got != tt.long {
				t.Errorf("long: %q, want %q", got, tt.long)
			}
		})
	}
}

func TestFilesOfOneRunHaveTheirOwnLines(t *testing.T) {
	a, b := exited(0, "go", "test"), exited(0, "go", "test")
	b.Coverage, b.Uncovered, b.CoverageReason = nil, nil, "no run loaded the file"
	runs := grouped([]gate.FileResult{{Path: "a", Execution: a}, {Path: "b|", Execution: b}})
	if len(runs) != 1 {
		t.Fatalf("%d runs", len(runs))
	}
	want := "`a`: ran 9 of 12 changed lines, not 5-6, 9\n`b|`: which lines ran was not measured: `no run loaded the file`"
	if got := strings.Join(runs[0].coverage(code), "\n"); got != want {
		t.Errorf("got %s", got)
	}
}
