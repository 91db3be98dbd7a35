package main

import (
	"errors"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
)

// loads makes an app that counts how often it loads its rules.
func loads() (a *app, count *int) {
	a, count = newApp(), new(int)
	once := a.rules
	a.rules = func() (*static.OwnRules, error) { *count++; return once() }
	return a, count
}

func TestTheRulesAreLoadedOnce(t *testing.T) {
	a, asked := loads()
	l, err := a.stages(t.Context(), a.wiring(settings{policy: gate.DefaultPolicy()}, []gate.Layer{gate.LayerStatic}))
	if err != nil {
		t.Fatal(err)
	}
	documented, err := a.reportRules()
	if err != nil || len(documented) == 0 {
		t.Fatal(err)
	}
	if *asked != 2 {
		t.Errorf("the rules were asked for %d times; who loads them otherwise?", *asked)
	}
	own, err := a.rules()
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
	a := newApp()
	broken := errors.New("rules.yaml:3:1: broken")
	a.rules = func() (*static.OwnRules, error) { return nil, broken }
	if _, err := a.stages(t.Context(), a.wiring(settings{policy: gate.DefaultPolicy()}, []gate.Layer{gate.LayerStatic})); !errors.Is(err, broken) {
		t.Errorf("the static layer starts without rules: %v", err)
	}
	if _, err := a.reportRules(); !errors.Is(err, broken) {
		t.Errorf("a report documents nothing: %v", err)
	}
}
