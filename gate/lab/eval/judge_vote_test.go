package eval

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// voter is a setting whose trials say one letter for each sample: d, s, n, or ? for a gap. Upper
// letters are malicious samples.
func voter(model, says string) JudgeSetting {
	s := JudgeSetting{Setting: Setting{Model: model, Without: []string{}}}
	for i, c := range says {
		t := Trial{Path: string(rune('a' + i)), Label: Benign, Kind: Plain, Run: 1, Cost: Cost{ReviewMS: []int64{int64(10 * (i + 1))}, PromptTokens: 100, AnswerTokens: 10}}
		if strings.ContainsRune("DSN", c) {
			t.Label = Malicious
		}
		switch c | 0x20 {
		case 'd':
			t.Judge = Dangerous
		case 's':
			t.Judge = Suspicious
		case '?':
			t.Incomplete = []string{"it hangs"}
		}
		s.Trials = append(s.Trials, t, Trial{Path: t.Path, Label: t.Label, Kind: Plain, Run: 2, Judge: Dangerous})
	}
	s.count()
	return s
}

func TestTwoModelsAreComparedAndVote(t *testing.T) {
	r := JudgeReport{Settings: []JudgeSetting{voter("one", "DDNNdnnn"), voter("two", "DNDNnnn?")}}
	r.countVotes()
	if len(r.Votes) != 1 || r.Votes[0].Models != [2]string{"one", "two"} {
		t.Fatalf("%+v", r.Votes)
	}
	v := r.Votes[0]
	f := v.Agreement[1]
	count := func(s Share) [2]int { return [2]int{s.Count, s.Of} }
	for what, tt := range map[string]struct{ got, want [2]int }{
		"agreement":               {count(f.Agree), [2]int{4, 7}}, // the gap is in none
		"recall of either":        {count(f.Either.Recall), [2]int{3, 4}},
		"recall of both":          {count(f.Both.Recall), [2]int{1, 4}},
		"false positives, either": {count(f.Either.FalsePositiveRate), [2]int{1, 3}},
		"false positives, both":   {count(f.Both.FalsePositiveRate), [2]int{0, 3}},
		"malicious where both":    {count(v.Calibration[0].Malicious), [2]int{1, 1}},
		"malicious where one":     {count(v.Calibration[1].Malicious), [2]int{2, 3}},
		"malicious where none":    {count(v.Calibration[2].Malicious), [2]int{1, 3}},
		"one's dangerous":         {count(r.Settings[0].Calibration[0].Malicious), [2]int{2, 3}},
		"one's nothing":           {count(r.Settings[0].Calibration[2].Malicious), [2]int{2, 5}},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v, want %v", what, tt.got, tt.want)
		}
	}
	// 3 of 7 and 2 of 7 are found: by chance they agree in 26 of 49.
	if want := (4.0/7 - 26.0/49) / (1 - 26.0/49); math.Abs(f.Kappa-want) > 1e-9 {
		t.Errorf("kappa %v, want %v", f.Kappa, want)
	}
	if v.P50MS != 80 || v.PromptTokens != 200 {
		t.Errorf("what both cost: %+v", v)
	}
	res := Result{Judge: &r}
	var text, page bytes.Buffer
	if err := errors.Join(WriteText(&text, res), WriteHTML(&page, res)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one + two", "57.1 % (4/7)", "OF WHAT IS CALLED", "EITHER: RECALL"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, &text)
		}
	}
	for _, want := range []string{"Calibration: malicious", fmt.Sprintf(`class="name" x="%v"`, plotLeft-10), "one &#43; two: both<", "57.1 % (4/7)"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The cost of one model alone would be taken for that of both.
func TestAModelThatWasNotMeasuredHasNoVote(t *testing.T) {
	failed := JudgeSetting{Setting: Setting{Model: "two", Without: []string{}}, Failed: "it does not load"}
	for name, other := range map[string]JudgeSetting{"it did not load": failed, "it looked at nothing in full": voter("two", "????"), "it looked at other samples": voter("two", "??dn")} {
		r := JudgeReport{Settings: []JudgeSetting{voter("one", "DN??"), other}}
		r.countVotes()
		if len(r.Votes) != 0 {
			t.Errorf("%s: %+v", name, r.Votes)
		}
	}
}

// With long names, as models have, each line of the plot says which model it is about.
func TestLinesOfTheCalibrationAreToldApart(t *testing.T) {
	r := JudgeReport{Settings: []JudgeSetting{voter("qwen2.5-coder:14b", "DSNdsn"), voter("qwen2.5-coder:7b", "DNSdsn"), voter("deepseek-coder-v2:16b-lite-instruct-q4_K_M", "DNNdnn")}}
	r.countVotes()
	lines := map[string]bool{}
	for _, l := range calibrations(r).Lines {
		if lines[l.Label] {
			t.Errorf("two lines are called %q", l.Label)
		}
		lines[l.Label] = true
		if len([]rune(l.Label)) > plotLabel {
			t.Errorf("%q is cut off at its left", l.Label)
		}
	}
	for _, want := range []string{"qwen2.5-coder:14b: dangerous", "qwen2.5-coder:7b: suspicious"} {
		if !lines[want] {
			t.Errorf("no line is called %q: %v", want, lines)
		}
	}
}

func TestModelsThatAgreeByChanceOnlyHaveNoKappa(t *testing.T) {
	r := JudgeReport{Settings: []JudgeSetting{voter("one", "NNnn"), voter("two", "NNnn"), {Setting: Setting{Model: "three", Without: []string{"code-word"}}}}}
	r.countVotes()
	if len(r.Votes) != 1 || r.Votes[0].Agreement[0].Kappa != 0 || r.Votes[0].Agreement[0].Agree.Count != 4 {
		t.Errorf("%+v", r.Votes)
	}
}
