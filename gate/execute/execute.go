package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// Runner runs one program in one fresh container; [*sandbox.Docker] does.
type Runner interface {
	Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error)
}

// Options are everything that the layer depends on.
type Options struct {
	// Open connects to the container engine. It is called at the first unit, so
	// that a change in which nothing can be run needs no engine. Its error makes the
	// layer unavailable. A Runner that is an io.Closer is closed by [Stage.Close].
	Open func(ctx context.Context) (Runner, error)
	// Hint is the command that mends an engine that Open could not reach, or "".
	Hint string

	Policy gate.SandboxPolicy
	// Imports is the allow-list of the restricted mode of Python.
	Imports gate.Imports
	On      gate.On

	// Images are the references of the images by the language that they run:
	// python, javascript, go and shell. Those of the policy come before them.
	Images map[gate.Language]string
	// ImageHint returns the command that builds or renews an image, or "".
	ImageHint func(ref string) string

	// DependencyCommand is what builds the images with the dependencies of the base.
	DependencyCommand string

	// Parallel is how many containers run at a time; 0 follows from the cores of
	// this machine and of a container.
	Parallel int
	// MaxInput and MaxFiles bound what enters a container; 0 is
	// [workspace.DefaultMaxInput] and [workspace.DefaultMaxFiles].
	MaxInput int64
	MaxFiles int
	// Exchange is about programs that are run for the files that they write; nil for
	// all others.
	Exchange *Exchange
	// Log keeps a record of every run; nil keeps none.
	Log *Log
	// Cache keeps what runs did, so that the same run need not be repeated; nil
	// repeats all.
	Cache Cache
}

// Stage is the sandbox layer.
type Stage struct {
	o      Options
	mu     sync.Mutex
	runner Runner
	// baselines are what interpreters do by themselves, by image.
	baselines map[string]behaviour.Baseline
	// provided is what the last change had for dependencies.
	provided *provided
}

var _ gate.Stage = (*Stage)(nil)

// New checks the options.
func New(o Options) (*Stage, error) {
	if o.Open == nil {
		return nil, errors.New("execute: no way to open a container engine")
	}
	images := maps.Clone(o.Images)
	if images == nil {
		images = map[gate.Language]string{}
	}
	maps.Copy(images, o.Policy.Images)
	for _, l := range []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageGo, gate.LanguageShell} {
		if images[l] == "" {
			return nil, fmt.Errorf("execute: no image for %s", l)
		}
	}
	o.Images = images
	if o.ImageHint == nil {
		o.ImageHint = func(string) string { return "" }
	}
	o.DependencyCommand = cmp.Or(o.DependencyCommand, "gate deps build")
	o.MaxInput = cmp.Or(o.MaxInput, workspace.DefaultMaxInput)
	o.MaxFiles = cmp.Or(o.MaxFiles, workspace.DefaultMaxFiles)
	if o.Parallel == 0 {
		o.Parallel = max(1, int(float64(runtime.NumCPU())/max(o.Policy.CPUs, 0.5)))
	}
	return &Stage{o: o, baselines: map[string]behaviour.Baseline{}}, nil
}

// Name implements [gate.Stage].
func (s *Stage) Name() gate.Layer { return gate.LayerSandbox }

// Close closes the engine, where one was opened.
func (s *Stage) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.runner.(io.Closer); ok {
		s.runner = nil
		return c.Close()
	}
	return nil
}

// Run implements [gate.Stage].
func (s *Stage) Run(ctx context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	withheld := map[string]bool{}
	if !s.o.Policy.RunDangerous {
		withheld = dangerous(slices.Concat(c.Targets, c.Elsewhere), found)
	}
	t := workspace.Load(c, withheld, workspace.Limits{Bytes: s.o.MaxInput, Files: s.o.MaxFiles})
	if x := s.o.Exchange; x != nil {
		t.FixBelow(x.Data)
	}
	p := makePlan(t, c.Targets, s.o.Policy.Run)
	riskiestFirst(p.units, found)
	unknown := added(c, found)
	if len(p.units) == 0 {
		out := s.outcome(c.Targets, p, nil, nil)
		out.Incomplete = append(out.Incomplete, unknown...)
		return out, nil
	}
	runner, err := s.open(ctx)
	if err != nil && ctx.Err() != nil { // nothing was reached, and all of it is listed
		results := make([]result, len(p.units))
		for i := range results {
			results[i].lost = "it was not reached: " + err.Error()
		}
		out := s.outcome(c.Targets, p, results, nil)
		out.Incomplete = append(out.Incomplete, unknown...)
		return out, err
	}
	if err != nil {
		return gate.Outcome{}, err
	}
	b := &batch{stage: s, runner: runner, tree: t, units: p.units, results: make([]result, len(p.units)), found: found, changed: map[string]gate.LineSet{}}
	for _, target := range c.Targets {
		b.changed[target.Path] = target.Lines
	}
	b.provide(ctx, s.dependencies(c))
	err = b.run(ctx)
	if err == nil {
		if missing := b.nothingThere(); missing != nil {
			return gate.Outcome{}, missing
		}
	}
	unknown = append(unknown, b.capabilities(ctx, c, err)...)
	for i, u := range p.units {
		for _, f := range slices.Concat(observations(u, b.results[i]), b.behaved(u, b.results[i])) {
			for _, path := range u.targets {
				found.Add(path, f)
			}
		}
		b.reportRefused(u, b.results[i])
		b.reportForeign(u, b.results[i])
		if f, ok := b.uninstalled(u, b.results[i]); ok {
			for _, path := range u.targets {
				found.Add(path, f)
			}
		}
	}
	out := s.outcome(c.Targets, p, b.results, b.source)
	children, gaps := b.unpacked(c.Targets)
	out.Children, out.Incomplete = append(children, b.handOut()...), slices.Concat(out.Incomplete, gaps, unknown)
	return out, err
}

