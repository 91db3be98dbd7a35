package images

import (
	"context"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
)

// labelInstalls marks containers that install.
const labelInstalls = "aigate.installs"

// unfinishedAfter is the age of intermediate containers and images that no running
// installation can own: a container that has not been started and an image without a
// name are there for seconds.
const unfinishedAfter = 10 * time.Minute

// containerStore is the part of an engine that lists and removes containers.
type containerStore interface {
	ContainerList(ctx context.Context, o container.ListOptions) ([]container.Summary, error)
	ContainerRemove(ctx context.Context, id string, o container.RemoveOptions) error
}

// sweepInstallations removes what a gate that was killed could not: a container that was
// made and not started, and an image that was built and not named. A container that runs
// ends with its gate. What cannot be removed now is no reason not to install.
func sweepInstallations(ctx context.Context, e interface {
	containerStore
	imageStore
}, now time.Time) {
	old := func(seconds int64) bool { return now.Sub(time.Unix(seconds, 0)) > unfinishedAfter }
	ours := filters.NewArgs(filters.Arg("label", labelInstalls), filters.Arg("status", container.StateCreated))
	made, err := e.ContainerList(ctx, container.ListOptions{All: true, Filters: ours})
	for _, c := range made {
		if err == nil && c.State == container.StateCreated && old(c.Created) {
			_ = e.ContainerRemove(ctx, c.ID, container.RemoveOptions{Force: true, RemoveVolumes: true})
		}
	}
	unnamed := filters.NewArgs(filters.Arg("label", labelDependencies), filters.Arg("dangling", "true"))
	built, err := e.ImageList(ctx, image.ListOptions{Filters: unnamed})
	for _, i := range built {
		if err == nil && len(i.RepoTags) == 0 && old(i.Created) {
			_ = removeImage(ctx, e, i.ID)
		}
	}
}
