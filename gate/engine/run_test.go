package engine

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/shard"
)

// origin is a change that was made up. Its errors come in the order of a run.
type origin struct {
	settings  Settings
	targets   []*gate.Target
	noPolicy  error
	noChange  error
	askedWith gate.Policy // the policy for which the change was asked
}

func (o *origin) Settings(context.Context) (Settings, error) { return o.settings, o.noPolicy }

func (o *origin) Change(_ context.Context, p gate.Policy) (*gate.Change, error) {
	o.askedWith = p
	tree := fstest.MapFS{}
	for _, t := range o.targets {
		tree[t.Path] = &fstest.MapFile{Data: []byte("x = 1\n")}
	}
	return &gate.Change{Head: tree, Targets: o.targets}, o.noChange
}

func target(path string) *gate.Target {
	return &gate.Target{Path: path, Language: gate.LanguagePython, Kind: gate.ChangeAdded, Mode: 0o644, Size: 6}
}

// finds is a static layer with one suspicious finding in each file.
type finds struct{}

func (finds) Name() gate.Layer { return gate.LayerStatic }

func (finds) Run(_ context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	out := gate.Outcome{Digests: map[string]string{}}
	for _, t := range c.Targets {
		found.Add(t.Path, gate.Finding{Rule: "shell-out/x", Layer: gate.LayerStatic, Severity: gate.SeveritySuspicious, Line: 1, Message: "m"})
		out.Digests[t.Path] = strings.Repeat("0", 64)
	}
	return out, nil
}

func newEngine(build func(context.Context, Setup) (*Layers, error)) *Engine {
	return New(Host{
		Tool: gate.Tool{Name: "gate", Version: "test"}, Stderr: io.Discard,
		Getenv: func(string) string { return "" }, Build: build,
	})
}

// fixed builds the same layers always and counts how often they are open.
func fixed(open *int, stages ...gate.Stage) func(context.Context, Setup) (*Layers, error) {
	return func(context.Context, Setup) (*Layers, error) {
		*open++
		l := FixedLayers(stages...)
		l.close = append(l.close, func() error { *open--; return nil })
		return l, nil
	}
}

func TestRunStopsAtTheFirstErrorAndLeavesNothingOpen(t *testing.T) {
	boom := errors.New("boom")
	wanted := []gate.Layer{gate.LayerStatic}
	for name, tt := range map[string]struct {
		origin  origin
		request Request
		want    error
	}{
		"no settings":          {origin{noPolicy: boom}, Request{}, boom},
		"no change":            {origin{noChange: boom}, Request{}, boom},
		"nothing to look at":   {origin{}, Request{RefuseEmpty: true}, ErrEmpty},
		"a report that cannot": {origin{}, Request{Handler: func(Prepared) (gate.Handler, error) { return nil, boom }}, boom},
		"a handler that fails": {origin{targets: []*gate.Target{target("a.py")}}, Request{Handler: func(Prepared) (gate.Handler, error) { return broken{boom}, nil }}, boom},
		"all that is needed":   {origin{targets: []*gate.Target{target("a.py")}}, Request{}, nil},
		"an empty change":      {origin{}, Request{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			open := 0
			r := tt.request
			tt.origin.settings.Policy = gate.DefaultPolicy()
			r.Origin, r.Selected = &tt.origin, wanted
			out, err := newEngine(fixed(&open, finds{})).Run(t.Context(), r)
			if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if open != 0 {
				t.Errorf("%d layers are still open", open)
			}
			if tt.want == nil && out.Result.Tool.Version != "test" {
				t.Errorf("the result is not signed: %+v", out.Result.Tool)
			}
		})
	}
}

// broken is a report that cannot be written.
type broken struct{ err error }

func (b broken) Handle(gate.Event) error { return b.err }

func TestRunCannotBeToldToPassByAnErrorWithoutACode(t *testing.T) {
	open := 0
	o := &origin{settings: Settings{Policy: gate.DefaultPolicy()}}
	_, err := newEngine(fixed(&open, finds{})).Run(t.Context(), Request{Origin: o, Handler: func(Prepared) (gate.Handler, error) { return nil, errors.New("boom") }})
	if e, ok := errors.AsType[*exit.Error](err); !ok || e.Code != exit.Incomplete {
		t.Errorf("%v", err)
	}
}

