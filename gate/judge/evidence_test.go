package judge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAnswersAreCheckedAgainstTheFile(t *testing.T) {
	shown := render([]byte("import os\n\nos.remove(path)\nx = '\u202e'\n}\n"))
	quote := func(n int, q string) []evidence { return []evidence{{n, q}} }
	tests := map[string]struct {
		answer  answer
		verdict gate.Verdict
		want    []string
	}{
		"safe without evidence":                      {answer{verdict: gate.Safe}, gate.Safe, nil},
		"malicious with a quote that holds":          {answer{verdict: gate.Dangerous, evidence: quote(3, "os.remove(path)"), lines: []int{3}}, gate.Dangerous, []string{"judge/malicious:3 dangerous"}},
		"a quote of a part of the line":              {answer{verdict: gate.Dangerous, evidence: quote(3, " remove(path ")}, gate.Dangerous, []string{"judge/malicious:3 dangerous"}},
		"a quote with its mark":                      {answer{verdict: gate.Dangerous, evidence: quote(3, "kqzm:3| os.remove(path)")}, gate.Dangerous, []string{"judge/malicious:3 dangerous"}},
		"a quote of an escape as it was shown":       {answer{verdict: gate.Dangerous, evidence: quote(4, "⟦U+202E⟧")}, gate.Dangerous, []string{"judge/malicious:4 dangerous"}},
		"a short quote that is the whole line":       {answer{verdict: gate.Dangerous, evidence: quote(5, "}")}, gate.Dangerous, []string{"judge/malicious:5 dangerous"}},
		"a short quote that proves nothing":          {answer{verdict: gate.Dangerous, evidence: quote(3, "os")}, gate.Suspicious, []string{"judge/inconsistent:0 suspicious"}},
		"an empty quote":                             {answer{verdict: gate.Dangerous, evidence: quote(3, " "), lines: []int{3}}, gate.Suspicious, []string{"judge/inconsistent:3 suspicious"}},
		"a quote from another line":                  {answer{verdict: gate.Dangerous, evidence: quote(1, "os.remove(path)"), lines: []int{1}}, gate.Suspicious, []string{"judge/inconsistent:1 suspicious"}},
		"a quote with the mark of another line":      {answer{verdict: gate.Dangerous, evidence: quote(3, "kqzm:1| os.remove(path)")}, gate.Suspicious, []string{"judge/inconsistent:0 suspicious"}},
		"a quote in another case":                    {answer{verdict: gate.Dangerous, evidence: quote(3, "OS.REMOVE(path)")}, gate.Suspicious, []string{"judge/inconsistent:0 suspicious"}},
		"a quote from a line that was not shown":     {answer{verdict: gate.Dangerous, evidence: quote(2, "import os")}, gate.Suspicious, []string{"judge/inconsistent:0 suspicious"}},
		"malicious without any evidence":             {answer{verdict: gate.Dangerous, lines: []int{3, 1, 3}}, gate.Suspicious, []string{"judge/inconsistent:1 suspicious", "judge/inconsistent:3 suspicious"}},
		"one quote holds, one does not":              {answer{verdict: gate.Dangerous, evidence: []evidence{{1, "nowhere"}, {3, "os.remove"}}}, gate.Dangerous, []string{"judge/malicious:3 dangerous"}},
		"two quotes of one line are one finding":     {answer{verdict: gate.Dangerous, evidence: []evidence{{3, "os.remove"}, {3, "(path)"}}}, gate.Dangerous, []string{"judge/malicious:3 dangerous"}},
		"safe with evidence contradicts itself":      {answer{verdict: gate.Safe, evidence: quote(3, "os.remove"), lines: []int{3}}, gate.Suspicious, []string{"judge/inconsistent:3 suspicious"}},
		"safe with dangerous lines too":              {answer{verdict: gate.Safe, lines: []int{1}}, gate.Suspicious, []string{"judge/inconsistent:1 suspicious"}},
		"suspicious with a quote":                    {answer{verdict: gate.Suspicious, evidence: quote(3, "os.remove")}, gate.Suspicious, []string{"judge/suspicious:3 suspicious"}},
		"suspicious with lines only":                 {answer{verdict: gate.Suspicious, lines: []int{4}}, gate.Suspicious, []string{"judge/suspicious:4 suspicious"}},
		"suspicious without a place is about a file": {answer{verdict: gate.Suspicious}, gate.Suspicious, []string{"judge/suspicious:0 suspicious"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := check(test.answer, shown)
			var got []string
			for _, f := range r.findings {
				got = append(got, fmt.Sprintf("%s:%d %s", f.Rule, f.Line, f.Severity))
			}
			if r.verdict != test.verdict || !slices.Equal(got, test.want) {
				t.Errorf("%s with %v, want %s with %v", r.verdict, got, test.verdict, test.want)
			}
		})
	}
}

func TestAnAnswerIsNeverWorthLessThanItsWord(t *testing.T) {
	// Anything but a clean "safe" is at least suspicious.
	for _, verdict := range []gate.Verdict{gate.Suspicious, gate.Dangerous} {
		for _, ev := range [][]evidence{nil, {{1, "x = 1"}}, {{1, "made up"}}} {
			if r := check(answer{verdict: verdict, evidence: ev}, render([]byte("x = 1"))); r.verdict < gate.Suspicious || len(r.findings) == 0 {
				t.Errorf("%s with %v becomes %s with %v", verdict, ev, r.verdict, r.findings)
			}
		}
	}
}

func TestMergingReadingsOnlyRaises(t *testing.T) {
	bad := reading{verdict: gate.Dangerous, reason: "bad", lines: []int{7, 3}, gaps: []string{"g"},
		findings: []gate.Finding{{Rule: RuleMalicious, Line: 7, Severity: gate.SeverityDangerous}}}
	good := reading{verdict: gate.Safe, reason: "good", lines: []int{3}}
	for name, order := range map[string][]reading{"bad first": {bad, good}, "good first": {good, bad}, "twice": {bad, bad, good}} {
		var r reading
		for _, o := range order {
			r.merge(o)
		}
		if r.verdict != gate.Dangerous || r.reason != "bad" || !slices.Equal(r.lines, []int{3, 7}) || len(r.findings) != 1 || len(r.gaps) == 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestQuotesDoNotCarryKeysIntoReports(t *testing.T) {
	key := "AKIA" + strings.Repeat("Q7", 12)
	line := `client(key="` + key + `", path="/usr/share/some/long/path/with-many-parts")`
	r := check(answer{verdict: gate.Dangerous, reason: "leaks " + key, evidence: []evidence{{1, line}}}, render([]byte(line)))
	if strings.Contains(r.findings[0].Evidence, key) || strings.Contains(r.reason, key) {
		t.Errorf("evidence %q, reason %q", r.findings[0].Evidence, r.reason)
	}
	if !strings.Contains(r.findings[0].Evidence, "/usr/share/some/long/path/with-many-parts") {
		t.Errorf("evidence %q lost the path", r.findings[0].Evidence)
	}
}
