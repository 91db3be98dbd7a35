package engine

import (
	"context"
	"fmt"

	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/rate"
	"github.com/aigate/gate/sandbox"
)

// limited counts every run before it starts. A run that is refused did not come
// about, so what it was for is INCOMPLETE.
type limited struct {
	*sandbox.Docker
	limit rate.Limit
}

// Run implements [execute.Runner].
func (l limited) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	if err := l.limit.Take(); err != nil {
		err = fmt.Errorf("%w: %w", execute.ErrRefused, err)
		return sandbox.Result{Status: sandbox.Failed, ExitCode: -1, Reason: err.Error()}, err
	}
	return l.Docker.Run(ctx, spec)
}
