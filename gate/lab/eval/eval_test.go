package eval

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/strict"
)

// folder writes files and returns where they lie.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, dir string) *Corpus {
	t.Helper()
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestAMistakeInACorpusNamesThePlaceAndWhatWasMeant(t *testing.T) {
	const head = "name: x\nsamples:\n"
	sample := func(s string) string { return head + "  - {" + s + "}\n" }
	tests := map[string]struct {
		yaml string
		want []string
	}{
		"nothing":               {"", []string{":1:1: the corpus is empty"}},
		"no YAML":               {"name: [\n", []string{"not valid YAML"}},
		"no mapping":            {"- a\n", []string{":1:1: a corpus must be a mapping"}},
		"no samples":            {"name: x\n", []string{`a corpus lacks "samples"`}},
		"an empty list":         {"name: x\nsamples: []\n", []string{":2:10: samples must be a list with at least one entry"}},
		"a misspelt key":        {sample("path: a.py, language: python, lable: risky, category: c"), []string{`:3:36: unknown key "lable" in a sample; did you mean "label"?`, `a sample lacks "label"`}},
		"a misspelt label":      {sample("path: a.py, language: python, label: riskey, category: c"), []string{`:3:43: unknown label "riskey"; did you mean "risky"?`}},
		"a misspelt language":   {sample("path: a.py, language: pyhton, label: risky, category: c"), []string{`did you mean "python"?`}},
		"a path that leaves":    {sample("path: ../a.py, language: python, label: risky, category: c"), []string{":3:12: path must be a plain path below the root"}},
		"an absolute path":      {sample("path: /etc/passwd, language: python, label: risky, category: c"), []string{"path must be a plain path"}},
		"a path with a dot dot": {sample("path: b/../a.py, language: python, label: risky, category: c"), []string{"path must be a plain path"}},
		"a sample twice":        {head + "  - {path: a.py, language: python, label: risky, category: c}\n  - {path: a.py, language: python, label: benign, category: c}\n", []string{`:4:5: the sample "a.py" is on line 3 already`}},
		"a sample that is gone": {sample("path: b.py, language: python, label: risky, category: c"), []string{`:3:5: there is no file or folder "b.py"`}},
		"a link":                {sample("path: link.py, language: python, label: risky, category: c"), []string{"neither a file nor a folder"}},
		"lines of a folder":     {sample("path: d, language: python, label: risky, category: c, lines: [1]"), []string{`"d" is a folder`}},
		"lines of a benign":     {sample("path: a.py, language: python, label: benign, category: c, lines: [1]"), []string{`a benign sample has no "lines"`}},
		"line nought":           {sample("path: a.py, language: python, label: risky, category: c, lines: [0]"), []string{"a line is a whole number"}},
		"a loud category":       {sample("path: a.py, language: python, label: risky, category: Loud"), []string{"a category is lower-case words"}},
		"a root that leads in":  {"name: x\nroot: ../a\nsamples:\n  - {path: a.py, language: python, label: risky, category: c}\n", []string{":2:7: root is"}},
		"an alias":              {"name: &n x\nabout: *n\nsamples:\n  - {path: a.py, language: python, label: risky, category: c}\n", []string{":2:8: aliases are not allowed"}},
		"a key twice":           {"name: x\nname: y\nsamples:\n  - {path: a.py, language: python, label: risky, category: c}\n", []string{`:2:1: key "name" is given twice`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"corpus.yaml": tc.yaml, "a.py": "x\n", "d/a.py": "x\n"})
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link.py")); err != nil {
				t.Fatal(err)
			}
			c, err := Open(dir)
			if err == nil {
				_ = c.Close()
				t.Fatal("no complaint")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "corpus.yaml") {
					t.Errorf("complaint %q lacks %q", err, want)
				}
			}
		})
	}
}

func TestAFolderWithoutACorpusSaysWhatACorpusIs(t *testing.T) {
	_, err := Open(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "docs/detection.md") {
		t.Errorf("complaint %v", err)
	}
}

