package report

import (
	"encoding/xml"
	"fmt"
	"testing"

	"github.com/aigate/gate/gate"
)

func junit(t *testing.T, r gate.Result, failOn gate.Severity) junitSuites {
	t.Helper()
	var doc junitSuites
	if err := xml.Unmarshal([]byte(render(t, "junit", r, Options{FailOn: failOn})), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestJUnitFailsWhereGateDoes(t *testing.T) {
	for _, c := range []struct {
		name                      string
		result                    gate.Result
		failOn                    gate.Severity
		failures, errors, skipped int
	}{
		{"an empty run passes", cases()[0].result, gate.SeverityDangerous, 0, 0, 2},
		{"a pass passes", passCase(), gate.SeverityDangerous, 0, 0, 1},
		{"suspicion passes when only danger fails", suspiciousCase(), gate.SeverityDangerous, 0, 0, 2},
		{"suspicion fails when the policy says so", suspiciousCase(), gate.SeveritySuspicious, 1, 0, 2},
		{"suspicion fails when no one says what fails", suspiciousCase(), gate.SeverityUnknown, 1, 0, 2},
		{"danger fails per file and layer", dangerousCase(), gate.SeverityDangerous, 3, 0, 0},
		{"gaps are errors", incompleteCase(), gate.SeverityDangerous, 0, 3, 0},
	} {
		doc := junit(t, c.result, c.failOn)
		if doc.Failures != c.failures || doc.Errors != c.errors || doc.Skipped != c.skipped {
			t.Errorf("%s: %d failures, %d errors, %d skipped", c.name, doc.Failures, doc.Errors, doc.Skipped)
		}
		sum := junitSuites{}
		for _, s := range doc.Suites {
			if s.Tests != len(s.Cases) {
				t.Errorf("%s: suite %s says %d tests and has %d", c.name, s.Name, s.Tests, len(s.Cases))
			}
			sum.Tests += s.Tests
			sum.Failures += s.Failures
			sum.Errors += s.Errors
			sum.Skipped += s.Skipped
		}
		if sum.Tests != doc.Tests || sum.Failures != doc.Failures || sum.Errors != doc.Errors || sum.Skipped != doc.Skipped {
			t.Errorf("%s: the suites add up to %+v, not to %+v", c.name, sum, doc)
		}
	}
}

// Whatever a run found, a CI system that reads only the JUnit file stops where
// gate does.
func TestJUnitNeverPassesWhatGateDoesNot(t *testing.T) {
	severities := []gate.Severity{gate.SeverityUnknown, gate.SeverityNote, gate.SeveritySuspicious, gate.SeverityDangerous}
	for _, failOn := range []gate.Severity{gate.SeverityDangerous, gate.SeveritySuspicious} {
		p := gate.Policy{FailOn: failOn}
		for _, l := range gate.Layers() {
			for _, s := range severities {
				for _, corroborated := range []string{"", "judge:x/y"} {
					for _, gap := range []*gate.Gap{nil, {Layer: l, Path: "a.py", Reason: "r"}, {Layer: l, Reason: "r"}, {Layer: l, Path: "not/a/file", Reason: "r"}} {
						f := found(l, "x/y", s, 1, "m", "e")
						f.CorroboratedBy = corroborated
						var gaps []gate.Gap
						if gap != nil {
							gaps = append(gaps, *gap)
						}
						v := p.Decide([]gate.Finding{f}, gaps)
						r := document(p.Decision(v), v, layersRan(noJudge(), notSelectedLayer(gate.LayerSandbox)), file("a.py", v, 50, f))
						r.Incomplete = gaps
						doc := junit(t, r, failOn)
						if name := fmt.Sprint(failOn, l, s, corroborated, gap); (doc.Failures+doc.Errors == 0) != (r.Decision == gate.DecisionPass) {
							t.Errorf("%s: the decision is %s with %d failures and %d errors", name, r.Decision, doc.Failures, doc.Errors)
						}
					}
				}
			}
		}
	}
}
