package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/aigate/gate/gate"
)

// preparer is a layer with something that takes long to get ready, as a judge
// whose model has to be loaded. That it failed shows when the layer runs.
type preparer interface {
	Prepare(ctx context.Context, c *gate.Change)
}

// early is a stage beside which another one gets ready.
type early struct {
	gate.Stage
	other preparer

	started sync.Once
	cancel  context.CancelFunc
	working sync.WaitGroup
}

// Run lets the other layer get ready, if any of the change is for it, and runs
// the stage. The context is that of the whole run, so what is begun here ends
// with the run at the latest.
func (e *early) Run(ctx context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	if slices.ContainsFunc(c.Targets, func(t *gate.Target) bool { return !t.StaticOnly && t.Exists() }) {
		e.started.Do(func() {
			ready, cancel := context.WithCancel(ctx)
			e.cancel = cancel
			e.working.Go(func() {
				// Its failure, a panic too, is for the layer itself to report.
				_ = gate.Catch(func() error { e.other.Prepare(ready, c); return nil })
			})
		})
	}
	return e.Stage.Run(ctx, c, found)
}

// Close ends the preparation if no one has waited for it.
func (e *early) Close() error {
	if e.cancel != nil {
		e.cancel()
	}
	e.working.Wait()
	return nil
}

// prewarm lets the model load while the static layer runs, where both do.
func (l *Layers) prewarm() {
	i := slices.IndexFunc(l.stages, func(s gate.Stage) bool { return s.Name() == gate.LayerStatic })
	j := slices.IndexFunc(l.stages, func(s gate.Stage) bool { return s.Name() == gate.LayerJudge })
	if i < 0 || j < i {
		return
	}
	if other, ok := l.stages[j].(preparer); ok {
		e := &early{Stage: l.stages[i], other: other}
		l.stages[i] = e
		l.close = append(l.close, e.Close)
	}
}
