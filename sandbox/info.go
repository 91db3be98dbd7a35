package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/system"
)

// labelImage is the label by which the sandbox images are found; its value is
// their language.
const labelImage = "aigate.image"

// Info is what an engine offers, for people to look at.
type Info struct {
	Engine        string // "docker 20.10.24"
	Host          string // its address
	Root          string // folder of its data, on its own machine
	Kernel        string
	Arch          string // as Go names it
	Cores         int
	Memory        int64 // bytes
	CgroupVersion string
	Rootless      bool
	AppArmor      bool
	Seccomp       bool     // the engine can apply the sandbox's system call profile
	Runtimes      []string // names, in order
	Warnings      []string // the engine's own: limits that it cannot hold
	Images        []Image  // those that carry the label aigate.image, in order of name
}

// Image is a sandbox image in the engine.
type Image struct {
	Refs    []string // repository:tag
	ID      string
	Created time.Time
	Size    int64 // bytes
	Labels  map[string]string
}

// Image returns an image of the engine. The error is a [*MissingError] when the
// engine has not got it.
func (d *Docker) Image(ctx context.Context, ref string) (Image, error) {
	got, err := d.engine.api.ImageInspect(ctx, ref)
	if errdefs.IsNotFound(err) {
		return Image{}, &MissingError{What: "image", Name: ref, Hint: "docker pull " + ref}
	}
	if err != nil {
		return Image{}, fmt.Errorf("inspect image %s: %w", ref, err)
	}
	i := Image{Refs: references(got.RepoTags), ID: got.ID, Size: got.Size}
	if created, err := time.Parse(time.RFC3339Nano, got.Created); err == nil {
		i.Created = created
	}
	if got.Config != nil {
		i.Labels = got.Config.Labels
	}
	return i, nil
}

// references are the names of an image, sorted. Old engines give one that has lost
// its name the name "<none>:<none>", which none of their commands takes.
func references(tags []string) []string {
	named := slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return strings.HasPrefix(tag, "<none>") })
	slices.Sort(named)
	return named
}

// Info asks the engine what it offers.
func (d *Docker) Info(ctx context.Context) (Info, error) {
	e, err := d.engine.api.Info(ctx)
	if err != nil {
		return Info{}, fmt.Errorf("ask the container engine at %s: %w", d.engine.api.DaemonHost(), err)
	}
	images, err := d.engine.api.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelImage))})
	if err != nil {
		return Info{}, fmt.Errorf("list the images of the container engine: %w", err)
	}
	options, err := system.DecodeSecurityOptions(e.SecurityOptions)
	if err != nil {
		return Info{}, fmt.Errorf("read the security options of the engine: %w", err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(options, func(o system.SecurityOpt) bool { return o.Name == name })
	}
	i := Info{
		Engine: d.engine.facts.name, Host: d.engine.api.DaemonHost(), Root: e.DockerRootDir, Kernel: e.KernelVersion, Arch: d.engine.facts.arch,
		Cores: e.NCPU, Memory: e.MemTotal, CgroupVersion: e.CgroupVersion,
		Rootless: has("rootless"), AppArmor: has("apparmor"), Seccomp: has("seccomp"),
		Runtimes: d.engine.facts.runtimes, Warnings: e.Warnings,
	}
	for _, img := range images {
		i.Images = append(i.Images, Image{
			Refs: references(img.RepoTags), ID: img.ID, Created: time.Unix(img.Created, 0).UTC(),
			Size: img.Size, Labels: img.Labels,
		})
	}
	slices.SortFunc(i.Images, func(a, b Image) int {
		return cmp.Or(slices.Compare(a.Refs, b.Refs), cmp.Compare(a.ID, b.ID))
	})
	return i, nil
}
