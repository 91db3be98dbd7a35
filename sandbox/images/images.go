package images

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// DefaultBase is the public name of the image that all others are built from.
// Debian's stable release of 2023: newer C libraries use system calls that the
// gVisor of the same age refuses.
const DefaultBase = "debian:bookworm-slim"

// MaxAge is how old an image may get. Debian fixes security problems in days; a
// month is what can be asked of a user who builds by hand.
const MaxAge = 30 * 24 * time.Hour

// The labels of an image.
const (
	LabelLanguage = "aigate.image"    // "python"
	LabelCreated  = "aigate.created"  // time of the build, RFC 3339
	LabelVersions = "aigate.versions" // "python 3.11.2 numpy 1.24.2"
	LabelInputs   = "aigate.inputs"   // digest of what it was built from
	labelBuild    = "aigate.build"    // of the build stages, which are removed after the build
)

//go:embed install.sh finish.sh python node go shell deps-python deps-node deps-go
var buildContext embed.FS

// Languages returns the names of the images.
func Languages() []string { return []string{"python", "node", "go", "shell"} }

// Ref returns the reference under which the image for a language is built.
func Ref(language string) string { return "gate-sandbox-" + language + ":dev" }

// Installers returns the names of the images that install dependencies. Code under
// test never runs in them.
func Installers() []string { return []string{"deps-python", "deps-node", "deps-go"} }

// Command is what a user types to build or renew the image for a language.
func Command(language string) string { return "gate doctor --build " + language }

// Engine is the part of a container engine that building needs; *client.Client
// has it.
type Engine interface {
	imageStore
	Info(ctx context.Context) (system.Info, error)
	ImageBuild(ctx context.Context, files io.Reader, o build.ImageBuildOptions) (build.ImageBuildResponse, error)
	ImageInspect(ctx context.Context, ref string, o ...client.ImageInspectOption) (image.InspectResponse, error)

	ContainerCreate(ctx context.Context, c *container.Config, h *container.HostConfig, n *network.NetworkingConfig, p *ocispec.Platform, name string) (container.CreateResponse, error)
	ContainerAttach(ctx context.Context, id string, o container.AttachOptions) (types.HijackedResponse, error)
	ContainerStart(ctx context.Context, id string, o container.StartOptions) error
	ContainerWait(ctx context.Context, id string, until container.WaitCondition) (<-chan container.WaitResponse, <-chan error)
	ContainerList(ctx context.Context, o container.ListOptions) ([]container.Summary, error)
	ContainerCommit(ctx context.Context, id string, o container.CommitOptions) (container.CommitResponse, error)
	ContainerRemove(ctx context.Context, id string, o container.RemoveOptions) error
	CopyToContainer(ctx context.Context, id, path string, content io.Reader, o container.CopyToContainerOptions) error
	CopyFromContainer(ctx context.Context, id, path string) (io.ReadCloser, container.PathStat, error)
}

var _ Engine = (*client.Client)(nil)

// Info is what the labels of an image say.
type Info struct {
	Ref      string
	ID       string
	Language string
	Versions string    // "python 3.11.2 numpy 1.24.2"; empty for an image that was built by hand
	Created  time.Time // zero when no one knows
	Inputs   string
}

// Old reports whether the image is due to be built again. An image of unknown
// age is.
func (i Info) Old(now time.Time) bool { return now.Sub(i.Created) > MaxAge }

// Inspect returns what is known about an image that the engine has. The error
// satisfies errdefs.IsNotFound when it has not got it.
func Inspect(ctx context.Context, e Engine, ref string) (Info, error) {
	got, err := e.ImageInspect(ctx, ref)
	if err != nil {
		return Info{}, fmt.Errorf("inspect image %s: %w", ref, err)
	}
	return infoOf(ref, got), nil
}

func infoOf(ref string, got image.InspectResponse) Info {
	info := Info{Ref: ref, ID: got.ID}
	var labels map[string]string
	if got.Config != nil {
		labels = got.Config.Labels
	}
	info.Language, info.Versions, info.Inputs = labels[LabelLanguage], labels[LabelVersions], labels[LabelInputs]
	// The label, not the engine's time: an image that was built from cached
	// layers is as old as those, and only Build vouches that it used none.
	if t, err := time.Parse(time.RFC3339, labels[LabelCreated]); err == nil {
		info.Created = t
	}
	return info
}

// inputs returns the files that an image is built from, by path, and a digest of
// them, the base and the architecture.
func inputs(language, base, arch string) (map[string][]byte, string, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(buildContext, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		dir, installer := path.Dir(p), strings.HasPrefix(language, "deps-")
		if dir != "." && dir != language && !(installer && dir == "deps") {
			return nil
		}
		files[p], err = buildContext.ReadFile(p)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("read the build context for %s: %w", language, err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", base, arch)
	for _, p := range sortedPaths(files) {
		fmt.Fprintf(h, "%s %d\n", p, len(files[p]))
		h.Write(files[p])
	}
	return files, hex.EncodeToString(h.Sum(nil)), nil
}

func sortedPaths(files map[string][]byte) []string {
	paths := make([]string, 0, len(files))
	for p := range files {
		paths = append(paths, p)
	}
	slices.SortFunc(paths, cmp.Compare)
	return paths
}

// lastLines returns the end of a log, as context for an error.
func lastLines(log []byte, n int) string {
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-n):], []byte("\n")))
}
