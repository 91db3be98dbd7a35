package execute

import (
	"context"

	"github.com/aigate/gate/sandbox"
)

// An expecter is a Runner that can start containers before they are needed.
type expecter interface {
	Expect(spec sandbox.Spec, n int)
}

// announce tells the runner what is going to be run, so that a container waits
// when its time comes.
func (b *batch) announce(ctx context.Context) {
	e, ok := b.runner.(expecter)
	if !ok {
		return
	}
	for _, u := range b.units {
		if b.known(ctx, u) {
			continue
		}
		spec, _ := b.spec(u, u.argv)
		e.Expect(spec, 1)
	}
}
