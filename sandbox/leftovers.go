package sandbox

import (
	"context"
	"fmt"
	"slices"
	"time"

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

// leftovers is what is there in an engine after the end of runs.
type leftovers struct{ engine *engine }

// list is [Docker.Leftovers].
func (l *leftovers) list(ctx context.Context) (Swept, error) {
	var left Swept
	var err error
	if left.Containers, err = l.containers(ctx, l.engine.run.ended); err != nil {
		return left, err
	}
	volumes, err := l.supervisors(ctx)
	if err != nil {
		return left, err
	}
	for _, name := range volumes {
		used, err := l.usedBeside(ctx, name, left.Containers)
		if err != nil {
			return left, err
		}
		if !used {
			left.Volumes = append(left.Volumes, name)
		}
	}
	return left, nil
}

// containers lists those of dead runs; dead is how a run of this owner is asked.
func (l *leftovers) containers(ctx context.Context, dead func(id string) bool) ([]string, error) {
	list, err := l.engine.api.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", labelRun))})
	if err != nil {
		return nil, fmt.Errorf("list the containers of earlier runs: %w", err)
	}
	var ids []string
	now := time.Now()
	for _, c := range list {
		if l.abandoned(c.Labels, c.State, now, dead) {
			ids = append(ids, c.ID)
		}
	}
	return ids, nil
}

// abandoned reports whether a container belongs to a dead run.
func (l *leftovers) abandoned(labels map[string]string, state container.ContainerState, now time.Time, dead func(id string) bool) bool {
	if labels[labelOwner] == l.engine.run.owner {
		return dead(labels[labelRun])
	}
	return state != container.StateRunning && olderThan(labels, abandonedAfter, now)
}

// supervisors lists the volumes with the supervisors of other builds of gate that
// are old enough that no run is about to use them.
func (l *leftovers) supervisors(ctx context.Context) ([]string, error) {
	volumes, err := l.engine.api.VolumeList(ctx, volume.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelRole+"="+roleSupervisor))})
	if err != nil {
		return nil, fmt.Errorf("list the supervisors of earlier runs: %w", err)
	}
	ours, err := l.engine.supervisor.sum()
	if err != nil {
		return nil, nil //nolint:nilerr // not knowing ours, any may be
	}
	var names []string
	now := time.Now()
	for _, v := range volumes.Volumes {
		if v.Labels[labelDigest] != ours && olderThan(v.Labels, supervisorKept, now) {
			names = append(names, v.Name)
		}
	}
	return names, nil
}

// olderThan is false where the label does not say.
func olderThan(labels map[string]string, age time.Duration, now time.Time) bool {
	created, err := time.Parse(time.RFC3339, labels[labelCreated])
	return err == nil && now.Sub(created) > age
}

// usedBeside reports whether a container other than these refers to a volume. A
// sweep leaves such a volume alone, because the engine refuses to remove it.
func (l *leftovers) usedBeside(ctx context.Context, volume string, gone []string) (bool, error) {
	list, err := l.engine.api.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("volume", volume))})
	if err != nil {
		return false, fmt.Errorf("ask who uses volume %s: %w", volume, err)
	}
	return slices.ContainsFunc(list, func(c container.Summary) bool { return !slices.Contains(gone, c.ID) }), nil
}
