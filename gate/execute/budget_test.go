package execute_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

// slow is a runner whose every run takes a second.
type slow struct{ fakeRunner }

func (s *slow) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	select {
	case <-ctx.Done():
		return sandbox.Result{Status: sandbox.Killed}, context.Cause(ctx)
	case <-time.After(time.Second):
	}
	return s.fakeRunner.Run(ctx, spec)
}

// warns is a static layer that has a doubt about one file.
type warns struct{ path string }

func (w warns) Name() gate.Layer { return gate.LayerStatic }

func (w warns) Run(_ context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	found.Add(w.path, suspicious(gate.LayerStatic))
	out := gate.Outcome{Digests: map[string]string{}}
	for _, t := range c.Targets {
		out.Digests[t.Path] = "seen"
	}
	return out, nil
}

func TestBudgetReachesTheRiskiestAndListsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const files, budget = 200, 30 * time.Second
		tree := map[string]string{"package.json": `{"scripts": {"postinstall": "node x.js"}}`}
		for i := range files {
			tree[fmt.Sprintf("file-%03d.py", i)] = program
		}
		const risky = "file-199.py"
		r := &slow{}
		o := options(func(context.Context) (execute.Runner, error) { return r, nil })
		o.Parallel, o.Policy.Conditions = 2, 0
		s, err := execute.New(o)
		if err != nil {
			t.Fatal(err)
		}
		policy := gate.DefaultPolicy()
		policy.Limits.Budget, policy.Require = budget, []gate.Layer{gate.LayerStatic, gate.LayerSandbox}
		begin := time.Now()
		res, err := gate.Run(t.Context(), gate.Request{Change: changeOf(mapFS(tree)), Policy: policy, Stages: []gate.Stage{warns{risky}, s}, Handler: gate.Discard{}})
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > budget+time.Second {
			t.Errorf("it took %s", took)
		}
		var unreached []string
		for _, g := range res.Incomplete {
			if g.Layer != gate.LayerSandbox || g.Path == "" || !strings.Contains(g.Reason, "the time budget of 30s was used up") {
				t.Errorf("gap %+v", g)
			}
			unreached = append(unreached, g.Path)
		}
		reached := 0
		for _, f := range res.Files {
			gone := slices.Contains(unreached, f.Path)
			if ran := f.Execution != nil && len(f.Execution.Units) > 0; ran == gone {
				t.Errorf("%s: it ran: %v, it is listed as not reached: %v", f.Path, ran, gone)
			}
			if gone && f.Verdict != gate.Incomplete {
				t.Errorf("%s was not reached and is %s", f.Path, f.Verdict)
			}
			if !gone {
				reached++
			}
		}
		// Two at a time, a second each, less the empty programs that come first.
		if reached < 50 || reached > 60 || slices.Contains(unreached, risky) || slices.Contains(unreached, "package.json") {
			t.Errorf("%d were reached, and not %v", reached, unreached[:min(3, len(unreached))])
		}
		if res.Verdict != gate.Incomplete || res.Decision != gate.DecisionIncomplete {
			t.Errorf("%s, %s", res.Verdict, res.Decision)
		}
	})
}

func TestALayerThatComesTooLateListsEveryFile(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("the time budget was used up")
	cancel(over)
	s := fakeStage(t, &fakeRunner{}, nil)
	c := changeOf(mapFS(map[string]string{"a.py": program, "b.py": program, "c.md": "# c"}))
	out, err := s.Run(ctx, c, gate.NewFindings(c.Targets, nil))
	if !errors.Is(err, over) {
		t.Errorf("error %v", err)
	}
	var gaps []string
	for _, g := range out.Incomplete {
		gaps = append(gaps, g.Path+": "+g.Reason)
	}
	if want := []string{"a.py: it was not reached: " + over.Error(), "b.py: it was not reached: " + over.Error()}; !slices.Equal(gaps, want) {
		t.Errorf("gaps %q, want %q", gaps, want)
	}
}
