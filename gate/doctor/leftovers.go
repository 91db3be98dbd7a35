package doctor

import (
	"context"
	"fmt"

	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/sandbox"
)

// leftovers is the part of an engine that knows what dead runs have left.
type leftovers interface {
	Leftovers(ctx context.Context) (sandbox.Swept, error)
}

var _ leftovers = (*sandbox.Docker)(nil)

// checkLeftovers counts what killed runs have left in the engine.
func checkLeftovers(ctx context.Context, from leftovers) Diagnosis {
	d := Diagnosis{What: "leftovers", State: OK, Detail: "no container or volume of a run that has ended"}
	left, err := from.Leftovers(ctx)
	switch {
	case err != nil:
		d.State, d.Detail = Note, "not known: "+err.Error()
		d.Fix = "docker ps --all --filter label=aigate.run"
	case len(left.Containers)+len(left.Volumes) > 0:
		d.State = Note
		d.Detail = fmt.Sprintf("%s of runs that have ended; the next run with a sandbox removes them", counted(left))
		d.Fix = "gate doctor --sweep"
	}
	return d
}

// sweep removes what dead runs have left, and tells the user what it was.
func sweep(ctx context.Context, e *engine.Engine) error {
	docker, err := sandbox.Open(ctx, sandbox.Options{})
	if err != nil {
		return exit.Failed(fmt.Errorf("--sweep: %w (%s)", err, engine.EngineHint))
	}
	defer docker.Close()
	swept, err := docker.Sweep(ctx)
	e.Noticef("removed %s of runs that have ended", counted(swept))
	if err != nil {
		return exit.Failed(fmt.Errorf("--sweep: %w", err))
	}
	return nil
}

func counted(s sandbox.Swept) string {
	return fmt.Sprintf("%d container(s) and %d volume(s)", len(s.Containers), len(s.Volumes))
}
