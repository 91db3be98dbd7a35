package gate_test

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestEvidenceOfSeveralKindsTogetherIsDangerous(t *testing.T) {
	found := func(layer gate.Layer, rule, category string, line int) gate.Finding {
		return gate.Finding{Layer: layer, Rule: rule, Category: category, Severity: gate.SeveritySuspicious, Line: line, EndLine: line, InChange: true}
	}
	secret := found(gate.LayerStatic, "credentials/python-ssh-key", "credentials", 3)
	sends := found(gate.LayerStatic, "exfiltration/python-new-host", "exfiltration", 9)
	channel := found(gate.LayerStatic, "exfiltration/python-new-host-channel", "exfiltration", 12)
	runs := found(gate.LayerStatic, "download-execute/python-flow", "download-execute", 20)
	account := found(gate.LayerStatic, "privilege/made-administrator", "privilege", 30)
	weaker := found(gate.LayerStatic, "weakening/certificate-check-off", "weakening", 40)
	seen := found(gate.LayerSandbox, "persistence/observed-git-hook", "persistence", 0)
	went := found(gate.LayerSandbox, "network/observed-new-host", "network", 0)
	settings := found(gate.LayerStatic, "home-traversal/python", "home-traversal", 60)
	asked := found(gate.LayerSandbox, "file-access/observed", "file-access", 0)
	sameLine, base, dismissed, thought := sends, sends, sends, sends
	sameLine.Line, sameLine.EndLine = 3, 3
	base.InChange = false
	dismissed.Suppressed = &gate.Suppression{}
	thought.Layer, thought.Line, thought.EndLine = gate.LayerJudge, 50, 50
	for name, tt := range map[string]struct {
		findings []gate.Finding
		want     gate.Verdict
	}{
		"a secret is read and data goes to a new host":   {[]gate.Finding{secret, sends}, gate.Dangerous},
		"data leaves and what arrives runs":              {[]gate.Finding{sends, runs}, gate.Dangerous},
		"data leaves and a hook was seen":                {[]gate.Finding{sends, seen}, gate.Dangerous},
		"data was seen to leave for the new host":        {[]gate.Finding{sends, went}, gate.Dangerous},
		"the host is new to the sandbox alone":           {[]gate.Finding{went}, gate.Suspicious},
		"one kind seen by two layers, nothing of it new": {[]gate.Finding{settings, asked}, gate.Suspicious},
		"one sign":              {[]gate.Finding{sends}, gate.Suspicious},
		"two signs of one kind": {[]gate.Finding{sends, channel}, gate.Suspicious},
		"two signs that honest changes have together":        {[]gate.Finding{secret, account}, gate.Suspicious},
		"a weakening beside one sign":                        {[]gate.Finding{sends, weaker}, gate.Suspicious},
		"two rules about one statement":                      {[]gate.Finding{secret, sameLine}, gate.Suspicious},
		"one of them is what the base does":                  {[]gate.Finding{secret, base}, gate.Suspicious},
		"one of them is dismissed":                           {[]gate.Finding{secret, dismissed}, gate.Suspicious},
		"a judge's opinion is no evidence of a kind, though": {[]gate.Finding{secret, thought}, gate.Suspicious},
	} {
		f := gate.Policy{}.DecideFile(gate.FileResult{Findings: tt.findings}, nil)
		if f.Verdict != tt.want {
			t.Errorf("%s: %v, want %v", name, f.Verdict, tt.want)
		}
		for _, x := range f.Findings {
			if confirmed := x.CorroboratedBy != ""; confirmed != (tt.want == gate.Dangerous) {
				t.Errorf("%s: %s is confirmed by %q", name, x.Rule, x.CorroboratedBy)
			}
		}
	}
}

func TestMoreEvidenceIsNeverLessLikely(t *testing.T) {
	a := gate.Agreement{Bias: -1, Weights: map[gate.Kind]float64{gate.Sink: 2, gate.Code: 1}, RaiseAt: 0.8}
	if one, two := a.Likelihood([]gate.Kind{gate.Sink}), a.Likelihood([]gate.Kind{gate.Code, gate.Sink}); one >= two || two < 0.88 || two > 0.89 {
		t.Errorf("one kind %.3f, two %.3f, want 0.731 and 0.881", one, two)
	}
	if a.Agree([]gate.Kind{gate.Sink}) || !a.Agree([]gate.Kind{gate.Code, gate.Sink}) {
		t.Error("one kind agrees with itself, or two don't")
	}
}
