package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
)

// arena is the layers that are attacked, each by itself.
type arena struct {
	set    settings
	layers map[stand]layers
	mu     sync.Mutex
	audits []*sandbox.Audit // of all containers
}

// stand is one layer, on one runtime where it runs something.
type stand struct {
	layer   gate.Layer
	runtime string
}

// attackWith runs the suite against the layers of this machine.
func (a *app) attackWith(ctx context.Context, suite attack.Suite, f attackFlags, set settings) (attack.Result, error) {
	ar := &arena{set: set, layers: map[stand]layers{}}
	for _, layer := range f.selected() {
		runtimes := []string{""}
		if layer == gate.LayerSandbox {
			runtimes = f.runtimes
		}
		for _, runtime := range runtimes {
			if err := a.open(ctx, ar, layer, runtime); err != nil {
				return attack.Result{}, errors.Join(err, ar.shut())
			}
		}
	}
	o := attack.Options{
		Tool: tool(), Layers: f.selected(), Runtimes: f.runtimes, Parallel: f.parallel,
		Pipeline: ar.try,
		Finish: func() ([]attack.Remains, error) {
			err := ar.shut()
			left, rerr := ar.remains(context.WithoutCancel(ctx))
			return left, errors.Join(err, rerr)
		},
	}
	if slices.Contains(f.selected(), gate.LayerSandbox) {
		o.Environment = environment(ctx)
		w, err := newWitness(ctx, a.stateDir("decoy"), a.getenv("HOME"))
		if err != nil {
			return attack.Result{}, &exit.Error{Code: exitIncomplete, Err: errors.Join(fmt.Errorf("look at this machine from outside of the containers: %w", err), ar.shut())}
		}
		defer w.Close()
		o.Witness = w
		if f.probes || f.filter.All() {
			o.Probes = func(ctx context.Context) ([]attack.Probed, error) { return a.probe(ctx, set, f.runtimes, w.addresses) }
		}
	}
	if !f.quiet {
		p := newProgress(a.stderr)
		_ = p.Handle(gate.Started{})
		o.Progress = func(done, total int, last attack.Trial) {
			_ = p.Handle(gate.Progress{Layer: last.Layer, Done: done, Total: total, Detail: last.Attack.ID + " " + last.Runtime})
		}
		defer p.clear()
	}
	return attack.Run(ctx, suite, o), nil
}

// environment describes what containers run on, nil where no engine answers: the
// layer itself will say that.
func environment(ctx context.Context) *attack.Environment {
	d, err := sandbox.Open(ctx, sandbox.Options{})
	if err != nil {
		return nil
	}
	defer d.Close() // nothing was run
	i, err := d.Info(ctx)
	if err != nil {
		return nil
	}
	return &attack.Environment{Engine: i.Engine, Kernel: i.Kernel, Cores: i.Cores}
}

// open builds one layer.
func (a *app) open(ctx context.Context, ar *arena, layer gate.Layer, runtime string) error {
	set := ar.set
	set.policy.Require = []gate.Layer{layer}
	set.policy.Sandbox.RunDangerous = true
	if runtime != "" {
		set.policy.Sandbox.Runtime = runtime
	}
	w := a.wiring(set, []gate.Layer{layer})
	w.around = func(d *sandbox.Docker) execute.Runner { return audited{d} }
	l, err := a.stages(ctx, w)
	if err != nil {
		return err
	}
	ar.layers[stand{layer, runtime}] = l
	return nil
}

// try implements [attack.Pipeline] by the pipeline of a scan with one layer.
func (ar *arena) try(ctx context.Context, t attack.Trial) attack.Observation {
	c, err := change.Added(ctx, t.Attack.Tree(t.Twin))
	if err != nil {
		return attack.Observation{Err: err}
	}
	l := ar.layers[stand{t.Layer, t.Runtime}]
	l.stages = slices.Clone(l.stages) // the suppressions of each change are its own
	p := ar.set.policy
	p.Require = []gate.Layer{t.Layer}
	seen := &witnessed{}
	res, err := gate.Run(context.WithValue(ctx, witnessedKey{}, seen), gate.Request{
		Tool: tool(), Change: c, Policy: p, Handler: gate.Discard{},
		Suppress: l.suppressions(silencing{change: c, againstBase: true}),
		Stages:   l.stages,
	})
	o := attack.Observation{Result: res, Containers: seen.containers, Programs: seen.programs, Around: seen.around, Err: err}
	ar.mu.Lock()
	defer ar.mu.Unlock()
	ar.audits = append(ar.audits, seen.audits...)
	return o
}

