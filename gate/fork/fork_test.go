package fork

import (
	"errors"
	"testing"

	"github.com/aigate/gate/gate"
)

func result(v gate.Verdict, sha string, findings ...gate.Finding) gate.Result {
	p := gate.DefaultPolicy()
	return gate.Result{
		Verdict: v, Decision: p.Decision(v),
		Layers: []gate.LayerResult{{Name: gate.LayerStatic, Status: gate.LayerRan}, {Name: gate.LayerJudge, Status: gate.LayerSkipped}, {Name: gate.LayerSandbox, Status: gate.LayerRan}},
		Files:  []gate.FileResult{{Path: "a.py", SHA256: sha, Verdict: v, RiskScore: gate.RiskScore(v, findings), Findings: findings}},
	}
}

func finding(l gate.Layer, s gate.Severity) gate.Finding {
	return gate.Finding{Rule: "shell-out/x", Category: "shell-out", Layer: l, Severity: s, InChange: true}
}

func TestTheJointResultIsTheWorse(t *testing.T) {
	static, both := []gate.Layer{gate.LayerStatic}, []gate.Layer{gate.LayerStatic, gate.LayerSandbox}
	empty := gate.Result{}
	otherFile := result(gate.Safe, "1")
	otherFile.Files[0].Path = "b.py"
	noSandbox := result(gate.Safe, "1")
	noSandbox.Layers = noSandbox.Layers[:2]
	twice := result(gate.Safe, "1", finding(gate.LayerSandbox, gate.SeverityDangerous))
	twice.Files = append(twice.Files, result(gate.Safe, "1").Files...)
	skippedFirst := result(gate.Safe, "1")
	skippedFirst.Layers = append([]gate.LayerResult{{Name: gate.LayerSandbox, Status: gate.LayerSkipped}}, skippedFirst.Layers...)
	noVerdict := result(gate.Safe, "1")
	noVerdict.Verdict = gate.VerdictUnknown
	failedRun := result(gate.Safe, "1")
	failedRun.Files[0].Execution = &gate.Execution{Status: gate.ExecutionFailed}
	tests := map[string]struct {
		own, claimed gate.Result
		problem      error
		required     []gate.Layer
		want         gate.Verdict
	}{
		"two that agree":                            {result(gate.Safe, "1"), result(gate.Safe, "1"), nil, both, gate.Safe},
		"a forged pass":                             {result(gate.Dangerous, "1", finding(gate.LayerStatic, gate.SeverityDangerous)), result(gate.Safe, "1"), nil, both, gate.Dangerous},
		"what only the fork's job could see":        {result(gate.Safe, "1"), result(gate.Dangerous, "1", finding(gate.LayerSandbox, gate.SeverityDangerous)), nil, both, gate.Dangerous},
		"findings behind a forged verdict":          {result(gate.Safe, "1"), result(gate.Safe, "1", finding(gate.LayerSandbox, gate.SeverityDangerous)), nil, both, gate.Dangerous},
		"two suspicions that corroborate":           {result(gate.Suspicious, "1", finding(gate.LayerStatic, gate.SeveritySuspicious)), result(gate.Suspicious, "1", finding(gate.LayerSandbox, gate.SeveritySuspicious)), nil, both, gate.Dangerous},
		"a claim about other content":               {result(gate.Safe, "1"), result(gate.Safe, "2"), nil, static, gate.Incomplete},
		"a claim about another file":                {result(gate.Safe, "1"), otherFile, nil, static, gate.Incomplete},
		"a claim about nothing":                     {result(gate.Safe, "1"), empty, nil, static, gate.Incomplete},
		"a required layer that the job did not run": {result(gate.Safe, "1"), noSandbox, nil, both, gate.Incomplete},
		"a layer that no one requires":              {result(gate.Safe, "1"), noSandbox, nil, static, gate.Safe},
		"a claim that is not verified":              {result(gate.Safe, "1"), result(gate.Safe, "1"), errors.New("unverified"), static, gate.Incomplete},
		"a file twice, the second without findings": {result(gate.Safe, "1"), twice, nil, both, gate.Dangerous},
		"a required layer twice, once skipped":      {result(gate.Safe, "1"), skippedFirst, nil, both, gate.Incomplete},
		"a claim without a verdict":                 {result(gate.Safe, "1"), noVerdict, nil, both, gate.Incomplete},
		"a failed run without a gap":                {result(gate.Safe, "1"), failedRun, nil, both, gate.Incomplete},
		"danger behind an unverified claim":         {result(gate.Dangerous, "1"), result(gate.Safe, "1"), errors.New("unverified"), static, gate.Dangerous},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Combine(tt.own, tt.claimed, tt.problem, tt.required, gate.DefaultPolicy(), nil)
			if lowest, highest := band(tt.want); got.RiskScore < lowest || got.RiskScore > highest {
				t.Errorf("risk score %d of %v, want %d to %d", got.RiskScore, tt.want, lowest, highest)
			}
			if got.Verdict != tt.want || got.Decision != gate.DefaultPolicy().Decision(tt.want) {
				t.Errorf("%v, %v; want %v", got.Verdict, got.Decision, tt.want)
			}
		})
	}
}

// band is the risk score that a run of a verdict can have (docs/verdict.md). What makes
// a run incomplete need not be in a file.
func band(v gate.Verdict) (lowest, highest int) {
	switch v {
	case gate.Dangerous:
		return 70, 100
	case gate.Safe:
		return 0, 29
	default:
		return 0, 69
	}
}

func TestAVerdictThatNoFileExplainsIsAGap(t *testing.T) {
	claimed := result(gate.Dangerous, "1")
	claimed.Files[0].Verdict = gate.Safe
	got := Combine(result(gate.Safe, "1"), claimed, nil, nil, gate.DefaultPolicy(), nil)
	if got.Verdict != gate.Incomplete || len(got.Incomplete) != 1 || got.RiskScore > 69 {
		t.Errorf("%v, score %d, %v", got.Verdict, got.RiskScore, got.Incomplete)
	}
}

func TestAChangedWorkflowCannotVouchForItself(t *testing.T) {
	for path, trusted := range map[string]bool{
		"src/a.py": true, "docs/github.md": true,
		".github/workflows/gate.yml": false, ".github/workflows/other.yml": false, ".github/actions/x/run.sh": false,
		"action.yml": false, "tools/own/action.yaml": false, "ci/odd-place.yml": false,
	} {
		c := &gate.Change{Head: workflowTree("ci/odd-place.yml", "uses: aigate/gate@v1"), Targets: []*gate.Target{{Path: path}}}
		if err := Unverified(c, "ci/odd-place.yml@refs/heads/topic"); (err == nil) != trusted {
			t.Errorf("%s: %v, want trusted %v", path, err, trusted)
		}
	}
	moved := &gate.Change{Targets: []*gate.Target{{Path: "elsewhere.yml", OldPath: ".github/workflows/gate.yml"}}}
	if Unverified(moved, ".github/workflows/gate.yml") == nil {
		t.Error("a workflow that was moved away is trusted")
	}
}
