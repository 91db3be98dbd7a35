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

// Leftovers returns what a sweep would remove now. It removes nothing, not even
// the lock file of a run that has ended.
func (d *Docker) Leftovers(ctx context.Context) (Swept, error) {
	var left Swept
	list, err := d.api.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", labelRun))})
	if err != nil {
		return left, fmt.Errorf("list the containers of earlier runs: %w", err)
	}
	now := time.Now()
	for _, c := range list {
		if d.leftover(c.Labels, c.State, now, d.run.ended) {
			left.Containers = append(left.Containers, c.ID)
		}
	}
	volumes, err := d.api.VolumeList(ctx, volume.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelRole+"="+roleSupervisor))})
	if err != nil {
		return left, fmt.Errorf("list the supervisors of earlier runs: %w", err)
	}
	for _, v := range volumes.Volumes {
		if !d.stale(v.Labels, now) {
			continue
		}
		used, err := d.usedBeside(ctx, v.Name, left.Containers)
		if err != nil {
			return left, err
		}
		if !used {
			left.Volumes = append(left.Volumes, v.Name)
		}
	}
	return left, nil
}

// usedBeside reports whether a container other than these refers to a volume. A
// sweep leaves such a volume alone, because the engine refuses to remove it.
func (d *Docker) usedBeside(ctx context.Context, volume string, gone []string) (bool, error) {
	list, err := d.api.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("volume", volume))})
	if err != nil {
		return false, fmt.Errorf("ask who uses volume %s: %w", volume, err)
	}
	return slices.ContainsFunc(list, func(c container.Summary) bool { return !slices.Contains(gone, c.ID) }), nil
}
