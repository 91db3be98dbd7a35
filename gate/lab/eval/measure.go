package eval

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// z is the quantile of the normal distribution for intervals that hold the true
// share in 95 of 100 corpora.
const z = 1.959963984540054

// Share is a part of a whole, with the Wilson score interval of the share that
// samples like these would show. Of is 0 where there is nothing to measure; the
// other fields mean nothing then.
type Share struct {
	Count int     `json:"count"`
	Of    int     `json:"of"`
	Value float64 `json:"value"` // 0..1
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// ShareOf returns count of n.
func ShareOf(count, n int) Share {
	s := Share{Count: count, Of: n}
	if n == 0 {
		return s
	}
	total := float64(n)
	s.Value = float64(count) / total
	middle := s.Value + z*z/(2*total)
	spread := z * math.Sqrt(s.Value*(1-s.Value)/total+z*z/(4*total*total))
	scale := 1 + z*z/total
	s.Low, s.High = max(0, (middle-spread)/scale), min(1, (middle+spread)/scale)
	return s
}

// Measure is how well one layer does on one group of samples, at one level.
type Measure struct {
	Layer string `json:"layer"`
	By    string `json:"by"`    // "all", "language" or "category"
	Group string `json:"group"` // which language or category; "all"
	At    Level  `json:"at"`

	TruePositives  int `json:"true_positives"`
	FalseNegatives int `json:"false_negatives"`
	FalsePositives int `json:"false_positives"`
	TrueNegatives  int `json:"true_negatives"`
	// Unknown are the samples that the layer did not look at in full and in which
	// it found nothing of this level: they are in none of the shares.
	Unknown int `json:"unknown"`

	// Recall is the share of malicious samples that were found, FalsePositiveRate
	// that of benign ones. Precision is the share of what was found that is
	// risky: it depends on how many samples of each there are.
	Recall            Share `json:"recall"`
	FalsePositiveRate Share `json:"false_positive_rate"`
	Precision         Share `json:"precision"`
	// F1 is the harmonic mean of precision and recall, 0..1, absent where the
	// group has no risky or no benign samples.
	F1 *float64 `json:"f1,omitempty"`
	// Located is, of the found samples that name lines, the share in which a
	// finding touches one of them.
	Located Share `json:"located"`
}

// The groups by which samples are measured.
const (
	ByAll      = "all"
	ByLanguage = "language"
	ByCategory = "category"
)

// Measures counts outcomes: for every layer and level, over all samples and by
// language and category, in that order.
func Measures(outcomes []Outcome) []Measure {
	type key struct {
		layer, by, group string
		at               Level
	}
	counts := map[key]*Measure{}
	located := map[key]*Share{}
	for _, o := range outcomes {
		groups := [][2]string{{ByAll, ByAll}, {ByLanguage, string(o.Language)}, {ByCategory, o.Category}}
		for layer, seen := range o.Layers {
			for _, group := range groups {
				for _, at := range Thresholds() {
					k := key{layer, group[0], group[1], at}
					m := counts[k]
					if m == nil {
						m = &Measure{Layer: layer, By: group[0], Group: group[1], At: at}
						counts[k], located[k] = m, &Share{}
					}
					if seen.Incomplete && seen.Severity < at {
						m.Unknown++
						continue
					}
					m.count(o.Label, seen.Severity >= at)
					if len(o.Lines) > 0 && seen.Severity >= at {
						located[k].Of++
						if seen.Located >= at {
							located[k].Count++
						}
					}
				}
			}
		}
	}
	out := make([]Measure, 0, len(counts))
	for k, m := range counts {
		m.finish()
		m.Located = ShareOf(located[k].Count, located[k].Of)
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b Measure) int {
		return cmp.Or(cmp.Compare(rank(a.By), rank(b.By)), cmp.Compare(a.Group, b.Group),
			cmp.Compare(layerRank(a.Layer), layerRank(b.Layer)), cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.At, b.At))
	})
	return out
}

func rank(by string) int { return slices.Index([]string{ByAll, ByLanguage, ByCategory}, by) }

// layerRank puts the layers in the order in which they run, and all of them last.
func layerRank(layer string) int {
	if i := slices.Index([]string{"static", "judge", "sandbox"}, layer); i >= 0 {
		return i
	}
	if layer == All {
		return 100
	}
	return 10
}

func (m *Measure) count(label Label, found bool) {
	switch {
	case label == Malicious && found:
		m.TruePositives++
	case label == Malicious:
		m.FalseNegatives++
	case found:
		m.FalsePositives++
	default:
		m.TrueNegatives++
	}
}

func (m *Measure) finish() {
	risky, benign := m.TruePositives+m.FalseNegatives, m.FalsePositives+m.TrueNegatives
	m.Recall = ShareOf(m.TruePositives, risky)
	m.FalsePositiveRate = ShareOf(m.FalsePositives, benign)
	m.Precision = ShareOf(m.TruePositives, m.TruePositives+m.FalsePositives)
	if risky > 0 && benign > 0 {
		f1 := float64(2*m.TruePositives) / float64(2*m.TruePositives+m.FalsePositives+m.FalseNegatives)
		m.F1 = &f1
	}
}

// RuleCount is in how many samples a rule has found something.
type RuleCount struct {
	Layer            string `json:"layer"`
	Rule             string `json:"rule"`
	Malicious        int    `json:"risky"`
	BenignSuspicious int    `json:"innocent_suspicious"` // and no worse
	BenignDangerous  int    `json:"innocent_dangerous"`
}

// RuleCounts counts, for every rule of every layer with a finding of at least
// suspicious, the samples that it is found in; those that are wrong most often
// come first.
func RuleCounts(outcomes []Outcome) []RuleCount {
	type key struct{ layer, rule string }
	counts := map[key]*RuleCount{}
	for _, o := range outcomes {
		for layer, seen := range o.Layers {
			if layer == All {
				continue
			}
			for _, r := range seen.Rules {
				if r.Severity < Suspicious {
					continue
				}
				k := key{layer, r.Rule}
				if counts[k] == nil {
					counts[k] = &RuleCount{Layer: layer, Rule: r.Rule}
				}
				switch {
				case o.Label == Malicious:
					counts[k].Malicious++
				case r.Severity == Dangerous:
					counts[k].BenignDangerous++
				default:
					counts[k].BenignSuspicious++
				}
			}
		}
	}
	out := make([]RuleCount, 0, len(counts))
	for _, c := range slices.Collect(maps.Values(counts)) {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b RuleCount) int {
		return cmp.Or(cmp.Compare(b.BenignDangerous, a.BenignDangerous), cmp.Compare(b.BenignSuspicious, a.BenignSuspicious),
			cmp.Compare(b.Malicious, a.Malicious), cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Rule, b.Rule))
	})
	return out
}
