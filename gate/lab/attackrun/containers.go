package attackrun

import (
	"context"
	"errors"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/lab/attack"
)

// environment describes what containers run on, nil where no engine answers: the
// layer itself will say that.
func environment(ctx context.Context, e *engine.Engine) *attack.Environment {
	c, err := e.Containers(ctx)
	if err != nil {
		return nil
	}
	defer c.Close() // nothing was run
	name, kernel, cores, err := c.Host(ctx)
	if err != nil {
		return nil
	}
	return &attack.Environment{Engine: name, Kernel: kernel, Cores: cores}
}

// probe tries the containment in each image of the policy on each runtime. reach are
// addresses that nothing may reach.
func probe(ctx context.Context, e *engine.Engine, p gate.SandboxPolicy, runtimes, reach []string) (_ []attack.Probed, err error) {
	c, err := e.Containers(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	var out []attack.Probed
	var errs []error
	for _, runtime := range runtimes {
		for _, image := range engine.SandboxImages(p) {
			outcomes, err := c.Probe(ctx, image, runtime, reach)
			errs = append(errs, err)
			for _, o := range outcomes {
				out = append(out, probed(o, image, runtime))
			}
		}
	}
	return out, errors.Join(errs...)
}

func probed(o engine.Probe, image, runtime string) attack.Probed {
	held := o.Held(runtime == "runsc")
	p := attack.Probed{Name: o.Name, Category: string(o.Category), Image: image, Runtime: runtime, Held: held, Outcome: o.Told}
	if held && !o.Held(false) {
		p.Excuse = o.GVisor
	}
	return p
}
