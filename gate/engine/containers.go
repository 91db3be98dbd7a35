package engine

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/egress"
	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/sandbox/supervisor/probe"
)

// What the sandbox says of programs and containers, under names that callers can use
// without importing it.
type (
	// Audit is what the container engine says of a container while it is there.
	Audit = sandbox.Audit
	// Leftover is something of a container that is there after its end.
	Leftover = sandbox.Leftover
	// Probe is the outcome of one try to get out of a container.
	Probe = probe.Outcome
	// Export is about programs that are run for the files that they write.
	Export = execute.Exchange
	// File is a file that a program wrote, Refusal one that was not brought back.
	File    = sandbox.File
	Refusal = sandbox.Refusal
)

// Container is one container of a run, seen from outside when its program has ended.
type Container struct {
	Audit   // zero where the engine said nothing
	Runtime string
	// Known says that the engine described the container.
	Known bool
	// Watched says that its supervisor recorded what ran.
	Watched bool
	// Broke says that the program ran and that the report about it broke, which ended
	// the run.
	Broke bool
	// Program is how long the program ran; Around is what starting, watching and
	// removing the container took beside that.
	Program, Around time.Duration
}

// containerOf describes the container of a run that took so long from the request for a
// container to its end.
func containerOf(res sandbox.Result, took time.Duration) Container {
	ended := res.Status == sandbox.OOM || res.Status == sandbox.Failed
	c := Container{Runtime: res.Runtime, Program: res.Duration, Around: max(took-res.Duration, 0)}
	// A container that ran out of memory as a whole took its supervisor with it,
	// which the engine confirms; a report that breaks ends the run.
	c.Broke = res.Status == sandbox.Failed && res.Started
	c.Watched = res.Behaviour.Recorder != "" || res.Status == sandbox.OOM || c.Broke
	if res.Audit != nil {
		c.Audit = *res.Audit
		c.Known = c.Complete || ended
	}
	return c
}

// audited has the engine describe every container, and tells the job that it belongs to.
type audited struct{ *sandbox.Docker }

// auditKey finds the job's function in the context of a run. A stage serves many jobs
// at a time, so what belongs to one of them travels with its context, as traces of
// net/http do.
type auditKey struct{}

func withAudit(ctx context.Context, tell func(Container)) context.Context {
	return context.WithValue(ctx, auditKey{}, tell)
}

// Run implements [execute.Runner].
func (a audited) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	spec.Audit = true
	begin := time.Now()
	res, err := a.Docker.Run(ctx, spec)
	if tell, ok := ctx.Value(auditKey{}).(func(Container)); ok && err == nil {
		tell(containerOf(res, time.Since(begin)))
	}
	return res, err
}

// Containers is the container engine of this machine, for those who look at it from
// outside of a run.
type Containers struct{ docker *sandbox.Docker }

// Containers connects to the container engine. The caller closes it.
func (e *Engine) Containers(ctx context.Context) (*Containers, error) {
	docker, err := sandbox.Open(ctx, sandbox.Options{Supervisor: e.Supervisor()})
	if err != nil {
		return nil, err
	}
	return &Containers{docker}, nil
}

// Close ends the connection, and removes what it has started.
func (c *Containers) Close() error { return c.docker.Close() }

// Host describes what containers run on: the engine with its version, the kernel, and
// the number of cores.
func (c *Containers) Host(ctx context.Context) (engine, kernel string, cores int, err error) {
	i, err := c.docker.Info(ctx)
	return i.Engine, i.Kernel, i.Cores, err
}

// Leftovers looks for what is left of audited containers: in the engine, and where the
// engine runs on this machine among its processes, mounts and files.
func (c *Containers) Leftovers(ctx context.Context, audits []*Audit) ([]Leftover, error) {
	return c.docker.Remains(ctx, audits)
}

// Probe tries, in a container of an image like any other, what checkers of container
// escapes look for. reach are addresses that it tries to reach besides, as pairs of
// network and address.
func (c *Containers) Probe(ctx context.Context, image, runtime string, reach []string) ([]Probe, error) {
	return c.docker.Probe(ctx, image, runtime, reach)
}

// SandboxImages returns the images that a policy runs code in, each once.
func SandboxImages(p gate.SandboxPolicy) []string {
	var refs []string
	for name, languages := range policy.ImageNames() {
		ref := images.Ref(name)
		for _, l := range languages {
			ref = cmp.Or(p.Images[l], ref)
		}
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	return slices.Compact(refs)
}

// PublicAddress reports whether an address is one that any host on the internet may have,
// which is what programs with a way out may reach.
func PublicAddress(a netip.Addr) bool { return egress.Public(a) }
