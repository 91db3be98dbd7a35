package gate

import (
	"maps"
	"math"
	"slices"
)

// Corroborate returns a copy of findings in which a suspicious finding that
// another layer supports says so. Two findings support each other when both
// decide, both are at least suspicious, they come from different layers, and
// they share a category or overlap in lines. The finding that stands for those
// that did not fit is related to everything.
func Corroborate(findings []Finding) []Finding {
	out := slices.Clone(findings)
	for i := range out {
		f := &out[i]
		if f.Severity != SeveritySuspicious || !f.Decides() {
			continue
		}
		for _, o := range findings {
			if o.Layer != f.Layer && o.Decides() && o.Severity >= SeveritySuspicious && related(*f, o) {
				f.CorroboratedBy = string(o.Layer) + ":" + o.Rule
				break
			}
		}
	}
	return out
}

// withoutConfirmed takes back the dismissal of what another layer confirms: together they
// are dangerous. It changes findings.
func withoutConfirmed(findings []Finding) []Finding {
	for i := range findings {
		f := &findings[i]
		if f.Suppressed == nil || f.Suppressed.Dismissal == nil || !f.InChange {
			continue
		}
		confirms := func(o Finding) bool {
			return o.Layer != f.Layer && o.Decides() && o.Severity >= SeveritySuspicious && related(*f, o)
		}
		if f.Severity >= SeverityDangerous || f.Severity == SeveritySuspicious && slices.ContainsFunc(findings, confirms) {
			f.Suppressed = nil
		}
	}
	return findings
}

func related(a, b Finding) bool {
	return a.Category == b.Category || overlap(a, b) || a.Rule == tooMany || b.Rule == tooMany
}

// DecideFile decides about one file: what its findings corroborate and whether its evidence agrees, its verdict and its
// risk score follow from its findings and gaps, whatever those fields of f were. Only a
// verdict that is already worse is kept: a result that comes from elsewhere may know of
// gaps in which the file is not named. It is pure, and the only place where a file is
// decided: runs, shards and the results of forks all come here.
func (p Policy) DecideFile(f FileResult, gaps []Gap) FileResult {
	findings := slices.Clone(f.Findings)
	for i := range findings {
		findings[i].CorroboratedBy = ""
	}
	SortFindings(findings)
	f.Findings = notNil(agreement().agreed(Corroborate(withoutConfirmed(findings))))
	f.Verdict = f.Verdict.Worst(p.Decide(f.Findings, gaps))
	f.RiskScore = RiskScore(f.Verdict, f.Findings)
	return f
}

// Decide returns the verdict of one file from what the layers found in it and
// what they could not look at. It is pure. Findings must have gone through
// [Corroborate].
func (p Policy) Decide(findings []Finding, incomplete []Gap) Verdict {
	v := Safe
	for _, f := range findings {
		v = v.Worst(f.verdict())
	}
	if len(incomplete) > 0 {
		v = v.Worst(Incomplete)
	}
	return v
}

// verdict is that of one finding alone.
func (f Finding) verdict() Verdict {
	switch {
	case !f.Decides(), f.Severity == SeverityNote:
		return Safe
	case f.Severity == SeveritySuspicious && f.CorroboratedBy == "":
		return Suspicious
	default:
		return Dangerous // also for a severity that no one set
	}
}

// Decision turns the verdict of a run into what the command does about it.
func (p Policy) Decision(v Verdict) Decision {
	switch {
	case v == Dangerous:
		return DecisionBlock
	case v == Suspicious && p.FailOn == SeverityDangerous:
		return DecisionPass
	case v == Suspicious:
		return DecisionBlock
	case v == Safe:
		return DecisionPass
	default:
		return DecisionIncomplete
	}
}

// The weight of one finding in the risk score, as the probability that the file
// should not be merged given just that finding. They are judgement, not
// measurement; what matters is their order and that they add up smoothly.
const (
	weightDangerous  = 0.75
	weightSuspicious = 0.30
	weightNote       = 0.03
)

// riskBand is the range of scores that a verdict can have, so that a score never
// contradicts the verdict beside it.
var riskBand = [...][2]int{
	VerdictUnknown: {30, 69},
	Safe:           {0, 29},
	Suspicious:     {30, 69},
	Incomplete:     {30, 69},
	Dangerous:      {70, 100},
}

// RiskScore returns 0..100 for a file: 100 × (1 − Π (1 − weight)) over the rules
// with a deciding finding, each rule counted once with its heaviest finding,
// then moved into the band of the verdict.
func RiskScore(v Verdict, findings []Finding) int {
	weights := map[string]float64{}
	for _, f := range findings {
		if f.Decides() {
			weights[f.Rule] = max(weights[f.Rule], f.weight())
		}
	}
	harmless := 1.0
	for _, rule := range slices.Sorted(maps.Keys(weights)) {
		harmless *= 1 - weights[rule]
	}
	score := int(math.Round(100 * (1 - harmless)))
	band := riskBand[VerdictUnknown]
	if int(v) < len(riskBand) {
		band = riskBand[v]
	}
	return min(max(score, band[0]), band[1])
}

func (f Finding) weight() float64 {
	switch f.verdict() {
	case Dangerous:
		return weightDangerous
	case Suspicious:
		return weightSuspicious
	default:
		return weightNote
	}
}
