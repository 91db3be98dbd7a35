package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeStage is a layer that does what the test says, and by default accounts for
// every target.
type fakeStage struct {
	name Layer
	run  func(ctx context.Context, c *Change, found *Findings) (Outcome, error)
}

func (s fakeStage) Name() Layer { return s.name }

func (s fakeStage) Run(ctx context.Context, c *Change, found *Findings) (Outcome, error) {
	if s.run == nil {
		return seen(c), nil
	}
	return s.run(ctx, c, found)
}

// seen is the outcome of a stage that looked at everything.
func seen(c *Change) Outcome {
	out := Outcome{Digests: map[string]string{}}
	for _, t := range c.Targets {
		out.Digests[t.Path] = strings.Repeat("0", 64)
	}
	return out
}

// reporting returns a stage that has one finding about a path.
func reporting(l Layer, path string, f Finding) fakeStage {
	return fakeStage{l, func(_ context.Context, c *Change, found *Findings) (Outcome, error) {
		if slices.ContainsFunc(c.Targets, func(t *Target) bool { return t.Path == path }) {
			f.Layer = l
			found.Add(path, f)
		}
		return seen(c), nil
	}}
}

// broken returns a stage that fails.
func broken(l Layer, out Outcome, err error) fakeStage {
	return fakeStage{l, func(context.Context, *Change, *Findings) (Outcome, error) { return out, err }}
}

type recorder struct{ events []Event }

func (r *recorder) Handle(e Event) error { r.events = append(r.events, e); return nil }

// request is a run over a.py and b.py.
func request(stages ...Stage) Request {
	tree := fstest.MapFS{"a.py": {Data: []byte("a")}, "b.py": {Data: []byte("b")}}
	return Request{
		Change:  &Change{Head: tree, Targets: []*Target{{Path: "a.py", Kind: ChangeModified}, {Path: "b.py", Kind: ChangeAdded}}},
		Policy:  DefaultPolicy(),
		Stages:  stages,
		Handler: Discard{},
	}
}