func TestMarshalledResultsAreReadBack(t *testing.T) {
	dir := folder(t, map[string]string{"a b's.py": "1\n2\n3\n", "d/x.js": "1\n", "no": "x", "old/a.py": "0\n"})
	want := []Sample{
		{Path: "a b's.py", Base: "old/a.py", As: "x/AGENTS.md", Language: "python", Label: Malicious, Category: "c-d", Lines: []int{1, 3}},
		{Path: "d", Language: Mixed, Label: Benign, Category: "c"},
		{Path: "no", Language: "text", Label: Benign, Category: "c"},
	}
	if err := os.WriteFile(filepath.Join(dir, CorpusFile), Marshal("n: {a}", "about\n\"it\"", want), 0o644); err != nil {
		t.Fatal(err)
	}
	c := open(t, dir)
	for i := range c.Samples {
		c.Samples[i].At = strict.Position{}
	}
	if diff := cmp.Diff(want, c.Samples); diff != "" || c.Name != "n: {a}" || c.About != "about\n\"it\"" {
		t.Errorf("%q %q\n%s", c.Name, c.About, diff)
	}
}

// says is a pipeline in which every line of a file that holds a severity is a
// finding of that severity, by the layer that the line names.
func says(_ context.Context, _, tree fs.FS) (gate.Result, error) {
	res := gate.Result{Layers: []gate.LayerResult{
		{Name: gate.LayerStatic, Status: gate.LayerRan},
		{Name: gate.LayerJudge, Status: gate.LayerSkipped},
		{Name: gate.LayerSandbox, Status: gate.LayerRan},
		{Name: "third", Status: gate.LayerFailed, Reason: "engine down"},
	}}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		var found []gate.Finding
		for i, line := range strings.Split(string(data), "\n") {
			words := strings.Fields(line)
			if len(words) == 1 && words[0] == "gap" {
				res.Incomplete = append(res.Incomplete, gate.Gap{Layer: gate.LayerStatic, Path: name, Reason: "too large"})
			}
			if len(words) != 3 {
				continue
			}
			f := gate.Finding{Layer: gate.Layer(words[0]), Rule: words[2], Line: i + 1, EndLine: i + 1, InChange: true}
			if err := f.Severity.UnmarshalText([]byte(words[1])); err != nil {
				return err
			}
			found = append(found, f)
		}
		res.Files = append(res.Files, gate.FileResult{Path: name, Findings: gate.Corroborate(found)})
		return nil
	})
	return res, err
}