func (s *Stage) open(ctx context.Context) (Runner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runner != nil {
		return s.runner, nil
	}
	r, err := s.o.Open(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, &gate.Unavailable{Reason: err.Error(), Hint: s.o.Hint}
	}
	s.runner = r
	return r, nil
}

// riskiestFirst brings the units forward whose targets have the worst findings, and
// of those that are alike what runs without being asked: time may not be enough for
// all.
func riskiestFirst(units []unit, found *gate.Findings) {
	worst := map[string]gate.Severity{}
	for _, u := range units {
		for _, t := range u.targets {
			if _, seen := worst[t]; !seen {
				worst[t] = found.Worst(t)
			}
		}
	}
	risk := func(u unit) gate.Severity {
		var most gate.Severity
		for _, t := range u.targets {
			most = max(most, worst[t])
		}
		return most
	}
	order := []string{kindHook, kindScript, kindPolicy, kindModule, kindTests}
	slices.SortStableFunc(units, func(a, b unit) int {
		return cmp.Or(cmp.Compare(risk(b), risk(a)), cmp.Compare(slices.Index(order, a.kind), slices.Index(order, b.kind)))
	})
}

// dangerous returns the targets that the other layers call dangerous.
func dangerous(targets []*gate.Target, found *gate.Findings) map[string]bool {
	out := map[string]bool{}
	for _, t := range targets {
		v := gate.Policy{}.Decide(gate.Corroborate(found.Of(t.Path)), nil)
		if v == gate.Dangerous {
			out[t.Path] = true
		}
	}
	return out
}

// outcome says of every target what became of it. results has one slot for each
// unit of the plan.
func (s *Stage) outcome(targets []*gate.Target, p plan, results []result, source coverage.Sources) gate.Outcome {
	all := covers(results)
	out := gate.Outcome{Executions: map[string]*gate.Execution{}}
	gap := func(path, reason string) {
		out.Incomplete = append(out.Incomplete, gate.Gap{Layer: gate.LayerSandbox, Path: path, Reason: reason})
	}
	for _, t := range targets {
		e := &gate.Execution{Status: gate.ExecutionNotRun, ExitCode: -1, Units: []gate.Unit{}, StandIns: []string{}, Behaviour: []gate.Behaviour{}, Coverage: map[string]int{}}
		out.Executions[t.Path] = e
		if n, ok := p.reason[t.Path]; ok {
			e.Reason = n.reason
			if n.lost || n.program && s.o.On.NotExecutable == gate.LeniencyIncomplete {
				gap(t.Path, "it was not run: "+n.reason)
			}
			continue
		}
		var ends []end
		var runs []run
		whole := true
		for i, u := range p.units {
			if !slices.Contains(u.targets, t.Path) {
				continue
			}
			r := results[i]
			ends = append(ends, r.into(e, u.kind))
			runs = append(runs, r.runs...)
			whole = whole && r.lost == "" && r.unseen == ""
			switch {
			case r.lost != "":
				gap(t.Path, r.lost)
			case r.unseen != "":
				gap(t.Path, r.unseen)
			case r.needs != "" && s.o.On.NotExecutable == gate.LeniencyIncomplete:
				gap(t.Path, r.needs)
			}
		}
		w := worst(ends)
		e.Status, e.Reason, e.ExitCode = w.status, w.reason, w.code
		e.Cached = whole && len(runs) > 0 && !slices.ContainsFunc(runs, func(r run) bool { return !r.cached })
		cover(e, t, source[t.Path], all, runs)
	}
	return out
}
