package main

import (
	"os"
	"path/filepath"
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
	want := []string{`README.md:2: "mends ": better fix (archaic)`, `README.md:2: "Nobody"`, "gate/a.go:2", "gate/a.go:2", "gate/rules/a.yaml:2", "gate/rules/a.yaml:2"}
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
			err := compare(tt.allowed, tt.now)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
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
