package gate

import (
	"cmp"
	"slices"
)

// Conclude completes a result whose files are decided one by one: gaps and
// omissions in order and each once, files at least as bad as what came out of
// them, how much of the change ran, the verdict, the risk score and the decision. It is pure, and what it
// returns does not depend on what those fields of res were.
func Conclude(res Result, p Policy) Result {
	res.Incomplete, res.Skipped, res.Files = notNil(slices.Clone(res.Incomplete)), notNil(slices.Clone(res.Skipped)), notNil(slices.Clone(res.Files))
	slices.SortStableFunc(res.Incomplete, func(a, b Gap) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Reason, b.Reason))
	})
	res.Incomplete = slices.Compact(res.Incomplete)
	slices.SortStableFunc(res.Skipped, func(a, b Skip) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Reason, b.Reason))
	})
	res.Skipped = slices.Compact(res.Skipped)
	inheritVerdicts(res.Files)
	executed := SumUp(res.Files)
	res.Layers, res.Executed = whatRan(slices.Clone(res.Layers), executed), nil
	if slices.ContainsFunc(res.Layers, func(l LayerResult) bool { return l.Name == LayerSandbox && l.Status.Completed() }) {
		res.Executed = &executed
	}
	res.Verdict, res.RiskScore = Safe, 0
	for _, f := range res.Files {
		res.Verdict = res.Verdict.Worst(f.Verdict)
		res.RiskScore = max(res.RiskScore, f.RiskScore)
	}
	if len(res.Incomplete) > 0 {
		res.Verdict = res.Verdict.Worst(Incomplete)
	}
	res.Decision = p.Decision(res.Verdict)
	return res
}

// LetPass turns a decision that is not a pass into one, on behalf of a user with
// the right to; nil changes nothing.
func LetPass(res Result, by *Overridden) Result {
	if by != nil && res.Decision != DecisionPass {
		res.Override = &Overridden{By: by.By, Label: by.Label, Reason: Clip(by.Reason, MaxEvidence), Decision: res.Decision}
		res.Decision = DecisionPass
	}
	return res
}

// inheritVerdicts makes a file at least as bad as the text that came out of it.
// Children come after their parents, so one pass from the end suffices.
func inheritVerdicts(files []FileResult) {
	index := make(map[string]int, len(files))
	for i, f := range files {
		index[f.Path] = i
	}
	for _, child := range slices.Backward(files) {
		if i, ok := index[child.Parent]; ok && child.Parent != "" {
			files[i].Verdict = files[i].Verdict.Worst(child.Verdict)
			files[i].RiskScore = max(files[i].RiskScore, child.RiskScore)
		}
	}
}