func TestRunTellsTheReportWhatItLooksAt(t *testing.T) {
	open := 0
	all := []*gate.Target{target("a.py"), target("b.py"), target("c.py"), target("d.py")}
	var seen []string
	for i := 1; i <= 2; i++ {
		o := &origin{settings: Settings{Policy: gate.DefaultPolicy()}, targets: all}
		out, err := newEngine(fixed(&open, finds{})).Run(t.Context(), Request{
			Origin: o, Part: shard.Part{Index: i, Of: 2}, Base: "base", Head: "head",
			Handler: func(p Prepared) (gate.Handler, error) {
				for _, t := range p.Change.Targets {
					seen = append(seen, t.Path)
				}
				return gate.Discard{}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		s := out.Result.Shard
		if s == nil || s.Index != i || s.Base != "base" || s.Head != "head" || s.Targets != len(all) || len(out.Change.Targets) != len(all) {
			t.Errorf("shard %d: %+v", i, s)
		}
	}
	if slices.Sort(seen); !slices.Equal(seen, []string{"a.py", "b.py", "c.py", "d.py"}) {
		t.Errorf("the shards look at %q", seen)
	}
}

func TestRunOverridesOnlyWhatDoesNotPass(t *testing.T) {
	for failOn, want := range map[gate.Severity]*gate.Overridden{
		gate.SeveritySuspicious: {By: "ada", Label: "gate:override", Decision: gate.DecisionBlock},
		gate.SeverityDangerous:  nil,
	} {
		open := 0
		p := gate.DefaultPolicy()
		p.FailOn = failOn
		o := &origin{settings: Settings{Policy: p}, targets: []*gate.Target{target("a.py")}}
		out, err := newEngine(fixed(&open, finds{})).Run(t.Context(), Request{
			Origin: o,
			Override: func(context.Context, gate.Policy) *gate.Overridden {
				return &gate.Overridden{By: "ada", Label: "gate:override"}
			},
		})
		if err != nil || out.Result.Decision != gate.DecisionPass {
			t.Fatalf("%v, %v", out.Result.Decision, err)
		}
		if got := out.Result.Override; (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("fail-on %v: %+v, want %+v", failOn, got, want)
		}
	}
}

func TestRunWithAPartOfTheRequiredLayersKeepsThePolicyOfTheOutcome(t *testing.T) {
	open := 0
	p := gate.DefaultPolicy()
	p.Require = gate.Layers()
	o := &origin{settings: Settings{Policy: p}, targets: []*gate.Target{target("a.py")}}
	out, err := newEngine(fixed(&open, finds{})).Run(t.Context(), Request{Origin: o, Require: []gate.Layer{gate.LayerStatic}})
	if err != nil || out.Result.Verdict != gate.Suspicious {
		t.Errorf("%v, %v: a layer was missed that this run does not require", out.Result.Verdict, err)
	}
	if !slices.Equal(out.Settings.Policy.Require, gate.Layers()) || slices.Equal(o.askedWith.Require, gate.Layers()) {
		t.Errorf("outcome %v, run %v", out.Settings.Policy.Require, o.askedWith.Require)
	}
}

func TestLayersRunAsOftenAsTheCallerWants(t *testing.T) {
	l := FixedLayers(finds{})
	for _, suppress := range []Suppressions{{}, {On: true}, {On: true, AgainstBase: true, NoBaseline: true}} {
		o := &origin{targets: []*gate.Target{target("a.py")}}
		c, err := o.Change(t.Context(), gate.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := l.Run(t.Context(), Job{Change: c, Policy: gate.DefaultPolicy(), Suppress: suppress})
		if err != nil || res.Verdict != gate.Suspicious || len(res.Files) != 1 || len(res.Files[0].Findings) != 1 {
			t.Errorf("%+v: %v, %v", suppress, res.Verdict, err)
		}
	}
	if l.stages[0] != (gate.Stage)(finds{}) {
		t.Error("the suppressions of one change are left in the layers of the next")
	}
}

func TestLayersWithAnotherStage(t *testing.T) {
	l := FixedLayers(finds{})
	more := l.With(waits{})
	if len(l.stages) != 1 || len(more.stages) != 2 {
		t.Errorf("%d and %d stages", len(l.stages), len(more.stages))
	}
}
