package execute

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/gate/hosts"
	"github.com/aigate/gate/sandbox"
)

// Stage is the sandbox layer.
type Stage struct {
	o      Options
	mu     sync.Mutex
	runner Runner
	// baselines are those of all changes, because they are of images.
	baselines baselines
	// provided is what the last change had for dependencies.
	provided *provided
}

var _ gate.Stage = (*Stage)(nil)

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
		withheld = dangerous(slices.Concat(c.Targets, c.OtherShards), found)
	}
	tree := workspace.Load(c, withheld, s.limits())
	p := plan.Make(tree, c.Targets, s.o.Policy.Run, c.Base)
	riskiestFirst(p.Units, found)
	unknown := added(c, found)
	results := make([]result, len(p.Units))
	if len(p.Units) == 0 {
		out, _ := outcome(tree, c.Targets, p, results, nil, s.strictness())
		return withGaps(out, unknown), nil
	}
	runner, err := s.open(ctx)
	if err != nil && ctx.Err() != nil { // nothing was reached, and all of it is listed
		for i := range results {
			results[i].lost = "it was not reached: " + err.Error()
		}
		out, _ := outcome(tree, c.Targets, p, results, nil, s.strictness())
		return withGaps(out, unknown), err
	}
	if err != nil {
		return gate.Outcome{}, err
	}
	r, provided := s.rounds(ctx, c, runner, tree, p.Units, found)
	defer r.life.engine.reuse.tell()
	compare := comparison{prepare: r.life.prepare, engine: r.baseEngine, limits: s.limits(), parallel: s.o.Parallel, on: s.o.On, found: found, progress: r.progress}
	able, err := compare.beside(ctx, c, len(p.Units), func() error { return r.run(ctx) })
	if err == nil {
		if missing := r.unavailable(); missing != nil {
			return gate.Outcome{}, missing
		}
	}
	unknown = append(unknown, compare.capabilities(c, able)...)
	for i, u := range r.units {
		conclude(found, tree, u, r.results[i])
		addTo(found, u, r.results[i].before.demote(alerts(u, r.results[i], s.o.Policy))...)
		addTo(found, u, unkeptOf(tree, u, r.results[i], s.o.Policy).findings()...)
		if f, ok := provided.uninstalled(u, r.results[i], s.o); ok {
			addTo(found, u, f)
		}
		if f, ok := provided.oldImage(u, r.results[i]); ok {
			addTo(found, u, f)
		}
		if f, ok := provided.otherInterpreter(u, r.results[i]); ok {
			addTo(found, u, f)
		}
		if f, ok := provided.otherVersions(u, r.results[i]); ok {
			addTo(found, u, f)
		}
		if f, ok := provided.fromChange(u, r.results[i]); ok {
			addTo(found, u, f)
		}
	}
	p.Units = r.units
	out, stopped := outcome(tree, c.Targets, p, r.results, r.life.observe.sources, s.strictness())
	unknown = append(unknown, s.prevented(ctx, c, r.life, provided, stopped, found)...)
	children, gaps := unpacked(tree, c.Targets, r.units, r.results, s.o.Policy)
	out.Derived = append(children, handOut(s.o.Exchange, r.units, r.results)...)
	return withGaps(out, slices.Concat(gaps, unknown)), err
}

