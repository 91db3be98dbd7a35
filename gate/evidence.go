package gate

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// Kind is a kind of evidence that a change is harmful. Findings of one kind say much the same;
// findings of several kinds agree, and honest changes seldom have them together.
type Kind string

// The kinds of evidence. What a finding is about gives one of the first nine. Novelty and
// Observed say something about such a finding: that it names what the repository never named,
// and that the sandbox saw it happen.
const (
	Source    Kind = "source"    // secrets, and facts about machine and user, that are read
	Sink      Kind = "sink"      // data that leaves
	Code      Kind = "code"      // text that becomes a program, or a shell for others
	Concealed Kind = "concealed" // what readers don't see, or are told otherwise
	Trigger   Kind = "trigger"   // what waits for a day, a host or a user
	Foothold  Kind = "foothold"  // what stays, and rights that are raised
	Damage    Kind = "damage"    // what is deleted, overwritten, ended or used up
	Supply    Kind = "supply"    // what builds, installs and releases
	Weakening Kind = "weakening" // checks that are gone
	Novelty   Kind = "novelty"
	Observed  Kind = "observed"
)

// Kinds lists them in the order of the tables.
func Kinds() []Kind {
	return []Kind{Source, Sink, Code, Concealed, Trigger, Foothold, Damage, Supply, Weakening, Novelty, Observed}
}

// kindOf says which kind a category of findings is evidence of. What is not here is none: that
// something didn't run, what a file is, what a judge thinks of it in general, and what is new
// about a workflow: every new workflow has a trigger, a runner and secrets.
func kindOf(category string) (Kind, bool) {
	switch category {
	case "credentials", "secrets", "reconnaissance", "home-traversal", "file-access", "cloud-metadata":
		return Source, true
	case "exfiltration", "network":
		return Sink, true
	case "download-execute", "dynamic-code", "shell-out", "deserialization", "reverse-shell", "injection":
		return Code, true
	case "obfuscation", "hidden-text", "prompt-injection", "concealment":
		return Concealed, true
	case "time-trigger":
		return Trigger, true
	case "persistence", "privilege", "container-escape", "tampering":
		return Foothold, true
	case "deletion", "resource-exhaustion", "process", "crypto-miner", "file-write":
		return Damage, true
	case "supply-chain", "package-install", "imports", "dependencies":
		return Supply, true
	case "weakening":
		return Weakening, true
	}
	return "", false
}

// decidesAlike reports whether kinds of this one, beside others, can make what is suspicious
// dangerous. Weakenings are mistakes as often as attacks, and the last two are about others.
func (k Kind) decidesAlike() bool { return k != Weakening && k != Novelty && k != Observed }

// KindsOf returns the kinds of evidence among findings that decide and are at least
// suspicious, sorted, each once. The judge is none of them: it corroborates by itself.
func KindsOf(findings []Finding) []Kind {
	seen := map[Kind]bool{}
	for _, f := range findings {
		kind, ok := kindOf(f.Category)
		if !ok || !f.Decides() || f.Severity < SeveritySuspicious || f.Layer == LayerJudge {
			continue
		}
		seen[kind] = true
		if f.isNew() {
			seen[Novelty] = true
		}
		if f.Layer == LayerSandbox {
			seen[Observed] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// isNew reports whether a finding says that the change names what the repository never named.
func (f Finding) isNew() bool {
	return strings.Contains(f.Rule, "-new-") || strings.Contains(f.Rule, "/new-")
}

// Agreement is a logistic model: how likely it is that a change with certain kinds of evidence
// is an attack, where half of all changes are.
type Agreement struct {
	Bias    float64
	Weights map[Kind]float64
	// RaiseAt is the least likelihood, 0 to 1, at which kinds that agree are dangerous.
	RaiseAt float64
}

// Likelihood is that of an attack, 0 to 1, given the kinds of evidence.
func (e Agreement) Likelihood(kinds []Kind) float64 {
	sum := e.Bias
	for _, k := range kinds {
		sum += e.Weights[k]
	}
	return 1 / (1 + math.Exp(-sum))
}

// Agree reports whether kinds of evidence agree so far that together they are dangerous: two or
// more of those that decide, and a likelihood that reaches RaiseAt.
func (e Agreement) Agree(kinds []Kind) bool {
	alike := 0
	for _, k := range kinds {
		if k.decidesAlike() {
			alike++
		}
	}
	return alike >= 2 && e.Likelihood(kinds) >= e.RaiseAt
}

// agreed returns a copy of findings in which two of different kinds confirm each other, where
// the evidence in one file agrees. They are the first ones of the kinds that weigh most, on
// lines of their own: two rules about one statement are not independent. Where something is
// dangerous already, nothing changes.
func (e Agreement) agreed(findings []Finding) []Finding {
	var first []int // of each kind, the heaviest first
	kinds := map[Kind]int{}
	for i, f := range findings {
		if f.verdict() == Dangerous {
			return findings
		}
		if kind, ok := kindOf(f.Category); ok && kind.decidesAlike() && f.verdict() == Suspicious && f.Layer != LayerJudge {
			if _, seen := kinds[kind]; !seen {
				kinds[kind] = i
				first = append(first, i)
			}
		}
	}
	if len(first) < 2 || !e.Agree(KindsOf(findings)) {
		return e.observedAsWritten(findings)
	}
	slices.SortStableFunc(first, func(a, b int) int {
		ka, _ := kindOf(findings[a].Category)
		kb, _ := kindOf(findings[b].Category)
		switch {
		case e.Weights[ka] > e.Weights[kb]:
			return -1
		case e.Weights[ka] < e.Weights[kb]:
			return 1
		}
		return a - b
	})
	out := slices.Clone(findings)
	for i, a := range first {
		for _, b := range first[i+1:] {
			if overlap(out[a], out[b]) {
				continue
			}
			out[a].CorroboratedBy = string(out[b].Layer) + ":" + out[b].Rule
			out[b].CorroboratedBy = string(out[a].Layer) + ":" + out[a].Rule
			return out
		}
	}
	return e.observedAsWritten(findings)
}

// observedAsWritten returns a copy of findings in which a static finding that names what is new
// to the repository, and what the sandbox saw of the same kind, confirm each other, where the
// kinds are likely enough: the code says that data goes to a host that no one named before, and
// it went. They need no line and no category in common.
func (e Agreement) observedAsWritten(findings []Finding) []Finding {
	if e.Likelihood(KindsOf(findings)) < e.RaiseAt {
		return findings
	}
	for a, written := range findings {
		kind, ok := kindOf(written.Category)
		if !ok || !kind.decidesAlike() || written.Layer != LayerStatic || written.verdict() != Suspicious || !written.isNew() {
			continue
		}
		for b, seen := range findings {
			if of, ok := kindOf(seen.Category); ok && of == kind && seen.Layer == LayerSandbox && seen.verdict() == Suspicious {
				out := slices.Clone(findings)
				out[a].CorroboratedBy = string(seen.Layer) + ":" + seen.Rule
				out[b].CorroboratedBy = string(written.Layer) + ":" + written.Rule
				return out
			}
		}
	}
	return findings
}

// overlap reports whether two findings have a line in common.
func overlap(a, b Finding) bool {
	return a.Line > 0 && b.Line > 0 && a.Line <= b.EndLine && b.Line <= a.EndLine
}
