package fork

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// Unverified says why the job that made a result cannot be believed: the pull
// request has changed the workflow, or something that a workflow may run. The workflow
// is read from the head tree.
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
	return runsOfJobs(c, workflow)
}

// Combine is the own result, worsened by what the untrusted half claims: its
// findings, its layers, its gaps. Files that only it names are not believed to
// exist, and what it calls suppressed is only where the base commit's baseline,
// which silenced is, says so. Verdicts, risk scores and the decision are worked out
// anew from all of that.
func Combine(own, claimed gate.Result, problem error, required []gate.Layer, p gate.Policy, silenced gate.Suppressor) gate.Result {
	res := own
	res.Files = slices.Clone(own.Files)
	res.Incomplete = slices.Clone(own.Incomplete)
	if problem != nil {
		res.Incomplete = append(res.Incomplete, gate.Gap{Layer: gate.LayerSandbox, Reason: problem.Error()})
		return gate.Conclude(res, p)
	}
	said := map[string][]gate.FileResult{}
	for _, f := range claimed.Files {
		said[f.Path] = append(said[f.Path], f)
	}
	for i, f := range res.Files {
		others := said[f.Path]
		if len(others) > 0 && !slices.ContainsFunc(others, func(o gate.FileResult) bool { return o.SHA256 != f.SHA256 }) {
			var gaps []gate.Gap
			for _, o := range others { // what one of them says is not taken back by the next
				if f = join(f, o, silenced); failed(o) {
					gaps = append(gaps, gate.Gap{Layer: gate.LayerSandbox, Path: f.Path, Reason: "the fork's job says that its run failed, or not how it ended"})
				}
			}
			res.Files[i] = p.DecideFile(f, gaps)
			res.Incomplete = append(res.Incomplete, gaps...)
			continue
		}
		gap := gate.Gap{Layer: gate.LayerSandbox, Path: f.Path, Reason: "the result of the fork's job is not about this content"}
		res.Files[i] = p.DecideFile(f, []gate.Gap{gap})
		res.Incomplete = append(res.Incomplete, gap)
	}
	res.Layers = layers(own.Layers, claimed.Layers)
	res.Incomplete = append(res.Incomplete, claimed.Incomplete...)
	res.Incomplete = append(res.Incomplete, notRun(required, claimed.Layers)...)
	if claimed.Verdict == gate.VerdictUnknown {
		res.Incomplete = append(res.Incomplete, gate.Gap{Layer: gate.LayerSandbox, Reason: "the fork's job says nothing about how its run ended"})
	}
	if together := gate.Conclude(res, p); claimed.Verdict > together.Verdict {
		res.Incomplete = append(res.Incomplete, gate.Gap{
			Layer:  gate.LayerSandbox,
			Reason: fmt.Sprintf("the fork's job calls its run %s, and no file that it shares with this run explains that", claimed.Verdict),
		})
	}
	return gate.Conclude(res, p)
}

// failed reports whether a file is claimed to have had a run that nothing is known of.
func failed(f gate.FileResult) bool {
	return f.Verdict == gate.VerdictUnknown || f.Execution != nil && (f.Execution.Status == "" || f.Execution.Status == gate.ExecutionFailed)
}

// join adds what is claimed about a file to what was seen of it. The claim knows what
// its own layers found; of the static layer the own run is the judge.
func join(f, claimed gate.FileResult, silenced gate.Suppressor) gate.FileResult {
	f.Findings = slices.Clone(f.Findings)
	for _, finding := range claimed.Findings {
		if finding.Layer == gate.LayerStatic {
			continue
		}
		finding.Suppressed = nil
		if silenced != nil {
			finding.Suppressed = silenced.Suppress(f.Path, finding)
		}
		f.Findings = append(f.Findings, finding)
	}
	f.Judge, f.Execution = claimed.Judge, claimed.Execution
	f.Verdict = f.Verdict.Worst(claimed.Verdict)
	return f
}

// layers takes the static layer from the own run and the others from the claim.
func layers(own, claimed []gate.LayerResult) []gate.LayerResult {
	out := slices.Clone(own)
	for i := range out {
		for _, l := range claimed {
			if l.Name == out[i].Name && l.Name != gate.LayerStatic {
				out[i] = l
			}
		}
	}
	return out
}

// notRun is a gap for every required layer that the claim does not have.
func notRun(required []gate.Layer, claimed []gate.LayerResult) []gate.Gap {
	var gaps []gate.Gap
	for _, l := range required {
		ran := slices.ContainsFunc(claimed, func(r gate.LayerResult) bool { return r.Name == l })
		not := slices.ContainsFunc(claimed, func(r gate.LayerResult) bool { return r.Name == l && !r.Status.Completed() })
		if l != gate.LayerStatic && (!ran || not) {
			gaps = append(gaps, gate.Gap{Layer: l, Reason: "the policy requires this layer and the fork's job did not run it"})
		}
	}
	return gaps
}
