package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
)

const root = "../../.."

func TestTheWeightsAndFiguresAreThoseOfTheFirstRuns(t *testing.T) {
	made, err := build(filepath.Join(root, "fixtures", "blind", "first-runs"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range made {
		have, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(have, want) {
			t.Errorf("%s is not what the fit gives: go run ./gate/lab/evidence", name)
		}
	}
}

func TestAFitLearnsWhichKindSaysMore(t *testing.T) {
	var rows []row
	for range 20 {
		rows = append(rows,
			row{kinds: []gate.Kind{gate.Sink}, attack: true, Verdict: gate.Suspicious},
			row{kinds: []gate.Kind{gate.Supply}, attack: true, Verdict: gate.Suspicious},
			row{kinds: []gate.Kind{gate.Supply}, Verdict: gate.Suspicious},
			row{Verdict: gate.Safe},
			row{kinds: []gate.Kind{gate.Supply}, attack: true, Verdict: gate.Dangerous}) // decided without the model
	}
	e := fit(rows)
	sink, supply := e.Likelihood([]gate.Kind{gate.Sink}), e.Likelihood([]gate.Kind{gate.Supply})
	if sink < 0.8 || supply < 0.4 || supply > 0.6 || e.Likelihood(nil) > 0.25 {
		t.Errorf("sink %.2f, supply %.2f, nothing %.2f", sink, supply, e.Likelihood(nil))
	}
}

func TestTheVerdictOfARowGivesItsKinds(t *testing.T) {
	kinds, err := kindsOf([]string{"static:exfiltration/js-new-host suspicious", "sandbox:persistence/observed-git-hook suspicious", "static:secrets/key note"})
	if want := []gate.Kind{gate.Foothold, gate.Novelty, gate.Observed, gate.Sink}; err != nil || !slices.Equal(kinds, want) {
		t.Errorf("%v, %v, want %v", kinds, err, want)
	}
	if _, err := kindsOf([]string{"exfiltration"}); err == nil {
		t.Error("a text that names no rule is taken")
	}
}

func TestWeakeningsAreNeitherAttacksNorHonest(t *testing.T) {
	name := filepath.Join(t.TempDir(), "set.jsonl")
	text := `{"id":"a","label":"weakening","verdict":"SUSPICIOUS","rules":["static:weakening/cookie suspicious"]}
{"id":"b","label":"malicious","verdict":"SAFE"}
{"id":"c","label":"benign","verdict":"SAFE"}
`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := readRows(name)
	if err != nil || len(rows) != 2 || !rows[0].attack || rows[1].attack {
		t.Errorf("%+v, %v, want an attack and an honest change", rows, err)
	}
}

func TestScoresOfGuesses(t *testing.T) {
	square, loss := brier([]guess{{0.9, true}, {0.2, false}})
	if square < 0.0249 || square > 0.0251 || loss < 0.164 || loss > 0.165 {
		t.Errorf("%.4f and %.4f, want 0.025 and 0.164", square, loss)
	}
}
