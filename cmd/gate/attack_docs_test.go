package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/gate/lab/attackrun"
)

//go:generate go test -run TestTheTableOfAttacksIsThatOfTheSavedResult . -update

// The page shows the result that was saved, with nothing added by hand, and every
// attack of the suite is in it. `make attack` runs them all and writes both.
func TestTheTableOfAttacksIsThatOfTheSavedResult(t *testing.T) {
	page, saved := filepath.Join("..", "..", "docs", "attacks.md"), filepath.Join("..", "..", "docs", "attacks.json")
	data, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	res, err := attack.ParseResult("docs/attacks.json", data)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- gate attack: begin -->\n", "<!-- gate attack: end -->\n"
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place between %q and %q", page, begin, end)
	}
	var table strings.Builder
	if err := res.WriteMarkdown(&table); err != nil {
		t.Fatal(err)
	}
	want := head + begin + table.String() + end + tail
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s is not current; run `make docs` (-want +got):\n%s", page, diff)
	}
	suite, err := attackrun.OpenSamples(filepath.Join("..", "..", "fixtures", "attacks"))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range suite {
		for _, runtime := range []string{"runc", "runsc"} {
			if !slices.ContainsFunc(res.Attacks, func(r attack.Row) bool { return r.ID == a.ID && r.Runtime == runtime && !r.Benign }) {
				t.Errorf("docs/attacks.json has no %s on %s; run `make attack`", a.ID, runtime)
			}
		}
	}
	for _, r := range res.Attacks {
		if !slices.ContainsFunc(suite, func(a *attack.Attack) bool { return a.ID == r.ID }) {
			t.Errorf("docs/attacks.json has %s, which is no longer in the suite; run `make attack`", r.ID)
		}
	}
}

// What the pages say of the suite in words is counted.
func TestThePagesSayHowManyAttacksThereAre(t *testing.T) {
	suite, err := attackrun.OpenSamples(filepath.Join("..", "..", "fixtures", "attacks"))
	if err != nil {
		t.Fatal(err)
	}
	blind := 0
	for _, a := range suite {
		if a.Blind != strings.HasPrefix(a.Group, "blind-") {
			t.Errorf("%s: the group %s does not say whether it was written blind", a.ID, a.Group)
		}
		if a.Blind {
			blind++
		}
	}
	for page, words := range map[string][]string{
		"docs/attacks.md":    {fmt.Sprintf("puts %d attacks and", len(suite)), fmt.Sprintf("\n%d of them, in the groups that begin with `blind-`", blind)},
		"fixtures/README.md": {fmt.Sprintf("`attacks/` are %d attacks,", len(suite))},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range words {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s does not say %q", page, want)
			}
		}
	}
}