func TestLayersAreMeasuredByThemselvesAndAllTogether(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.py":   "x\nstatic suspicious c/one\nsandbox suspicious c/two\n",
		"b.py":   "static note c/one\n",
		"c.sh":   "static dangerous d/x\n",
		"d/e.sh": "nothing\n", "d/f.sh": "sandbox suspicious c/two\n",
		"g.sh": "gap\n",
		"corpus.yaml": `name: n
samples:
  - {path: a.py, language: python, label: risky, category: c, lines: [2]}
  - {path: b.py, language: python, label: benign, category: c}
  - {path: c.sh, language: shell, label: benign, category: d}
  - {path: d, language: shell, label: risky, category: d}
  - {path: g.sh, language: shell, label: risky, category: d}
`,
	})
	c := open(t, dir)
	var progress []int
	outcomes, err := Run(t.Context(), c, Options{Pipeline: says, Workers: 3, Progress: func(done, total int) { progress = append(progress, done*10+total) }})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{15, 25, 35, 45, 55}, progress); diff != "" {
		t.Errorf("progress: %s", diff)
	}
	res := NewResult(gate.Tool{Name: "gate"}, c, outcomes)
	if diff := cmp.Diff([]string{"static", "sandbox", "all"}, res.Layers); diff != "" {
		t.Errorf("a layer that was skipped is no column: %s", diff)
	}
	if diff := cmp.Diff([]string{"third: engine down"}, outcomes[0].Failed); diff != "" || res.Failed != 5 {
		t.Errorf("%d samples with a layer that failed: %s", res.Failed, diff)
	}
	if res.Incomplete != 1 || len(outcomes[4].Incomplete) != 1 {
		t.Errorf("%d incomplete samples, want 1: %v", res.Incomplete, outcomes[4].Incomplete)
	}
	find := func(layer, group string, at Level) Measure {
		for _, m := range res.Measures {
			if m.Layer == layer && m.Group == group && m.At == at {
				return m
			}
		}
		t.Fatalf("%s %s %s is not measured", layer, group, at)
		return Measure{}
	}
	tests := map[string]struct {
		layer, group   string
		at             Level
		tp, fn, fp, tn int
	}{
		"static, suspicious":                       {"static", "all", Suspicious, 1, 1, 1, 1},
		"static, dangerous":                        {"static", "all", Dangerous, 0, 2, 1, 1},
		"sandbox sees into a folder":               {"sandbox", "all", Suspicious, 2, 1, 0, 2},
		"together, one corroborates the other":     {"all", "all", Dangerous, 1, 1, 1, 1},
		"one language":                             {"all", "python", Suspicious, 1, 0, 0, 1},
		"one category, the unknown left out":       {"all", "d", Suspicious, 1, 0, 1, 0},
		"what only a layer alone does not see":     {"sandbox", "python", Dangerous, 0, 1, 0, 1},
		"what a note says counts at neither level": {"static", "c", Suspicious, 1, 0, 0, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := find(tc.layer, tc.group, tc.at)
			if got, want := [4]int{m.TruePositives, m.FalseNegatives, m.FalsePositives, m.TrueNegatives}, [4]int{tc.tp, tc.fn, tc.fp, tc.tn}; got != want {
				t.Errorf("found, missed, wrong, quiet: %v, want %v", got, want)
			}
		})
	}
	if m := find("static", "all", Suspicious); m.Unknown != 1 {
		t.Errorf("%d samples are unknown to the layer with a gap, want 1", m.Unknown)
	}
	if m := find("sandbox", "all", Suspicious); m.Unknown != 0 {
		t.Errorf("%d samples are unknown to the layer without a gap", m.Unknown)
	}
	if len(res.Unmeasured()) != 0 {
		t.Errorf("unmeasured: %v", res.Unmeasured())
	}
	if m := find("static", "python", Suspicious); m.Located.Count != 1 || m.Located.Of != 1 {
		t.Errorf("the finding is on the expected line: %+v", m.Located)
	}
	if m := find("sandbox", "python", Suspicious); m.Located.Count != 0 || m.Located.Of != 1 {
		t.Errorf("the finding is on another line: %+v", m.Located)
	}
}

func TestASampleIsSeenUnderItsNameAndAlone(t *testing.T) {
	dir := folder(t, map[string]string{
		"top/AGENTS.md.sample": "x\n", "top/other.py": "x\n", "top/pkg/a/b.py": "x\n", "top/pkg/.mcp.json.sample": "{}",
		"top/c/corpus.yaml": `name: n
root: ..
samples:
  - {path: AGENTS.md.sample, language: markdown, label: risky, category: c}
  - {path: other.py, as: tests/test_other.py, language: python, label: risky, category: c}
  - {path: pkg, language: mixed, label: risky, category: c}
`,
	})
	c := open(t, filepath.Join(dir, "top", "c"))
	var trees []string
	_, err := Run(t.Context(), c, Options{Workers: 1, Pipeline: func(_ context.Context, _, tree fs.FS) (gate.Result, error) {
		err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				trees = append(trees, name)
			}
			return err
		})
		return gate.Result{}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"AGENTS.md", "tests/test_other.py", ".mcp.json", "a/b.py"}, trees); diff != "" {
		t.Error(diff)
	}
}

