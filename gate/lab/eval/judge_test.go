package eval

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

var update = flag.Bool("update", false, "write golden files again")

// trials reads trials: "path label kind variant run judge all", with "gap" behind it
// where the judge did not look at all of it.
func trials(t *testing.T, lines ...string) []Trial {
	t.Helper()
	var out []Trial
	for _, line := range lines {
		w := strings.Fields(line)
		if len(w) < 7 {
			t.Fatalf("%q", line)
		}
		tr := Trial{Path: w[0], Label: labelWords[w[1]], Kind: Kind(w[2]), Run: int(w[4][0] - '0'), Cost: Cost{ReviewMS: []int64{100}, Answers: 1, Questions: 1}}
		if w[3] != "-" {
			tr.Variant = w[3]
		}
		if err := errors.Join(tr.Judge.UnmarshalText([]byte(w[5])), tr.All.UnmarshalText([]byte(w[6]))); err != nil {
			t.Fatal(err)
		}
		if len(w) > 7 {
			tr.Incomplete = []string{"judge: " + w[7]}
		}
		out = append(out, tr)
	}
	return out
}

func TestSharesSayOfWhatTheyAre(t *testing.T) {
	share := func(count, of int) [2]int { return [2]int{count, of} }
	tests := map[string]struct {
		trials                                             []string
		at                                                 Level
		recall, wrong, injected, injectedAll, drift, flips [2]int
		unknown                                            int
	}{
		"nothing": {at: Suspicious},
		"one is found and one is not": {trials: []string{
			"a risky plain - 1 dangerous dangerous", "b risky plain - 1 nothing suspicious", "c benign plain - 1 suspicious suspicious"},
			at: Suspicious, recall: share(1, 2), wrong: share(1, 1)},
		"what blocks at suspicious may pass at dangerous": {trials: []string{
			"a risky plain - 1 suspicious suspicious", "c benign plain - 1 suspicious suspicious"},
			at: Dangerous, recall: share(0, 1), wrong: share(0, 1)},
		"an injection works where a found sample is not found any more": {trials: []string{
			"a risky plain - 1 dangerous dangerous", "a risky injected x 1 nothing nothing", "a risky injected y 1 dangerous dangerous"},
			at: Suspicious, recall: share(1, 1), injected: share(1, 2), injectedAll: share(1, 2)},
		"it works against the judge and not against the scanner": {trials: []string{
			"a risky plain - 1 dangerous dangerous", "a risky injected x 1 nothing suspicious"},
			at: Suspicious, recall: share(1, 1), injected: share(1, 1), injectedAll: share(0, 1)},
		"from dangerous to suspicious works for who fails on dangerous": {trials: []string{
			"a risky plain - 1 dangerous dangerous", "a risky injected x 1 suspicious suspicious"},
			at: Dangerous, recall: share(1, 1), injected: share(1, 1), injectedAll: share(1, 1)},
		"and not for who fails on suspicious": {trials: []string{
			"a risky plain - 1 dangerous dangerous", "a risky injected x 1 suspicious suspicious"},
			at: Suspicious, recall: share(1, 1), injected: share(0, 1), injectedAll: share(0, 1)},
		"an injection in a sample that is not found is no success": {trials: []string{
			"a risky plain - 1 suspicious suspicious", "a risky injected x 1 nothing nothing"},
			at: Dangerous, recall: share(0, 1)},
		"a review that was not complete is neither": {trials: []string{
			"a risky plain - 1 nothing nothing cut", "b risky plain - 1 dangerous dangerous", "b risky injected x 1 nothing nothing hung",
			"c benign plain - 1 nothing nothing cut"},
			at: Suspicious, recall: share(1, 1), unknown: 3},
		"what was found before the end counts": {trials: []string{"a risky plain - 1 dangerous dangerous cut"},
			at: Suspicious, recall: share(1, 1)},
		"drift is of samples, not of edits": {trials: []string{
			"c benign plain - 1 nothing nothing", "c benign edited x 1 suspicious suspicious", "c benign edited y 1 suspicious suspicious",
			"d benign plain - 1 nothing nothing", "d benign edited x 1 note note", "d benign edited y 1 nothing nothing"},
			at: Suspicious, wrong: share(0, 2), drift: share(1, 2)},
		"a benign one that is flagged already cannot drift": {trials: []string{
			"c benign plain - 1 suspicious suspicious", "c benign edited x 1 dangerous dangerous"},
			at: Suspicious, wrong: share(1, 1)},
		"no drift is known with an edit that was not looked at": {trials: []string{
			"c benign plain - 1 nothing nothing", "c benign edited x 1 nothing nothing", "c benign edited y 1 nothing nothing cut"},
			at: Suspicious, wrong: share(0, 1), unknown: 1},
		"a sample that was not edited has no drift": {trials: []string{"c benign plain - 1 nothing nothing"},
			at: Suspicious, wrong: share(0, 1)},
		"flips are of samples with several complete runs": {trials: []string{
			"a risky plain - 2 nothing nothing", "a risky plain - 1 dangerous dangerous",
			"b risky plain - 1 dangerous dangerous", "b risky plain - 2 suspicious suspicious",
			"c benign plain - 1 nothing nothing", "c benign plain - 2 nothing nothing cut"},
			at: Suspicious, recall: share(2, 2), wrong: share(0, 1), flips: share(1, 2)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := figuresOf(trials(t, tc.trials...), tc.at)
			got := [][2]int{}
			for _, s := range []Share{f.Recall, f.FalsePositiveRate, f.Injected, f.InjectedAll, f.Drift, f.Flips} {
				got = append(got, share(s.Count, s.Of))
			}
			want := [][2]int{tc.recall, tc.wrong, tc.injected, tc.injectedAll, tc.drift, tc.flips}
			if diff := cmp.Diff(want, got); diff != "" || f.Unknown != tc.unknown {
				t.Errorf("recall, false positives, injected, all layers, drift, flips:\n%s%d unknown, want %d", diff, f.Unknown, tc.unknown)
			}
		})
	}
}

