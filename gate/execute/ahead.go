package execute

import (
	"context"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/canary"
	"github.com/aigate/gate/sandbox"
)

// An expecter is a Runner that can start containers before they are needed.
type expecter interface {
	Expect(spec sandbox.Spec, n int)
}

// announce tells the runner what is going to be run, so that a container waits
// when its time comes.
func (b *batch) announce(ctx context.Context, images []gate.Language) {
	for _, image := range images {
		spec, planted := b.emptyRun(image)
		b.expectRun(ctx, spec, planted, noInput)
	}
	for _, u := range b.units {
		b.expect(ctx, u, u.argv)
	}
}

// expect announces one run of a unit. A run that follows from another one is
// announced as well, and at once takes a container that waits for somebody else: the
// next one starts while it runs.
func (b *batch) expect(ctx context.Context, u unit, argv []string) {
	spec, planted, _ := b.prepared(u, argv)
	b.expectRun(ctx, spec, planted, b.reuse.input(u))
}

// expectRun announces a run unless its result is known already.
func (b *batch) expectRun(ctx context.Context, spec sandbox.Spec, planted *canary.Set, input string) {
	if e, ok := b.runner.(expecter); ok && !b.known(ctx, spec, planted, input) {
		e.Expect(spec, 1)
	}
}
