package doctor

import (
	"context"
	"fmt"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/printable"
)

// pull lets a server fetch the model that the policy, or a flag, names.
func pull(ctx context.Context, e *engine.Engine, p gate.Policy, progress gate.Handler) error {
	j, err := engine.NewJudge(judge.Options{Policy: p.Judge})
	if err != nil {
		return err
	}
	model := p.Judge.Model
	e.Noticef("pulling %s (Ctrl-C stops it; the server goes on from there next time)", printable.ASCII(model))
	if progress == nil {
		progress = gate.Discard{}
	}
	show := func(ev gate.Event) { _ = progress.Handle(ev) } // a model that cannot be watched comes all the same
	show(gate.Started{})
	host, err := j.Pull(ctx, func(p judge.Pulling) {
		const mib = 1 << 20
		show(gate.Progress{Layer: "pull", Done: int(p.Done / mib), Total: int(p.Total / mib), Detail: "MiB, " + p.Status})
	})
	show(gate.Finished{})
	if err != nil {
		return exit.Failed(fmt.Errorf("--pull: %w", err))
	}
	e.Noticef("%s has %s", printable.ASCII(host), printable.ASCII(model))
	return nil
}