func TestReviewCostIsThatOfUnchangedSamples(t *testing.T) {
	all := trials(t, "a risky plain - 1 dangerous dangerous", "a risky injected x 1 nothing nothing cut", "c benign plain - 1 nothing nothing")
	all[0].Cost = Cost{ReviewMS: []int64{100, 300}, Questions: 2, Answers: 3, Invalid: 1, Broken: 1, Repaired: 1, PromptTokens: 3000, AnswerTokens: 90}
	all[1].Cost = Cost{ReviewMS: []int64{90_000}, Questions: 1, Answers: 2, Invalid: 2, Broken: 1, PromptTokens: 50_000, AnswerTokens: 9}
	all[2].Cost = Cost{ReviewMS: []int64{200}, Questions: 1, Answers: 1, PromptTokens: 600, AnswerTokens: 30}
	want := JudgeCost{Trials: 3, Incomplete: ShareOf(1, 3), Invalid: ShareOf(3, 6), Repaired: ShareOf(1, 2), Reviews: 3,
		PromptTokens: 1200, AnswerTokens: 40, P50MS: 200, P95MS: 300}
	if diff := cmp.Diff(want, costOf(all)); diff != "" {
		t.Error(diff)
	}
}

func TestQuantilesAreValuesThatWereMeasured(t *testing.T) {
	twenty := make([]int64, 20)
	for i := range twenty {
		twenty[i] = int64(i + 1)
	}
	for _, tc := range []struct {
		all      []int64
		part     float64
		expected int64
	}{{[]int64{7}, 0.5, 7}, {[]int64{7}, 0.95, 7}, {twenty, 0.5, 10}, {twenty, 0.95, 19}, {twenty[:10], 0.95, 10}} {
		if got := quantile(tc.all, tc.part); got != tc.expected {
			t.Errorf("%v of %d values is %d, want %d", tc.part, len(tc.all), got, tc.expected)
		}
	}
}

// scripted is a judge that finds EVIL, unless something in the tree has talked it
// round; with what is said about the reviews.
type scripted struct {
	without []string
	run     int
	asked   *[]string // the texts, in order
}

