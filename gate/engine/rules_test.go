package engine

import (
	"errors"
	"io"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/rulebook"
	"github.com/aigate/gate/gate/static"
)

func withRules(load rulebook.Loader) *Engine {
	return New(Host{Stderr: io.Discard, Getenv: func(string) string { return "" }, Rules: load})
}

// onlyStatic is a run of the static layer alone.
func onlyStatic() Setup {
	return Setup{Settings: Settings{Policy: gate.DefaultPolicy()}, Selected: []gate.Layer{gate.LayerStatic}}
}

func TestRulesAreLoadedOnceForTheLayersAndTheReports(t *testing.T) {
	loaded := 0
	e := withRules(func() (*static.OwnRules, error) { loaded++; return static.LoadRules() })
	l, err := e.Open(t.Context(), onlyStatic())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if documented, err := rulebook.New(e.Rules).Rules(); err != nil || len(documented) == 0 {
		t.Fatalf("%d rules, %v", len(documented), err)
	}
	if loaded != 1 {
		t.Errorf("the rules were loaded %d times", loaded)
	}
	own, err := e.Rules()
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range l.stages[0].(*static.Scanner).Rules() {
		if r != own.Rules()[i] {
			t.Fatalf("the layer has a copy of %s of its own", r.ID)
		}
	}
}

func TestRulesThatDoNotLoadStopEverything(t *testing.T) {
	broken := errors.New("rules.yaml:3:1: broken")
	e := withRules(func() (*static.OwnRules, error) { return nil, broken })
	_, err := e.Open(t.Context(), onlyStatic())
	if coded, ok := errors.AsType[*exit.Error](err); !errors.Is(err, broken) || !ok || coded.Code != exit.Incomplete {
		t.Errorf("the static layer starts without rules: %v", err)
	}
	if _, err := rulebook.New(e.Rules).Rules(); !errors.Is(err, broken) {
		t.Errorf("a report documents nothing: %v", err)
	}
}
