package main

import (
	"context"
	"fmt"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/printable"
)

// pull lets a server fetch the model that the policy, or a flag, names.
func (a *app) pull(ctx context.Context, f layerFlags) error {
	repo, err := change.Open(ctx, nil)
	if err != nil {
		return usage("%w", err)
	}
	defer repo.Close()
	set, err := a.policyOf(ctx, repo, "", "", &f)
	if err != nil {
		return err
	}
	j, err := judge.New(judge.Options{Policy: set.policy.Judge, Comments: comments})
	if err != nil {
		return usage("%w", err)
	}
	model := set.policy.Judge.Model
	fmt.Fprintf(a.stderr, "gate: pulling %s (Ctrl-C stops it; the server goes on from there next time)\n", printable.ASCII(model))
	bar := newProgress(a.stderr)
	show := func(e gate.Event) { _ = bar.Handle(e) } // it never fails
	show(gate.Started{})
	host, err := j.Pull(ctx, func(p judge.Pulling) {
		const mib = 1 << 20
		show(gate.Progress{Layer: "pull", Done: int(p.Done / mib), Total: int(p.Total / mib), Detail: "MiB, " + p.Status})
	})
	show(gate.Finished{})
	if err != nil {
		return incomplete(fmt.Errorf("--pull: %w", err))
	}
	fmt.Fprintf(a.stderr, "gate: %s has %s\n", printable.ASCII(host), printable.ASCII(model))
	return nil
}
