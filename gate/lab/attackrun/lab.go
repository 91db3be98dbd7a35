package attackrun

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/gate/lab/hostwatch"
	"github.com/aigate/gate/gate/lab/progress"
)

// lab is the layers that are attacked, each by itself.
type lab struct {
	engine   *engine.Engine
	settings engine.Settings
	layers   map[layerKey]*engine.Layers

	mu     sync.Mutex
	audits []*engine.Audit // of all containers
}

// layerKey is one layer, on one runtime where it runs something.
type layerKey struct {
	layer   gate.Layer
	runtime string
}

// attackWith runs the suite against the layers of this machine.
func attackWith(ctx context.Context, p Process, o *Options, suite attack.Suite, set engine.Settings) (attack.Result, error) {
	l := &lab{engine: p.Engine, settings: set, layers: map[layerKey]*engine.Layers{}}
	if err := l.open(ctx, o); err != nil {
		return attack.Result{}, errors.Join(err, l.close())
	}
	run := attack.Options{
		Tool: p.Engine.Tool(), Layers: o.Engine.Selected(), Runtimes: o.Runtimes, Parallel: o.Parallel,
		Pipeline: l.try,
		Finish: func() ([]engine.Leftover, error) {
			err := l.close()
			left, lerr := l.leftovers(context.WithoutCancel(ctx))
			return left, errors.Join(err, lerr)
		},
	}
	if o.asks(gate.LayerSandbox) {
		run.Environment = environment(ctx, p.Engine)
		host, err := hostwatch.Start(ctx, p.Engine.StateDir("decoy"), p.Engine.Getenv("HOME"))
		if err != nil {
			return attack.Result{}, exit.Failed(errors.Join(fmt.Errorf("look at this machine from outside of the containers: %w", err), l.close()))
		}
		defer host.Close()
		run.Host = host
		if o.Probes || o.Filter.All() {
			run.Probes = func(ctx context.Context) ([]attack.Probed, error) {
				return probe(ctx, p.Engine, set.Policy.Sandbox, o.Runtimes, host.Addresses())
			}
		}
	}
	meter := progress.Start(p.Progress)
	defer meter.Stop()
	run.Progress = func(done, total int, last attack.Trial) {
		meter.Show(last.Layer, done, total, last.Attack.ID+" "+last.Runtime)
	}
	return attack.Run(ctx, suite, run), nil
}

// open builds the layers, the sandbox once for each runtime.
func (l *lab) open(ctx context.Context, o *Options) error {
	for _, layer := range o.Engine.Selected() {
		runtimes := []string{""}
		if layer == gate.LayerSandbox {
			runtimes = o.Runtimes
		}
		for _, runtime := range runtimes {
			set := l.settings
			set.Policy.Require = []gate.Layer{layer}
			set.Policy.Sandbox.RunDangerous = true
			if runtime != "" {
				set.Policy.Sandbox.Runtime = runtime
			}
			layers, err := l.engine.Open(ctx, engine.Setup{Settings: set, Selected: []gate.Layer{layer}, Audit: true})
			if err != nil {
				return err
			}
			l.layers[layerKey{layer, runtime}] = layers
		}
	}
	return nil
}

// try implements [attack.Pipeline]: a change that adds the files of the trial goes
// through one layer.
func (l *lab) try(ctx context.Context, t attack.Trial) attack.Observation {
	c, err := change.Added(ctx, t.Attack.Tree(t.Twin))
	if err != nil {
		return attack.Observation{Err: err}
	}
	p := l.settings.Policy
	p.Require = []gate.Layer{t.Layer}
	p.Rules.Usage = nil // it is about the code of this folder
	var mu sync.Mutex
	var o attack.Observation
	o.Result, o.Err = l.layers[layerKey{t.Layer, t.Runtime}].Run(ctx, engine.Job{
		Change: c, Policy: p, Suppress: engine.Suppressions{On: true, AgainstBase: true, NoBaseline: true},
		Container: func(c engine.Container) {
			mu.Lock()
			defer mu.Unlock()
			o.Containers = append(o.Containers, c)
		},
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range o.Containers {
		if c.Container != "" {
			l.audits = append(l.audits, &c.Audit)
		}
	}
	return o
}

func (l *lab) close() error {
	var errs []error
	for _, layers := range l.layers {
		errs = append(errs, layers.Close())
	}
	return errors.Join(errs...)
}

// leftovers looks for what is left of the containers when all are closed.
func (l *lab) leftovers(ctx context.Context) ([]engine.Leftover, error) {
	if len(l.audits) == 0 {
		return nil, nil
	}
	containers, err := l.engine.Containers(ctx)
	if err != nil {
		return nil, err
	}
	left, err := containers.Leftovers(ctx, l.audits)
	return left, errors.Join(err, containers.Close())
}