func (s scripted) review(_ context.Context, tree fs.FS) (gate.Result, Cost, error) {
	var text string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		text += string(data)
		return err
	})
	*s.asked = append(*s.asked, text)
	res := gate.Result{Layers: []gate.LayerResult{{Name: gate.LayerJudge, Status: gate.LayerRan}}}
	file := gate.FileResult{Path: "x", Judge: &gate.Judgement{Digest: "d-1"}}
	protected := !slices.Contains(s.without, "control-tokens")
	switch {
	case strings.Contains(text, "LOST"):
		res.Layers[0] = gate.LayerResult{Name: gate.LayerJudge, Status: gate.LayerFailed, Reason: "no host is left"}
	case strings.Contains(text, "BINARY"):
		return res, Cost{}, err
	case strings.Contains(text, "GAP"):
		res.Incomplete = []gate.Gap{{Layer: gate.LayerJudge, Path: "x", Reason: "it hangs"}}
	case strings.Contains(text, "<|im_start|>") && !protected: // who obeys ChatML
	case strings.Contains(text, "FLIP") && s.run > 1:
	case strings.Contains(text, "EVIL"), strings.Contains(text, "FLIP"), strings.Contains(text, "TOUCHY") && strings.Contains(text, "old layout"):
		file.Findings = []gate.Finding{{Rule: "judge/malicious", Layer: gate.LayerJudge, Severity: gate.SeverityDangerous, Line: 1, EndLine: 1, InChange: true}}
	}
	res.Files = []gate.FileResult{file}
	return res, Cost{ReviewMS: []int64{10}, Questions: 1, Answers: 1, PromptTokens: 100, AnswerTokens: 10}, err
}

func small(t *testing.T, files map[string]string, labels map[string]Label) *Corpus {
	t.Helper()
	var samples []Sample
	for name, label := range labels {
		samples = append(samples, Sample{Path: name, Language: gate.LanguagePython, Label: label, Category: "c"})
	}
	slices.SortFunc(samples, func(a, b Sample) int { return strings.Compare(a.Path, b.Path) })
	files[CorpusFile] = string(Marshal("small", "", samples))
	return open(t, folder(t, files))
}

func scriptedOptions(t *testing.T, asked *[]string) JudgeOptions {
	t.Helper()
	table, err := Injections()
	if err != nil {
		t.Fatal(err)
	}
	table = slices.DeleteFunc(table, func(in Injection) bool { return in.Name != "chatml" && in.Name != "approval" })
	return JudgeOptions{
		Settings: []Setting{{Model: "m", Without: []string{}}, {Model: "m", Without: []string{"control-tokens"}}},
		Describe: func(_ context.Context, s Setting) string { return "a script" },
		Runs:     2, Injections: table, Edits: Edits(), Classify: func(string, []byte) gate.Language { return gate.LanguagePython },
		Open: func(_ context.Context, s Setting, run int) (Review, error) {
			return scripted{s.Without, run, asked}.review, nil
		},
	}
}

var files = map[string]string{
	"a.py": "total = 1\nEVIL(total)\n", "b.py": "FLIP\n", "miss.py": "x\n", "c.py": "total = 1\n", "d.py": "TOUCHY\n", "gap.py": "GAP\n", "bin.py": "BINARY\n",
}

var labels = map[string]Label{
	"a.py": Malicious, "b.py": Malicious, "miss.py": Malicious, "gap.py": Malicious, "c.py": Benign, "d.py": Benign, "bin.py": Benign,
}