func mustRun(t *testing.T, req Request) Result {
	t.Helper()
	res, err := Run(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func layerOf(r Result, l Layer) LayerResult {
	for _, lr := range r.Layers {
		if lr.Name == l {
			return lr
		}
	}
	return LayerResult{}
}

func verdicts(r Result) (out []Verdict) {
	for _, f := range r.Files {
		out = append(out, f.Verdict)
	}
	return out
}

func TestRunOfLayersThatFindNothingPasses(t *testing.T) {
	res := mustRun(t, request(fakeStage{name: LayerStatic}, fakeStage{name: LayerJudge}, fakeStage{name: LayerSandbox}))
	if res.Verdict != Safe || res.Decision != DecisionPass || len(res.Incomplete) != 0 {
		t.Errorf("%+v", res)
	}
	for _, l := range res.Layers {
		want := LayerResult{Name: l.Name, Status: LayerRan, DurationMS: l.DurationMS}
		if l.Name == LayerSandbox { // its executions are empty
			want.Status, want.Reason = LayerIdle, "the change has nothing to execute"
		}
		if l != want {
			t.Errorf("layer %+v, want %+v", l, want)
		}
	}
}

func TestAStageThatDoesNotCompleteMakesTheRunIncomplete(t *testing.T) {
	gap := []Gap{{Path: "a.py", Reason: "cannot be read"}}
	for _, c := range []struct {
		name  string
		stage Stage
		want  string
	}{
		{"an error", broken(LayerStatic, Outcome{}, errors.New("disk on fire")), "disk on fire"},
		{"an error after a gap that explains only one file", broken(LayerStatic, Outcome{Incomplete: gap}, errors.New("disk on fire")), "disk on fire"},
		{"a panic", fakeStage{LayerStatic, func(context.Context, *Change, *Findings) (Outcome, error) { panic("index out of range") }}, "panic: index out of range"},
		{"a gap", fakeStage{LayerStatic, func(_ context.Context, c *Change, _ *Findings) (Outcome, error) {
			out := seen(c)
			out.Incomplete = gap
			return out, nil
		}}, "cannot be read"},
		{"silence", broken(LayerStatic, Outcome{}, nil), "the layer said nothing about this file"},
		{"not being there, where it is required", broken(LayerStatic, Outcome{}, &Unavailable{Reason: "no engine", Hint: "get one"}), "no engine (get one)"},
	} {
		res := mustRun(t, request(c.stage))
		if res.Verdict != Incomplete || res.Decision != DecisionIncomplete {
			t.Errorf("%s: %s, %s", c.name, res.Verdict, res.Decision)
		}
		if len(res.Incomplete) == 0 || res.Incomplete[0].Layer != LayerStatic || !strings.Contains(fmt.Sprint(res.Incomplete), c.want) {
			t.Errorf("%s: incomplete is %+v", c.name, res.Incomplete)
		}
		if c.name != "a gap" && slices.Contains(verdicts(res), Safe) {
			t.Errorf("%s: a file is %v", c.name, verdicts(res))
		}
	}
}

func TestALayerThatIsNotThereIsSkippedOnlyWhereNothingRequiresIt(t *testing.T) {
	missing := broken(LayerJudge, Outcome{}, fmt.Errorf("judge: %w", &Unavailable{Reason: "no server"}))
	res := mustRun(t, request(fakeStage{name: LayerStatic}, missing))
	if l := layerOf(res, LayerJudge); l.Status != LayerSkipped || l.Reason != "judge: no server" || res.Decision != DecisionPass {
		t.Errorf("not required: %+v, %s", l, res.Decision)
	}
	req := request(fakeStage{name: LayerStatic}, missing)
	req.Policy.Require = []Layer{LayerStatic, LayerJudge}
	res = mustRun(t, req)
	if l := layerOf(res, LayerJudge); l.Status != LayerFailed || res.Decision != DecisionIncomplete {
		t.Errorf("required: %+v, %s", l, res.Decision)
	}
	res = mustRun(t, request(fakeStage{name: LayerStatic}, broken(LayerJudge, Outcome{}, errors.New("the server went away"))))
	if l := layerOf(res, LayerJudge); l.Status != LayerFailed || res.Decision != DecisionIncomplete {
		t.Errorf("started and failed: %+v, %s", l, res.Decision)
	}
}

func TestALayerThatIsNotSelectedIsNamedAndMissedWhereRequired(t *testing.T) {
	res := mustRun(t, request(fakeStage{name: LayerStatic}))
	if l := layerOf(res, LayerSandbox); l.Status != LayerSkipped || l.Reason != "not selected" || res.Decision != DecisionPass {
		t.Errorf("%+v, %s", l, res.Decision)
	}
	req := request(fakeStage{name: LayerStatic})
	req.Policy.Require = Layers()
	if res := mustRun(t, req); res.Decision != DecisionIncomplete || len(res.Incomplete) != 2 {
		t.Errorf("%s with %+v", res.Decision, res.Incomplete)
	}
}

func TestARunInWhichNothingLookedIsNoPass(t *testing.T) {
	req := request()
	req.Policy.Require = nil
	if res := mustRun(t, req); res.Decision != DecisionIncomplete || slices.Contains(verdicts(res), Safe) {
		t.Errorf("no stages: %s, %v", res.Decision, verdicts(res))
	}
	req = request(broken(LayerJudge, Outcome{}, &Unavailable{Reason: "no server"}))
	req.Policy.Require = nil
	if res := mustRun(t, req); res.Decision != DecisionIncomplete {
		t.Errorf("only a layer that is not there: %s", res.Decision)
	}
	req = request(fakeStage{name: LayerStatic})
	req.Change.Targets = nil
	if res := mustRun(t, req); res.Decision != DecisionPass || res.Files == nil || res.Incomplete == nil || res.Skipped == nil {
		t.Errorf("nothing to look at: %+v", res)
	}
}

func TestUnlistedFilesMakeTheRunIncomplete(t *testing.T) {
	req := request(fakeStage{name: LayerStatic})
	req.Change.Incomplete = []Gap{{Layer: LayerStatic, Path: "secret", Reason: "permission denied"}}
	req.Change.Skipped = []Skip{{Path: "vendor", Reason: "excluded"}}
	res := mustRun(t, req)
	if res.Decision != DecisionIncomplete || len(res.Incomplete) != 1 || len(res.Skipped) != 1 {
		t.Errorf("%+v", res)
	}
	if got := verdicts(res); !slices.Equal(got, []Verdict{Safe, Safe}) {
		t.Errorf("the files that were looked at are %v", got)
	}
}

// A change that eats the time must not switch layers off: also what says that
// its server does not answer has not looked.
func TestABudgetThatIsUsedUpLeavesNothingSafe(t *testing.T) {
	slow := fakeStage{LayerStatic, func(ctx context.Context, c *Change, _ *Findings) (Outcome, error) {
		<-ctx.Done()
		out := seen(&Change{Targets: c.Targets[:1]})
		out.Incomplete = []Gap{{Path: "b.py", Reason: "not reached"}}
		return out, ctx.Err()
	}}
	forgetful := fakeStage{LayerStatic, func(ctx context.Context, c *Change, _ *Findings) (Outcome, error) {
		<-ctx.Done()
		return Outcome{Incomplete: []Gap{{Path: "a.py", Reason: "not reached"}}}, ctx.Err()
	}}
	blind := fakeStage{LayerStatic, func(ctx context.Context, c *Change, _ *Findings) (Outcome, error) {
		<-ctx.Done()
		return seen(c), nil
	}}
	missing := broken(LayerJudge, Outcome{}, &Unavailable{Reason: "no server answers"})
	for _, c := range []struct {
		name   string
		stages []Stage
		want   []Verdict
	}{
		{"the stage lists what it did not reach", []Stage{slow}, []Verdict{Safe, Incomplete}},
		{"the stage forgets a file", []Stage{forgetful}, []Verdict{Incomplete, Incomplete}},
		{"the stage does not notice", []Stage{blind}, []Verdict{Incomplete, Incomplete}},
		{"the next layer takes it for a missing server", []Stage{slow, missing}, []Verdict{Incomplete, Incomplete}},
	} {
		req := request(c.stages...)
		req.Policy.Limits.Budget = time.Millisecond
		res := mustRun(t, req)
		if got := verdicts(res); !slices.Equal(got, c.want) || res.Decision != DecisionIncomplete {
			t.Errorf("%s: %v, %s", c.name, got, res.Decision)
		}
		last := layerOf(res, c.stages[len(c.stages)-1].Name())
		if last.Status != LayerFailed || !strings.Contains(last.Reason, "the time budget of 1ms was used up") {
			t.Errorf("%s: %+v", c.name, last)
		}
	}
}

func TestAnEndedContextIsReturnedAndNeverAPass(t *testing.T) {
	stop := errors.New("interrupted by a signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	res, err := Run(ctx, request(
		fakeStage{LayerStatic, func(_ context.Context, c *Change, _ *Findings) (Outcome, error) { cancel(stop); return seen(c), nil }},
		fakeStage{name: LayerJudge},
	))
	if !errors.Is(err, stop) || res.Decision != DecisionIncomplete || len(res.Files) != 2 {
		t.Errorf("%s with %d files, error %v", res.Decision, len(res.Files), err)
	}
}

type handlerFunc func(Event) error

func (f handlerFunc) Handle(e Event) error { return f(e) }

func TestAHandlerThatFailsEndsTheRunWithItsError(t *testing.T) {
	full := errors.New("disk full")
	for name, h := range map[string]Handler{
		"an error":   handlerFunc(func(Event) error { return full }),
		"a panic":    handlerFunc(func(Event) error { panic(full) }),
		"no handler": nil,
	} {
		req := request(fakeStage{LayerStatic, func(ctx context.Context, c *Change, _ *Findings) (Outcome, error) {
			if ctx.Err() == nil {
				t.Errorf("%s: the stage runs although no one can report it", name)
			}
			return seen(c), nil
		}})
		req.Handler = h
		res, err := Run(t.Context(), req)
		if err == nil || !strings.HasPrefix(err.Error(), "write report: ") || res.Decision == DecisionPass {
			t.Errorf("%s: %s, error %v", name, res.Decision, err)
		}
		if name == "an error" && !errors.Is(err, full) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestAHandlerThatFailsAtTheEndIsAnErrorToo(t *testing.T) {
	req := request(fakeStage{name: LayerStatic})
	req.Handler = handlerFunc(func(e Event) error {
		if _, ok := e.(Finished); ok {
			panic("half a report")
		}
		return nil
	})
	var p *PanicError
	if _, err := Run(t.Context(), req); !errors.As(err, &p) {
		t.Errorf("error %v", err)
	}
}

func TestEventsComeInOrder(t *testing.T) {
	var r recorder
	req := request(
		reporting(LayerStatic, "b.py", finding("exec/eval", SeveritySuspicious, 1)),
		reporting(LayerJudge, "b.py", finding("judge/dangerous", SeverityDangerous, 1)),
	)
	req.Handler = &r
	res := mustRun(t, req)
	var got []string
	for _, e := range r.events {
		switch e := e.(type) {
		case Started:
			got = append(got, fmt.Sprintf("started %d %v", e.Targets, e.Layers))
		case Found:
			got = append(got, "found "+e.Finding.Rule)
		case FileDone:
			got = append(got, "file "+e.File.Path)
		case Finished:
			got = append(got, "finished "+e.Result.Decision.String())
		}
	}
	want := []string{"started 2 [static judge]", "found exec/eval", "found judge/dangerous", "file a.py", "file b.py", "finished block"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if by := res.Files[1].Findings[1].CorroboratedBy; by != "judge:judge/dangerous" {
		t.Errorf("corroborated by %q in %+v", by, res.Files[1].Findings)
	}

	var again recorder
	if err := Replay(res, &again); err != nil {
		t.Fatal(err)
	}
	if first, last := again.events[0], again.events[len(again.events)-1]; !cmp.Equal(last, Event(Finished{res})) || first.(Started).Targets != 2 {
		t.Errorf("replayed from %+v to %+v", first, last)
	}
	stop := errors.New("stop")
	for n := range again.events {
		left := n
		if err := Replay(res, handlerFunc(func(Event) error {
			if left--; left < 0 {
				return stop
			}
			return nil
		})); !errors.Is(err, stop) {
			t.Errorf("an error at event %d was lost: %v", n, err)
		}
	}
}

func TestStaticOnlyTargetsGetTheStaticLayerAndOnlyItsGaps(t *testing.T) {
	looked := map[Layer][]string{}
	spy := func(l Layer, err error) fakeStage {
		return fakeStage{l, func(_ context.Context, c *Change, _ *Findings) (Outcome, error) {
			for _, t := range c.Targets {
				looked[l] = append(looked[l], t.Path)
			}
			return seen(c), err
		}}
	}
	req := request(spy(LayerStatic, nil), spy(LayerJudge, errors.New("went away")))
	req.Change.Targets[0].StaticOnly = true
	res := mustRun(t, req)
	want := map[Layer][]string{LayerStatic: {"a.py", "b.py"}, LayerJudge: {"b.py"}}
	if diff := cmp.Diff(want, looked); diff != "" {
		t.Error(diff)
	}
	if got := verdicts(res); !slices.Equal(got, []Verdict{Safe, Incomplete}) {
		t.Errorf("verdicts %v", got)
	}
}

func TestAnOverrideLetsPassAndSaysWhatItWas(t *testing.T) {
	override := &Overridden{By: "octocat", Label: "gate:override"}
	req := request(reporting(LayerStatic, "a.py", finding("exec/eval", SeverityDangerous, 1)))
	req.Override = override
	res := mustRun(t, req)
	if res.Decision != DecisionPass || res.Verdict != Dangerous || res.Override == nil || res.Override.Decision != DecisionBlock || res.Override.By != "octocat" {
		t.Errorf("%s, %s, %+v", res.Decision, res.Verdict, res.Override)
	}
	req = request(fakeStage{name: LayerStatic})
	req.Override = override
	if res := mustRun(t, req); res.Override != nil {
		t.Errorf("a pass was overridden: %+v", res.Override)
	}
}

// decoding returns a static stage in which every target of the given depths
// leads to children.
func decoding(children func(*Target) []Derived) fakeStage {
	return fakeStage{LayerStatic, func(_ context.Context, c *Change, _ *Findings) (Outcome, error) {
		out := seen(c)
		for _, t := range c.Targets {
			out.Derived = append(out.Derived, children(t)...)
		}
		return out, nil
	}}
}

func child(parent *Target, path, content string) Derived {
	return Derived{Target: &Target{Path: path, Parent: parent.Path}, Content: []byte(content)}
}

func paths(r Result) (out []string) {
	for _, f := range r.Files {
		out = append(out, f.Path)
	}
	return out
}

// Stages that work on targets concurrently, in any order, give the same result.
func TestTheSameInputGivesTheSameResult(t *testing.T) {
	var want Result
	for round := range 20 {
		req := request(
			fakeStage{LayerStatic, func(ctx context.Context, c *Change, found *Findings) (Outcome, error) {
				err := ForEach(ctx, 8, len(c.Targets), func(_ context.Context, i int) error {
					for line := range 5 {
						found.Add(c.Targets[i].Path, finding("exec/eval", SeveritySuspicious, line), finding("net/post", SeverityNote, line))
					}
					return nil
				})
				out := seen(c)
				for i := range c.Targets {
					p := c.Targets[(i+round)%len(c.Targets)].Path
					out.Incomplete = append(out.Incomplete, Gap{Path: p, Reason: "r"}, Gap{Path: p, Reason: "q"}, Gap{Path: p, Reason: "r"})
					out.Skipped = append(out.Skipped, Skip{Path: p, Reason: "r"})
				}
				return out, err
			}},
			reporting(LayerJudge, "f07.py", finding("judge/dangerous", SeverityDangerous, 3)),
		)
		req.Change.Targets = nil
		for i := range 30 {
			req.Change.Targets = append(req.Change.Targets, &Target{Path: fmt.Sprintf("f%02d.py", (i*7)%30), Kind: ChangeAdded})
		}
		got := mustRun(t, req)
		for i := range got.Layers {
			got.Layers[i].DurationMS = 0
		}
		if round == 0 {
			want = got
			if len(got.Incomplete) != 2*len(got.Files) {
				t.Errorf("%d gaps for %d files with two each", len(got.Incomplete), len(got.Files))
			}
			for i, f := range got.Files {
				if f.Path != req.Change.Targets[i].Path {
					t.Fatalf("file %d is %s, not in the order of the input", i, f.Path)
				}
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("round %d:\n%s", round, diff)
		}
	}
}