func (ar *arena) shut() error {
	var errs []error
	for _, l := range ar.layers {
		errs = append(errs, l.shut())
	}
	return errors.Join(errs...)
}

// remains looks for what is left of the containers when all are closed.
func (ar *arena) remains(ctx context.Context) ([]attack.Remains, error) {
	if len(ar.audits) == 0 {
		return nil, nil
	}
	d, err := sandbox.Open(ctx, sandbox.Options{})
	if err != nil {
		return nil, err
	}
	left, err := d.Remains(ctx, ar.audits)
	var out []attack.Remains
	for _, r := range left {
		out = append(out, attack.Remains(r))
	}
	return out, errors.Join(err, d.Close())
}

// probe tries the containment in each image of the policy on each runtime.
func (a *app) probe(ctx context.Context, set settings, runtimes, reach []string) (_ []attack.Probed, err error) {
	d, err := sandbox.Open(ctx, sandbox.Options{Supervisor: a.getenv("GATE_SUPERVISOR")})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	var refs []string
	for name, languages := range policy.ImageNames() {
		ref := images.Ref(name)
		for _, l := range languages {
			ref = cmp.Or(set.policy.Sandbox.Images[l], ref)
		}
		if !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	slices.Sort(refs)
	var out []attack.Probed
	var errs []error
	for _, runtime := range runtimes {
		for _, ref := range refs {
			outcomes, err := d.Probe(ctx, ref, runtime, reach)
			errs = append(errs, err)
			for _, o := range outcomes {
				held := o.Held(runtime == "runsc")
				p := attack.Probed{Name: o.Name, Category: string(o.Category), Image: ref, Runtime: runtime, Held: held, Outcome: o.Told}
				if held && !o.Held(false) {
					p.Excuse = o.GVisor
				}
				out = append(out, p)
			}
		}
	}
	return out, errors.Join(errs...)
}

// audited asks the engine about every container and hands the answer to whoever
// waits for it in the context.
type audited struct{ *sandbox.Docker }

func (a audited) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	spec.Audit = true
	begin := time.Now()
	res, err := a.Docker.Run(ctx, spec)
	if w, ok := ctx.Value(witnessedKey{}).(*witnessed); ok && err == nil {
		w.add(res, time.Since(begin))
	}
	return res, err
}

// witnessed collects the containers of one trial.
type witnessed struct {
	mu         sync.Mutex
	containers []attack.Container
	audits     []*sandbox.Audit
	programs   time.Duration
	around     time.Duration
}

type witnessedKey struct{}

// add takes the result of a run that took so long from the request for a container
// to its end.
func (w *witnessed) add(res sandbox.Result, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.programs += res.Duration
	w.around += max(took-res.Duration, 0)
	// A container that ran out of memory as a whole took its supervisor with it,
	// which the engine confirms; a report that breaks ends the run.
	broke := res.Status == sandbox.Failed && res.Started
	c := attack.Container{Runtime: res.Runtime, Watched: res.Behaviour.Recorder != "" || res.Status == sandbox.OOM || broke, Broke: broke}
	if a := res.Audit; a != nil {
		w.audits = append(w.audits, a)
		c.Known, c.ID = a.Complete || res.Status == sandbox.OOM || res.Status == sandbox.Failed, a.Container
		c.Networks, c.Interfaces, c.Sent = a.Networks, a.Interfaces, a.Sent
		c.ReadOnlyRoot, c.Changed, c.HostPaths, c.Writable = a.ReadOnlyRoot, a.Changed, a.HostPaths, a.Writable
		c.Privileged, c.Capabilities, c.NoNewPrivileges, c.Seccomp = a.Privileged, a.Capabilities, a.NoNewPrivileges, a.Seccomp
		c.User, c.Shared, c.Devices = a.User, a.Shared, a.Devices
		c.Memory, c.Swap, c.Pids, c.CPUs = a.Memory, a.Swap, a.Pids, a.CPUs
	}
	w.containers = append(w.containers, c)
}
