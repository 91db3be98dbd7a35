package main

import (
	"context"
	"fmt"

	"github.com/aigate/gate/sandbox"
)

// leftovers is the part of an engine that knows what dead runs have left.
type leftovers interface {
	Leftovers(ctx context.Context) (sandbox.Swept, error)
}

var _ leftovers = (*sandbox.Docker)(nil)

// checkLeftovers counts what runs that were killed have left in the engine.
func checkLeftovers(ctx context.Context, engine leftovers) diagnosis {
	d := diagnosis{what: "leftovers", state: stateOK, detail: "no container or volume of a run that has ended"}
	left, err := engine.Leftovers(ctx)
	switch {
	case err != nil:
		d.state, d.detail = stateNote, "not known: "+err.Error()
		d.mend = "docker ps --all --filter label=aigate.run"
	case len(left.Containers)+len(left.Volumes) > 0:
		d.state = stateNote
		d.detail = fmt.Sprintf("%s of runs that have ended; the next run with a sandbox removes them", counted(left))
		d.mend = "gate doctor --sweep"
	}
	return d
}

// sweep removes what dead runs have left, and says on standard error what it was.
func (a *app) sweep(ctx context.Context) error {
	docker, err := sandbox.Open(ctx, sandbox.Options{})
	if err != nil {
		return incomplete(fmt.Errorf("--sweep: %w (%s)", err, engineHint))
	}
	defer docker.Close()
	swept, err := docker.Sweep(ctx)
	fmt.Fprintf(a.stderr, "gate: removed %s of runs that have ended\n", counted(swept))
	if err != nil {
		return incomplete(fmt.Errorf("--sweep: %w", err))
	}
	return nil
}

func counted(s sandbox.Swept) string {
	return fmt.Sprintf("%d container(s) and %d volume(s)", len(s.Containers), len(s.Volumes))
}
