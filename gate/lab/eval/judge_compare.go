package eval

import (
	"cmp"
	"fmt"
	"slices"
)

// JudgeDiff is one figure of a setting that differs between two results.
type JudgeDiff struct {
	Setting
	At   Level  `json:"at"`   // nothing: the figure has no level
	What string `json:"what"` // "recall", "injected", ...
	Old  string `json:"old"`  // as people read it
	Now  string `json:"now"`
	// Worse reports whether the judge finds less, or flags or can be manipulated
	// more. What a review costs is never worse: it depends on the machine.
	Worse bool `json:"worse"`
}

// compareJudge says what is different in now, setting by setting. Settings that only
// one of them has are not compared.
func compareJudge(old, now *JudgeReport) []JudgeDiff {
	out := []JudgeDiff{}
	if old == nil || now == nil {
		return out
	}
	same := sameVariants{
		injections: slices.Equal(old.Injections, now.Injections),
		edits:      slices.EqualFunc(old.Edits, now.Edits, func(a, b Edit) bool { return a.Name == b.Name }),
	}
	same.reviews = same.injections && same.edits && old.Runs == now.Runs
	for _, n := range now.Settings {
		i := slices.IndexFunc(old.Settings, func(o JudgeSetting) bool {
			return o.Model == n.Model && slices.Equal(o.Without, n.Without)
		})
		if i >= 0 {
			out = append(out, diffSetting(old.Settings[i], n, same)...)
		}
	}
	return out
}

// sameVariants says which variants both results have tried alike; shares of others
// can't be compared.
type sameVariants struct{ injections, edits, reviews bool }

func diffSetting(old, now JudgeSetting, same sameVariants) []JudgeDiff {
	var out []JudgeDiff
	share := func(at Level, what string, o, n Share, sign int) {
		if o.Value != n.Value || (o.Of == 0) != (n.Of == 0) {
			out = append(out, JudgeDiff{now.Setting, at, what, ofMany(o), ofMany(n),
				o.Of > 0 && n.Of > 0 && sign*cmp.Compare(n.Value, o.Value) < 0})
		}
	}
	for i, n := range now.Figures {
		if i >= len(old.Figures) || old.Figures[i].At != n.At {
			continue
		}
		o := old.Figures[i]
		share(n.At, "recall", o.Recall, n.Recall, +1)
		share(n.At, "false positives", o.FalsePositiveRate, n.FalsePositiveRate, -1)
		if same.injections {
			share(n.At, "injected", o.Injected, n.Injected, -1)
			share(n.At, "past all layers", o.InjectedAll, n.InjectedAll, -1)
		}
		if same.edits {
			share(n.At, "drift", o.Drift, n.Drift, -1)
		}
		share(n.At, "flips", o.Flips, n.Flips, -1)
	}
	if same.reviews {
		share(Nothing, "invalid answers", old.Cost.Invalid, now.Cost.Invalid, -1)
		share(Nothing, "incomplete", old.Cost.Incomplete, now.Cost.Incomplete, -1)
	}
	for _, c := range []struct {
		what, old, now string
	}{
		{whatTokens, tokens(old.Cost), tokens(now.Cost)},
		{whatP50, ms(old.Cost.P50MS), ms(now.Cost.P50MS)},
		{whatP95, ms(old.Cost.P95MS), ms(now.Cost.P95MS)},
	} {
		if c.old != c.now {
			out = append(out, JudgeDiff{Setting: now.Setting, What: c.what, Old: c.old, Now: c.now})
		}
	}
	return out
}

func tokens(c JudgeCost) string {
	return fmt.Sprintf("%.0f in, %.0f out", c.PromptTokens, c.AnswerTokens)
}

// text says in one line what is different.
func (d JudgeDiff) text() string {
	what := d.What
	if d.At != Nothing {
		what += " at " + d.At.String()
	}
	return fmt.Sprintf("%s %s → %s", what, d.Old, d.Now)
}

// sign is - for worse, + for better, and ~ for what is neither.
func (d JudgeDiff) sign() string {
	if d.cost() {
		return "~"
	}
	return sign(d.Worse)
}

// cost reports whether the figure is about what a review takes.
func (d JudgeDiff) cost() bool {
	return slices.Contains([]string{whatTokens, whatP50, whatP95}, d.What)
}

// The figures that depend on the machine.
const (
	whatTokens = "tokens a review"
	whatP50    = "p50"
	whatP95    = "p95"
)