func TestAnErrorOfThePipelineGivesNoFigures(t *testing.T) {
	c := open(t, folder(t, map[string]string{"a.py": "x\n", "corpus.yaml": "name: n\nsamples:\n  - {path: a.py, language: python, label: risky, category: c}\n"}))
	broken := errors.New("no engine")
	out, err := Run(t.Context(), c, Options{Workers: 1, Pipeline: func(context.Context, fs.FS, fs.FS) (gate.Result, error) { return gate.Result{}, broken }})
	if !errors.Is(err, broken) || out != nil {
		t.Errorf("outcomes %v, error %v", out, err)
	}
}

func TestIntervalsAreThoseOfWilson(t *testing.T) {
	// Values from R: binom::binom.confint(x, n, method = "wilson").
	tests := map[string]struct {
		count, n  int
		low, high float64
	}{
		"none of ten":     {0, 10, 0, 0.2775},
		"all of ten":      {10, 10, 0.7225, 1},
		"half of twenty":  {10, 20, 0.2993, 0.7007},
		"one of thousand": {1, 1000, 0.000177, 0.005642},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := ShareOf(tc.count, tc.n)
			if math.Abs(s.Low-tc.low) > 1e-4 || math.Abs(s.High-tc.high) > 1e-4 {
				t.Errorf("%.6f–%.6f, want %.6f–%.6f", s.Low, s.High, tc.low, tc.high)
			}
		})
	}
	if s := ShareOf(0, 0); s != (Share{}) {
		t.Errorf("nothing of nothing is not measured: %+v", s)
	}
}

// result is a result with one layer that sees each sample as said:
// "path label level".
func result(t *testing.T, samples ...string) Result {
	t.Helper()
	var all []Outcome
	for _, s := range samples {
		w := strings.Fields(s)
		o := Outcome{Path: w[0], Label: labelWords[w[1]], Language: "python", Category: "c"}
		var l Level
		if err := l.UnmarshalText([]byte(w[2])); err != nil {
			t.Fatal(err)
		}
		seen := Seen{Severity: l}
		if l > Nothing {
			seen.Rules = []RuleSeen{{Rule: "c/<rule>", Severity: l, Line: 7}}
		}
		o.Layers = map[string]Seen{"static": seen, All: seen}
		all = append(all, o)
	}
	return NewResult(gate.Tool{Name: "gate", Version: "v1"}, &Corpus{Name: "<n>", Digest: "d"}, all)
}

func TestAComparisonSaysWhatBecameWorse(t *testing.T) {
	old := result(t, "a risky dangerous", "b risky nothing", "c benign nothing", "d benign dangerous", "e risky suspicious", "gone risky note")
	tests := map[string]struct {
		now   string
		worse bool
	}{
		"found at a lower level":          {"a risky suspicious", true},
		"found for the first time":        {"b risky suspicious", false},
		"a benign one is flagged":         {"c benign suspicious", true},
		"a benign one has a note":         {"c benign note", false},
		"a benign one is let go":          {"d benign suspicious", false},
		"missed":                          {"e risky note", true},
		"labelled otherwise":              {"e benign dangerous", false},
		"a sample that was not there yet": {"new benign dangerous", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := Compare(old, result(t, tc.now))
			if c.Worse() != tc.worse {
				t.Errorf("worse: %v, want %v: %+v", c.Worse(), tc.worse, c.Samples)
			}
		})
	}
	same := Compare(old, old)
	if len(same.Samples)+len(same.Measures)+len(same.Added)+len(same.Removed) > 0 || !same.SameCorpus {
		t.Errorf("a result differs from itself: %+v", same)
	}
	if c := Compare(old, result(t, "a risky dangerous")); len(c.Removed) != 5 {
		t.Errorf("removed: %v", c.Removed)
	}
}