// rounds are the units of a plan with everything that running them takes.
func (s *Stage) rounds(ctx context.Context, c *gate.Change, runner Runner, tree *workspace.Tree, units []plan.Unit, found *gate.Findings) (*rounds, *provided) {
	provided := s.dependencies(c)
	images := s.provide(ctx, runner, provided, tree, units)
	if _, installed := provided.images[gate.LanguageGo]; installed && c.Base != nil && !provided.extended[gate.LanguageGo].there {
		provided.modules = pinModules(c.Base, tree, units)
	}
	changed := map[string]gate.LineSet{}
	newHost, namedHost := hosts.Compare(ctx, c.Base, c.Paths())
	for _, target := range c.Targets {
		changed[target.Path] = target.Lines
	}
	var base func() *workspace.Tree
	if c.Base != nil {
		base = sync.OnceValue(func() *workspace.Tree { return workspace.Base(c, s.limits()) })
	}
	nearest, others := apart(units)
	return &rounds{
		base: base, baseEngine: func(t *workspace.Tree) engine { return newBaseEngine(runner, s.o, t) },
		life: life{
			prepare:   preparer{policy: s.o.Policy, imports: s.o.Imports, images: images, tree: tree, exchange: s.o.Exchange, modules: provided.modules, compiled: provided.images[gate.LanguageGo].Compiled.Packages > 0, everything: s.o.On.MustRun(), suspicious: func(file string) bool { return found.Worst(file) >= gate.SeveritySuspicious }},
			engine:    newEngine(runner, s.o, tree),
			observe:   observer{tree: tree, sources: sources(tree, units), restricted: s.o.Policy.Python == restricted, newHost: newHost, namedHost: namedHost},
			baselines: &s.baselines, log: s.o.Log, hint: s.hint,
		},
		units: nearest, others: others, results: make([]result, len(nearest)),
		more: func(have []plan.Unit, missing map[string]gate.LineSet, most int) []plan.Unit {
			more := plan.Further(tree, c.Targets, s.o.Policy.Run, c.Base, have, missing, most)
			provided.into(more, tree)
			return more
		},
		parallel: s.o.Parallel, conditions: s.o.Policy.Conditions,
		found: found, changed: changed, data: dataOf(c.Targets), progress: &progress{found: found, total: len(nearest)},
	}, provided
}

func (s *Stage) strictness() strictness {
	return strictness{On: s.o.On, required: s.o.Required, policy: s.o.Policy}
}

func (s *Stage) limits() workspace.Limits {
	return workspace.Limits{Bytes: s.o.MaxInput, Files: s.o.MaxFiles}
}

// withGaps adds gaps to those of an outcome.
func withGaps(out gate.Outcome, gaps []gate.Gap) gate.Outcome {
	out.Incomplete = append(out.Incomplete, gaps...)
	return out
}

func (s *Stage) hint(m *sandbox.MissingError) string {
	if m.What == "image" {
		if h := s.o.ImageHint(m.Name); h != "" {
			return h
		}
	}
	return m.Hint
}

// Together says which targets must be looked at by one process, because a unit runs
// them all and what it does is charged to all of them; see [plan.Together].
func (s *Stage) Together(c *gate.Change) map[string]string {
	run := slices.DeleteFunc(slices.Clone(c.Targets), func(t *gate.Target) bool { return t.StaticOnly })
	return plan.Together(workspace.Load(c, nil, s.limits()), run, s.o.Policy.Run, c.Base)
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
func riskiestFirst(units []plan.Unit, found *gate.Findings) {
	worst := map[string]gate.Severity{}
	for _, u := range units {
		for _, t := range u.Targets {
			if _, seen := worst[t]; !seen {
				worst[t] = found.Worst(t)
			}
		}
	}
	risk := func(u plan.Unit) gate.Severity {
		var most gate.Severity
		for _, t := range u.Targets {
			most = max(most, worst[t])
		}
		return most
	}
	order := []string{plan.Hook, plan.Script, plan.Policy, plan.Module, plan.Tests}
	slices.SortStableFunc(units, func(a, b plan.Unit) int {
		return cmp.Or(cmp.Compare(risk(b), risk(a)), cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)))
	})
}

// dangerous returns the targets that the other layers call dangerous.
func dangerous(targets []*gate.Target, found *gate.Findings) map[string]bool {
	out := map[string]bool{}
	for _, t := range targets {
		f := gate.Policy{}.DecideFile(gate.FileResult{Path: t.Path, Findings: found.Of(t.Path)}, nil)
		if f.Verdict == gate.Dangerous {
			out[t.Path] = true
		}
	}
	return out
}