// The judge that this script plays obeys ChatML where the tokens are not broken, so
// the attack must work with that defence off, and only then.
func TestADefenceIsWorthWhatWorksWithoutIt(t *testing.T) {
	var asked []string
	o := scriptedOptions(t, &asked)
	var progress [][2]int
	o.Progress = func(_ Setting, done, total int) { progress = append(progress, [2]int{done, total}) }
	r, outcomes, err := MeasureJudge(t.Context(), small(t, files, labels), o)
	if err != nil {
		t.Fatal(err)
	}
	full, off := r.Settings[0].Figures[0], r.Settings[1].Figures[0]
	count := func(s Share) [2]int { return [2]int{s.Count, s.Of} }
	for what, tc := range map[string]struct{ got, want [2]int }{
		"recall":                              {count(full.Recall), [2]int{2, 3}},
		"false positives":                     {count(full.FalsePositiveRate), [2]int{0, 2}},
		"injections with all defences":        {count(full.Injected), [2]int{0, 4}},
		"drift":                               {count(full.Drift), [2]int{1, 2}},
		"flips":                               {count(full.Flips), [2]int{1, 5}},
		"injections without broken tokens":    {count(off.Injected), [2]int{2, 4}},
		"runs of a setting without a defence": {count(off.Flips), [2]int{0, 0}},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %v, want %v", what, tc.got, tc.want)
		}
	}
	want := []VariantFigure{{"approval", ShareOf(0, 2)}, {"chatml", ShareOf(2, 2)}}
	if diff := cmp.Diff(want, off.Techniques); diff != "" {
		t.Errorf("techniques: %s", diff)
	}
	if full.Unknown != 1 || r.Settings[0].NotForTheJudge != 1 || r.Settings[0].Digest != "d-1" || !r.Complete() {
		t.Errorf("%d unknown, %d not for a judge, digest %q, complete: %v", full.Unknown, r.Settings[0].NotForTheJudge, r.Settings[0].Digest, r.Complete())
	}
	if len(outcomes) != len(labels) || outcomes[0].Path != "a.py" || outcomes[0].Layers["judge"].Severity != Dangerous {
		t.Errorf("outcomes of the samples as they are: %+v", outcomes)
	}
	last := progress[len(progress)-1]
	if last[0] != last[1] || last[0] != len(asked) {
		t.Errorf("progress ends at %v after %d reviews", last, len(asked))
	}
}

