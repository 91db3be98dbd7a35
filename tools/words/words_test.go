package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestWordsAreFoundInTextsOfTheProjectOnly(t *testing.T) {
	words, err := readWords("words.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := &fstest.MapFile{Data: []byte("fine\nNobody mends it.\n")}
	files := fstest.MapFS{}
	for _, name := range []string{"README.md", "gate/a.go", "gate/rules/a.yaml", "CHANGELOG.md", "docs/rules.md", "fixtures/a.go", "gate/testdata/a.yaml", "tools/words/words.yaml", "a.py"} {
		files[name] = text
	}
	hits, err := search(files, []string{"README.md", "gate/a.go", "gate/rules/a.yaml", "CHANGELOG.md", "docs/rules.md", "fixtures/a.go", "gate/testdata/a.yaml", "tools/words/words.yaml", "a.py"}, words)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range hits {
		got = append(got, h.String())
	}
	want := []string{`README.md:2: "mends ": better fix (archaic)`, `README.md:2: "Nobody "`, "gate/a.go:2", "gate/a.go:2", "gate/rules/a.yaml:2", "gate/rules/a.yaml:2"}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}

func TestCountsOnlyShrink(t *testing.T) {
	for name, tt := range map[string]struct {
		allowed, now map[string]int
		want         string
	}{
		"as allowed": {map[string]int{"gate": 2}, map[string]int{"gate": 2}, ""},
		"one more":   {map[string]int{"gate": 2}, map[string]int{"gate": 3}, "gate has 3 words of tools/words/words.yaml, and 2 are allowed"},
		"a new package": {map[string]int{"gate": 2}, map[string]int{"gate": 2, "report": 1},
			"report has 1 words of tools/words/words.yaml, and 0 are allowed"},
		"one less":  {map[string]int{"gate": 2}, map[string]int{"gate": 1}, "gate has 1 words of tools/words/words.yaml left of 2: go run ./tools/words -update"},
		"none left": {map[string]int{"gate": 2}, nil, "gate has 0 words of"},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(compare(tt.allowed, tt.now), "\n")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestUpdateRefusesMoreThanBefore(t *testing.T) {
	name := filepath.Join(t.TempDir(), "counts.yaml")
	if err := writeCounts(name, nil, map[string]int{"gate": 2, "report": 1}); err != nil {
		t.Fatal(err)
	}
	before, err := readCounts(name)
	if err != nil || before["gate"] != 2 || before["report"] != 1 {
		t.Fatalf("%v, %v", before, err)
	}
	if err := writeCounts(name, before, map[string]int{"gate": 3}); err == nil || !strings.Contains(err.Error(), "more than the 2 before") {
		t.Errorf("%v", err)
	}
	if err := writeCounts(name, before, map[string]int{"gate": 1}); err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(string(data), "\ngate: 1\n") {
		t.Errorf("%s, %v", data, err)
	}
}

func TestAnEntryWithoutABetterWordIsAnError(t *testing.T) {
	name := filepath.Join(t.TempDir(), "words.yaml")
	for text, want := range map[string]string{
		"- {pattern: a}": "needs better and reason", "- {pattern: '(', better: b, reason: c}": "missing closing", "- {word: a}": "field word not found",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readWords(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestSentencesAreCountedInProseOnly(t *testing.T) {
	tests := map[string]struct {
		page string
		want []int
	}{
		"two in a paragraph":          {"One two three.\nFour five.\n", []int{3, 2}},
		"an item of a list":           {"- one two\n- three\n", []int{2, 1}},
		"a span of code is one word":  {"Run `gate scan ./ --base main` now.\n", []int{3}},
		"a version ends nothing":      {"Use v1.2 of it. Then 3.5 seconds.\n", []int{4, 3}},
		"a link counts by its text":   {"See [the page](a/b.md) there.\n", []int{4}},
		"no table, heading or code":   {"# A b c\n\n| a b | c |\n|---|---|\n| d. E | f |\n\n    go run x\n\n```\ny z\n```\n", nil},
		"nothing that is generated":   {"One.\n\n<!-- keys: generated -->\nTwo three.\n<!-- /keys -->\n\nFour five.\n", []int{1, 2}},
		"nothing that attacks wrote":  {"<!-- gate attack: begin -->\nTwo.\n\nThree.\n<!-- gate attack: end -->\n\nFour.\n", []int{1}},
		"nothing that a command made": {"<!-- written by `make x` -->\nTwo.\n\n<!-- end -->\n", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := measure(tc.page).sentences; !slices.Equal(got, tc.want) {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}

func TestPagesMayOnlyImprove(t *testing.T) {
	short, long := page{sentences: []int{10, 12}}, page{sentences: []int{10, 30}}
	tests := map[string]struct {
		allowed map[string]figures
		now     page
		want    []string
	}{
		"a short one":                      {nil, short, nil},
		"a long one":                       {nil, long, []string{"docs/a.md: 20 words a sentence (at most 16), 50 %"}},
		"one that was as long":             {map[string]figures{"docs/a.md": {Mean: 20, Long: 50}}, long, nil},
		"one that was shorter":             {map[string]figures{"docs/a.md": {Mean: 5, Long: 0}}, short, nil},
		"all together, which were shorter": {map[string]figures{"docs/a.md": {Mean: 5, Long: 0}, all: {Mean: 10, Long: 0}}, short, []string{"all: 11 words a sentence (at most 10)"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := comparePages(tc.allowed, map[string]page{"docs/a.md": tc.now})
			if len(got) != len(tc.want) || len(got) == 1 && !strings.HasPrefix(got[0], tc.want[0]) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestUpdateNeverRaisesALimit(t *testing.T) {
	long := page{sentences: []int{10, 30}}
	got := better(map[string]figures{"docs/a.md": {Mean: 11}, all: {Mean: 12, Long: 3}}, map[string]page{"docs/a.md": long})
	if a, sum := got["docs/a.md"], got[all]; a.Mean != 11 || a.Long != 0 || sum.Mean != 12 || sum.Long != 3 {
		t.Errorf("limits of %v", got)
	}
}
