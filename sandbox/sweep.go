package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/volume"
)

// abandonedAfter is when a container of an owner that cannot be asked, and that
// is not running, counts as left behind. A living run's containers wait in that
// state for seconds at most.
const abandonedAfter = 24 * time.Hour

// supervisorKept is for how long the supervisor of another build of gate is kept
// for its next use. Bringing it in again takes a fraction of a second, and on a
// machine that builds gate often many would gather.
const supervisorKept = time.Hour

// Swept is what a sweep removed, or would remove.
type Swept struct {
	Containers []string // ids
	Volumes    []string // names
}

// Sweep removes what dead runs of gate left in the engine: containers whose
// run's lock nobody holds, and supervisors of other builds of gate that are not
// in use. It touches nothing that lacks gate's labels and nothing of a run that
// lives. What it cannot remove is in the error; the rest is done.
func (d *Docker) Sweep(ctx context.Context) (Swept, error) {
	var swept Swept
	list, err := d.api.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", labelRun))})
	if err != nil {
		return swept, fmt.Errorf("list the containers of earlier runs: %w", err)
	}
	var errs []error
	now := time.Now()
	for _, c := range list {
		if !d.leftover(c.Labels, c.State, now, d.run.dead) {
			continue
		}
		if err := d.remove(ctx, c.ID); err != nil {
			errs = append(errs, err)
			continue
		}
		swept.Containers = append(swept.Containers, c.ID)
	}
	volumes, err := d.api.VolumeList(ctx, volume.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelRole+"="+roleSupervisor))})
	if err != nil {
		return swept, errors.Join(append(errs, fmt.Errorf("list the supervisors of earlier runs: %w", err))...)
	}
	for _, v := range volumes.Volumes {
		if !d.stale(v.Labels, now) {
			continue
		}
		// Without force: the engine refuses while any container refers to it.
		err := d.api.VolumeRemove(ctx, v.Name, false)
		switch {
		case err == nil:
			swept.Volumes = append(swept.Volumes, v.Name)
		case errdefs.IsConflict(err) || errdefs.IsNotFound(err):
		default:
			errs = append(errs, fmt.Errorf("remove volume %s: %w", v.Name, err))
		}
	}
	return swept, errors.Join(append(errs, d.run.forgetDead())...)
}

// leftover reports whether a container belongs to a run that is dead; dead is how
// a run of this owner is asked.
func (d *Docker) leftover(labels map[string]string, state container.ContainerState, now time.Time, dead func(id string) bool) bool {
	if labels[labelOwner] == d.run.owner {
		return dead(labels[labelRun])
	}
	return state != container.StateRunning && olderThan(labels, abandonedAfter, now)
}

// stale reports whether a volume holds the supervisor of another build and is
// old enough that nobody is about to use it.
func (d *Docker) stale(labels map[string]string, now time.Time) bool {
	in := d.supervisor
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.digest == "" && in.load() != nil {
		return false // not knowing ours, any may be
	}
	return labels[labelDigest] != in.digest && olderThan(labels, supervisorKept, now)
}

// olderThan is false where the label does not say.
func olderThan(labels map[string]string, age time.Duration, now time.Time) bool {
	created, err := time.Parse(time.RFC3339, labels[labelCreated])
	return err == nil && now.Sub(created) > age
}
