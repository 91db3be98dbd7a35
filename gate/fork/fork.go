package fork

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// Unverified says why the job that made a result cannot be believed: the pull
// request has changed the workflow, or something that a workflow may run.
func Unverified(c *gate.Change, workflow string) error {
	workflow, _, _ = strings.Cut(workflow, "@")
	for _, t := range c.Targets {
		for _, p := range []string{t.Path, t.OldPath} {
			name := path.Base(p)
			if p != "" && (p == workflow || strings.HasPrefix(p, ".github/") || name == "action.yml" || name == "action.yaml") {
				return fmt.Errorf("unverified: the pull request changes %q, which can decide what the job reports; a maintainer has to look at it", p)
			}
		}
	}
	return nil
}

// Combine is the own result, worsened by what the untrusted half claims: its
// findings, its layers, its gaps. Files that only it names are not believed to
// exist, and what it calls suppressed is only where the base commit's baseline,
// which silenced is, says so.
func Combine(own, claimed gate.Result, problem error, required []gate.Layer, p gate.Policy, silenced gate.Suppressor) gate.Result {
	res := own
	if problem != nil {
		res.Incomplete = append(res.Incomplete, gate.Gap{Layer: gate.LayerSandbox, Reason: problem.Error()})
		res.Verdict = res.Verdict.Worst(gate.Incomplete)
		res.Decision = p.Decision(res.Verdict)
		return res
	}
	said := map[string]gate.FileResult{}
	for _, f := range claimed.Files {
		said[f.Path] = f
	}
	for i := range res.Files {
		f := &res.Files[i]
		other, ok := said[f.Path]
		if !ok || other.SHA256 != f.SHA256 {
			res.Incomplete = append(res.Incomplete, gate.Gap{Layer: gate.LayerSandbox, Path: f.Path, Reason: "the result of the fork's job is not about this content"})
			f.Verdict = f.Verdict.Worst(gate.Incomplete)
			continue
		}
		for _, finding := range other.Findings {
			if finding.Layer != gate.LayerStatic {
				finding.Suppressed = nil
				if silenced != nil {
					finding.Suppressed = silenced.Suppress(f.Path, finding)
				}
				f.Findings = append(f.Findings, finding)
			}
		}
		gate.SortFindings(f.Findings)
		f.Findings = gate.Corroborate(f.Findings)
		f.Judge, f.Execution = other.Judge, other.Execution
		f.Verdict = f.Verdict.Worst(other.Verdict).Worst(p.Decide(f.Findings, nil))
		f.RiskScore = max(f.RiskScore, other.RiskScore)
	}
	for _, l := range required {
		if l == gate.LayerStatic || slices.ContainsFunc(claimed.Layers, func(r gate.LayerResult) bool { return r.Name == l && r.Status == gate.LayerRan }) {
			continue
		}
		res.Incomplete = append(res.Incomplete, gate.Gap{Layer: l, Reason: "the policy requires this layer and the fork's job did not run it"})
	}
	for i := range res.Layers {
		if name := res.Layers[i].Name; name != gate.LayerStatic {
			for _, l := range claimed.Layers {
				if l.Name == name {
					res.Layers[i] = l
				}
			}
		}
	}
	res.Incomplete = append(res.Incomplete, claimed.Incomplete...)
	res.Verdict = res.Verdict.Worst(claimed.Verdict)
	for _, f := range res.Files {
		res.Verdict = res.Verdict.Worst(f.Verdict)
		res.RiskScore = max(res.RiskScore, f.RiskScore)
	}
	if len(res.Incomplete) > 0 {
		res.Verdict = res.Verdict.Worst(gate.Incomplete)
	}
	res.Decision = p.Decision(res.Verdict)
	return res
}