func TestAResultThatIsWrittenIsReadBack(t *testing.T) {
	r := result(t, "a risky dangerous", "b benign suspicious")
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	back, err := Decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Error(diff)
	}
	for name, text := range map[string]string{
		"another document":  `{"schema_version": 1, "decision": "pass"}`,
		"another version":   `{"schema_version": 2, "kind": "gate-eval"}`,
		"something behind":  b.String() + "{}",
		"an unknown label":  `{"schema_version": 1, "kind": "gate-eval", "samples": [{"path": "a", "label": "good"}]}`,
		"a made-up level":   `{"schema_version": 1, "kind": "gate-eval", "samples": [{"path": "a", "label": "risky", "layers": {"all": {"severity": "fine"}}}]}`,
		"no JSON":           "recall 100 %",
		"a sample unnamed":  `{"schema_version": 1, "kind": "gate-eval", "samples": [{"label": "risky"}]}`,
		"cut in the middle": b.String()[:b.Len()/2],
	} {
		if _, err := Decode(strings.NewReader(text)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestReportsEscapeWhatSamplesAreCalled(t *testing.T) {
	r := result(t, "<script>alert(1)</script> risky nothing", "\x1b]0;x\x07 benign dangerous")
	c := Compare(result(t, "<script>alert(1)</script> risky dangerous"), r)
	r.Comparison = &c
	var page, text bytes.Buffer
	if err := errors.Join(WriteHTML(&page, r), WriteText(&text, r)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), pageStyle) {
		t.Error("the page lacks its style sheet")
	}
	for _, markup := range []string{"<script", "<n>", "<rule>", "http:", "https:", "src="} {
		if strings.Contains(page.String(), markup) {
			t.Errorf("the page holds %q", markup)
		}
	}
	if strings.ContainsAny(page.String()+text.String(), "\x1b\x07") {
		t.Error("a name can speak to the terminal")
	}
}

func FuzzACorpusFileIsReadOrRefused(f *testing.F) {
	for _, seed := range []string{
		"name: x\nsamples:\n  - {path: a.py, language: python, label: risky, category: c, lines: [1, 2]}\n",
		"name: x\nroot: ../..\nabout: y\nsamples: [{path: a, as: b, language: go, label: benign, category: c-d}]",
		"&a [*a]", "name: !!binary aa", "? {a: b}\n: c", "\x00", "---\n---\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := &reader{strict.Reader{File: "corpus.yaml"}}
		c, up := r.corpus([]byte(text))
		if r.Err() != nil {
			return
		}
		if c.Name == "" || len(c.Samples) == 0 || strings.Trim(up, "./") != "" {
			t.Errorf("accepted: %+v below %q", c, up)
		}
		for _, s := range c.Samples {
			if !fs.ValidPath(s.Path) || s.As != "" && !fs.ValidPath(s.As) || s.Label != Malicious && s.Label != Benign || s.Category == "" || s.Language == "" {
				t.Errorf("accepted: %+v", s)
			}
		}
	})
}

func TestALayerThatSawNothingInFullHasNoFigures(t *testing.T) {
	c := open(t, folder(t, map[string]string{"a.py": "gap\n", "corpus.yaml": "name: n\nsamples:\n  - {path: a.py, language: python, label: risky, category: c}\n"}))
	outcomes, err := Run(t.Context(), c, Options{Workers: 1, Pipeline: says})
	if err != nil {
		t.Fatal(err)
	}
	res := NewResult(gate.Tool{}, c, outcomes)
	if diff := cmp.Diff([]string{"static", "all"}, res.Unmeasured()); diff != "" {
		t.Error(diff)
	}
	if res.Measures[0].Recall.Of != 0 {
		t.Errorf("what no one looked at is in the recall: %+v", res.Measures[0])
	}
}

func TestLabelsMayBeSpelledAsInTheFieldOrAsInOlderCorpora(t *testing.T) {
	for word, want := range map[string]Label{"malicious": Malicious, "risky": Malicious, "benign": Benign, "innocent": Benign} {
		c := open(t, folder(t, map[string]string{"a.py": "x\n", "corpus.yaml": "name: n\nsamples: [{path: a.py, language: python, label: " + word + ", category: c}]\n"}))
		if got := c.Samples[0].Label; got != want {
			t.Errorf("%s is read as %q, want %q", word, got, want)
		}
	}
}
