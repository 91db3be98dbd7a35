package eval

import "slices"

// Vote is what two models say together of the samples that both looked at in full, in the first
// run and with all defences.
type Vote struct {
	Models [2]string `json:"models"`
	// Agreement has one entry for each of the Thresholds.
	Agreement []VoteFigures `json:"agreement"`
	// Calibration is how many samples are malicious, of those that both, one or none of the models
	// finds from suspicious on.
	Calibration []Calibrated `json:"calibration"`
	// What a review of both takes, one after the other.
	PromptTokens float64 `json:"prompt_tokens"`
	AnswerTokens float64 `json:"answer_tokens"`
	P50MS        int64   `json:"p50_ms"`
	P95MS        int64   `json:"p95_ms"`
}

// VoteFigures is how well two models do together where a sample counts as found from one level
// on.
type VoteFigures struct {
	At Level `json:"at"`
	// Agree is of the samples: both find them, or none does.
	Agree Share `json:"agree"`
	// Kappa is how much of the agreement is more than chance: 1 is all, 0 is none. It is 0 as well
	// where chance alone explains everything, as when nothing is found.
	Kappa  float64 `json:"kappa"`
	Either Found   `json:"either"` // one of them is enough
	Both   Found   `json:"both"`
}

// Found is what is found of both kinds of samples.
type Found struct {
	Recall            Share `json:"recall"`
	FalsePositiveRate Share `json:"false_positive_rate"`
}

// Calibrated is how many samples are malicious, of those of which something was said. The judge
// gives no probability: its word is all that can be held against what is true.
type Calibrated struct {
	Said      string `json:"said"`
	Malicious Share  `json:"malicious"`
}

// calibrationOf is how far the word of a model can be trusted. It is pure.
func calibrationOf(trials []Trial) []Calibrated {
	out := []Calibrated{}
	for _, at := range []Level{Dangerous, Suspicious, Nothing} {
		var c tally
		for _, t := range firstRuns(trials) {
			if said := t.Judge; said == at || at == Nothing && said == Note {
				c.add(t.Label == Malicious)
			}
		}
		out = append(out, Calibrated{at.String(), c.share()})
	}
	return out
}

// firstRuns are the samples as they are, in the first run, that were looked at in full.
func firstRuns(trials []Trial) []Trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return t.Kind != Plain || t.Run != 1 || len(t.Incomplete) > 0 })
}

// countVotes compares every two models that were measured with all defences, and have looked at
// one sample at least that the other has looked at too. It is pure.
func (r *JudgeReport) countVotes() {
	r.Votes = nil
	for i, a := range r.Settings {
		for _, b := range r.Settings[i+1:] {
			if len(a.Without) == 0 && len(b.Without) == 0 && a.Model != b.Model {
				if v := voteOf(a, b); v.Agreement[0].Agree.Of > 0 {
					r.Votes = append(r.Votes, v)
				}
			}
		}
	}
}

func voteOf(a, b JudgeSetting) Vote {
	v := Vote{Models: [2]string{a.Model, b.Model}}
	other := map[string]Trial{}
	for _, t := range firstRuns(b.Trials) {
		other[t.Path] = t
	}
	var pairs [][2]Trial
	for _, t := range firstRuns(a.Trials) {
		if o, ok := other[t.Path]; ok {
			pairs = append(pairs, [2]Trial{t, o})
		}
	}
	for _, at := range Thresholds() {
		v.Agreement = append(v.Agreement, agreementOf(pairs, at))
	}
	for found, said := range []string{"both", "one", "none"} {
		var c tally
		for _, p := range pairs {
			n := 0
			for _, t := range p {
				if t.Judge >= Suspicious {
					n++
				}
			}
			if n == 2-found {
				c.add(p[0].Label == Malicious)
			}
		}
		v.Calibration = append(v.Calibration, Calibrated{said, c.share()})
	}
	var took []int64
	for _, p := range pairs {
		for i, ms := range p[0].Cost.ReviewMS {
			if i < len(p[1].Cost.ReviewMS) {
				took = append(took, ms+p[1].Cost.ReviewMS[i])
			}
		}
	}
	if slices.Sort(took); len(took) > 0 {
		v.P50MS, v.P95MS = quantile(took, 0.5), quantile(took, 0.95)
	}
	v.PromptTokens, v.AnswerTokens = a.Cost.PromptTokens+b.Cost.PromptTokens, a.Cost.AnswerTokens+b.Cost.AnswerTokens
	return v
}

func agreementOf(pairs [][2]Trial, at Level) VoteFigures {
	f := VoteFigures{At: at}
	var agree tally
	var either, both struct{ recall, wrong tally }
	var first, second int
	for _, p := range pairs {
		a, b := p[0].Judge >= at, p[1].Judge >= at
		agree.add(a == b)
		if a {
			first++
		}
		if b {
			second++
		}
		if p[0].Label == Malicious {
			either.recall.add(a || b)
			both.recall.add(a && b)
		} else {
			either.wrong.add(a || b)
			both.wrong.add(a && b)
		}
	}
	f.Agree = agree.share()
	f.Either, f.Both = Found{either.recall.share(), either.wrong.share()}, Found{both.recall.share(), both.wrong.share()}
	if n := float64(len(pairs)); n > 0 {
		x, y := float64(first)/n, float64(second)/n
		if chance := x*y + (1-x)*(1-y); chance < 1 {
			f.Kappa = (f.Agree.Value - chance) / (1 - chance)
		}
	}
	return f
}
