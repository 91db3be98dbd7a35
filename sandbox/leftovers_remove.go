package sandbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/containerd/errdefs"
)

// Swept is what a sweep removed, or would remove.
type Swept struct {
	Containers []string // ids
	Volumes    []string // names
}

// sweep is [Docker.Sweep].
func (l *leftovers) sweep(ctx context.Context) (Swept, error) {
	var swept Swept
	ids, err := l.containers(ctx, l.engine.run.dead)
	if err != nil {
		return swept, err
	}
	var errs []error
	for _, id := range ids {
		if err := l.engine.remove(ctx, id); err != nil {
			errs = append(errs, err)
			continue
		}
		swept.Containers = append(swept.Containers, id)
	}
	volumes, err := l.supervisors(ctx)
	if err != nil {
		return swept, errors.Join(append(errs, err)...)
	}
	for _, name := range volumes {
		// Without force: the engine refuses while any container refers to it.
		err := l.engine.api.VolumeRemove(ctx, name, false)
		switch {
		case err == nil:
			swept.Volumes = append(swept.Volumes, name)
		case errdefs.IsConflict(err) || errdefs.IsNotFound(err):
		default:
			errs = append(errs, fmt.Errorf("remove volume %s: %w", name, err))
		}
	}
	return swept, errors.Join(append(errs, l.engine.run.forgetDead())...)
}