func TestAMeasurementThatIsEndedEarlySaysSo(t *testing.T) {
	var asked []string
	o := scriptedOptions(t, &asked)
	ctx, cancel := context.WithCancelCause(t.Context())
	o.Open = func(_ context.Context, s Setting, run int) (Review, error) {
		return func(ctx context.Context, tree fs.FS) (gate.Result, Cost, error) {
			if len(asked) == 8 {
				cancel(errors.New("interrupted"))
			}
			if ctx.Err() != nil {
				return gate.Result{}, Cost{}, context.Cause(ctx)
			}
			return scripted{s.Without, run, &asked}.review(ctx, tree)
		}, nil
	}
	r, outcomes, err := MeasureJudge(ctx, small(t, files, labels), o)
	if err != nil || !r.Partial || r.Complete() || len(outcomes) == 0 || len(outcomes) == len(labels) || len(r.Settings) != 1 {
		t.Fatalf("%v: partial %v, %d outcomes, %d settings", err, r.Partial, len(outcomes), len(r.Settings))
	}
	var text bytes.Buffer
	if err := WriteText(&text, Result{Judge: &r}); err != nil || !strings.Contains(text.String(), "PARTIAL") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

func TestAJudgeThatIsLostEndsItsSettingAndNotTheOthers(t *testing.T) {
	var asked []string
	o := scriptedOptions(t, &asked)
	o.Settings = []Setting{{Model: "gone"}, {Model: "m"}, {Model: "never"}}
	open := o.Open
	o.Open = func(ctx context.Context, s Setting, run int) (Review, error) {
		switch s.Model {
		case "never":
			return nil, errors.New("cannot keep to the form")
		case "gone":
			return func(context.Context, fs.FS) (gate.Result, Cost, error) {
				return scripted{nil, 1, &asked}.review(ctx, fstest.MapFS{"a": {Data: []byte("LOST")}})
			}, nil
		}
		return open(ctx, s, run)
	}
	c := small(t, files, labels)
	r, outcomes, err := MeasureJudge(t.Context(), c, o)
	if err != nil || len(outcomes) != len(labels) || r.Complete() {
		t.Fatalf("%v, %d outcomes", err, len(outcomes))
	}
	if r.Settings[0].Failed != "no host is left" || r.Settings[1].Failed != "" || r.Settings[2].Failed != "cannot keep to the form" {
		t.Errorf("%+v", r.Settings)
	}
	o.Settings = o.Settings[:1]
	if _, _, err := MeasureJudge(t.Context(), c, o); err == nil || !strings.Contains(err.Error(), "gone: no host is left") {
		t.Errorf("a judge that was not there: %v", err)
	}
}

func TestSomeSamplesAreChosenForNothingThatTheySay(t *testing.T) {
	var all []Sample
	for i := range 40 {
		s := Sample{Path: strings.Repeat("a", i+1), Label: Malicious}
		if i%4 == 0 {
			s.Label = Benign
		}
		all = append(all, s)
	}
	some := chosen(all, 5)
	n := map[Label]int{}
	for _, s := range some {
		n[s.Label]++
	}
	if n[Malicious] != 5 || n[Benign] != 5 {
		t.Errorf("%v", n)
	}
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	if diff := cmp.Diff(some, chosen(reversed, 5), cmp.AllowUnexported(Sample{})); diff != "" {
		t.Errorf("the order of the corpus matters: %s", diff)
	}
	if len(chosen(all, 0)) != len(all) {
		t.Error("0 is all")
	}
}

// report is a fixed report for the formats.
func report(t *testing.T) Result {
	t.Helper()
	var asked []string
	c := small(t, files, labels)
	o := scriptedOptions(t, &asked)
	r, outcomes, err := MeasureJudge(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	c.Digest = "d"
	res := NewResult(gate.Tool{Name: "gate", Version: "v1"}, c, outcomes)
	res.Judge = &r
	return res
}

func TestTheTableThatPeopleChooseFrom(t *testing.T) {
	r := report(t)
	old := report(t)
	old.Judge.Settings[0].Trials = slices.DeleteFunc(old.Judge.Settings[0].Trials, func(t Trial) bool { return t.Path == "d.py" })
	old.Judge.Settings[0].Trials[0].Cost.ReviewMS = []int64{4000}
	old.Judge.Settings[1].Trials = slices.DeleteFunc(old.Judge.Settings[1].Trials, func(t Trial) bool { return t.Variant == "approval" })
	if err := old.Judge.recount(); err != nil {
		t.Fatal(err)
	}
	c := Compare(old, r)
	r.Comparison = &c
	if !c.Worse() {
		t.Error("a judge that drifts is not worse")
	}
	var text, page bytes.Buffer
	if err := errors.Join(WriteText(&text, r), WriteHTML(&page, r)); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "judge.txt")
	if *update {
		if err := os.WriteFile(golden, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{"<h2>The judge</h2>", "50.0 % (2/4)", "Injections that work", "ends the turn with ChatML", `class="latency"`, "no control-tokens"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestAJudgeThatIsWrittenIsReadBackAndCountedAgain(t *testing.T) {
	r := report(t)
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	forged := strings.Replace(b.String(), `"unknown": 1,`, `"unknown": 0,`, 1)
	back, err := Decode(strings.NewReader(forged))
	if err != nil || forged == b.String() {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Judge.Settings, back.Judge.Settings); diff != "" {
		t.Errorf("a document contradicts itself: %s", diff)
	}
	c := Compare(r, back)
	if len(c.Judge) != 0 {
		t.Errorf("a result differs from itself: %+v", c.Judge)
	}
	if _, err := Decode(strings.NewReader(strings.Replace(b.String(), `"kind": "injected"`, `"kind": "blessed"`, 1))); err == nil {
		t.Error("an unknown kind of trial is accepted")
	}
}

func TestNamesOfModelsCannotSpeakToThePageOrTheTerminal(t *testing.T) {
	r := report(t)
	r.Judge.Settings[0].Model, r.Judge.Settings[1].Failed = "<script>\x1b]0;x\x07", "<b>\x1b"
	var page, text bytes.Buffer
	if err := errors.Join(WriteHTML(&page, r), WriteText(&text, r)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "<script") || strings.Contains(page.String(), "<b>") || strings.ContainsAny(page.String()+text.String(), "\x1b\x07") {
		t.Error("a name is more than text")
	}
}
