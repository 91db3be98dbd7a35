package images

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// fakeEngine builds nothing and remembers what it was asked.
type fakeEngine struct {
	Engine   // what is not overridden must not be called
	arch     string
	labels   map[string]string // of the image that is there; nil is no image
	messages string            // of a build

	built     build.ImageBuildOptions
	context   []string
	committed container.CommitOptions
	removed   []string
}

func (f *fakeEngine) Info(context.Context) (system.Info, error) {
	return system.Info{Architecture: f.arch}, nil
}

func (f *fakeEngine) ImageInspect(_ context.Context, ref string, _ ...client.ImageInspectOption) (image.InspectResponse, error) {
	if f.labels == nil {
		return image.InspectResponse{}, errors.New("no such image")
	}
	got := image.InspectResponse{ID: "sha256:there"}
	got.Config = &dockerspec.DockerOCIImageConfig{}
	got.Config.Labels = f.labels
	return got, nil
}

func (f *fakeEngine) ImageBuild(_ context.Context, in io.Reader, o build.ImageBuildOptions) (build.ImageBuildResponse, error) {
	f.built = o
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return build.ImageBuildResponse{}, err
		}
		f.context = append(f.context, h.Name)
	}
	return build.ImageBuildResponse{Body: io.NopCloser(strings.NewReader(f.messages))}, nil
}

func (f *fakeEngine) ContainerCreate(_ context.Context, c *container.Config, _ *container.HostConfig, _ *network.NetworkingConfig, _ *ocispec.Platform, _ string) (container.CreateResponse, error) {
	return container.CreateResponse{ID: "from " + c.Image}, nil
}

func (f *fakeEngine) CopyFromContainer(context.Context, string, string) (io.ReadCloser, container.PathStat, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	text := "python 3.11.2\nnumpy \"1\" $x\n"
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: "versions", Size: int64(len(text)), Typeflag: tar.TypeReg}), writeString(w, text), w.Close()); err != nil {
		return nil, container.PathStat{}, err
	}
	return io.NopCloser(&b), container.PathStat{}, nil
}

func writeString(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return err
}

func (f *fakeEngine) ContainerCommit(_ context.Context, _ string, o container.CommitOptions) (container.CommitResponse, error) {
	f.committed = o
	f.labels = map[string]string{LabelVersions: "committed"}
	return container.CommitResponse{}, nil
}

func (f *fakeEngine) ContainerRemove(_ context.Context, id string, _ container.RemoveOptions) error {
	f.removed = append(f.removed, id)
	return nil
}

func (f *fakeEngine) ImageList(_ context.Context, o image.ListOptions) ([]image.Summary, error) {
	if !o.All || len(o.Filters.Get("label")) != 1 {
		return nil, fmt.Errorf("list of all images was asked for: %+v", o)
	}
	return []image.Summary{{ID: "lower", Created: 1}, {ID: "upper", Created: 2}}, nil
}

func (f *fakeEngine) ImageRemove(_ context.Context, id string, _ image.RemoveOptions) ([]image.DeleteResponse, error) {
	f.removed = append(f.removed, id)
	return nil, nil
}

const goodBuild = `{"stream":"Step 1/2"}
{"stream":"\n"}
{"aux":{"ID":"sha256:new"}}
`

// current returns the labels of an image for Python that is up to date.
func current(t *testing.T, age time.Duration) map[string]string {
	t.Helper()
	_, digest, err := inputs("python", DefaultBase, "amd64")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{LabelInputs: digest, LabelCreated: time.Now().Add(-age).Format(time.RFC3339)}
}

func TestAnImageIsBuiltOnlyWhereItHasToBe(t *testing.T) {
	changed := current(t, time.Hour)
	changed[LabelInputs] = "of another Dockerfile"
	undated := current(t, time.Hour)
	delete(undated, LabelCreated)
	for _, tt := range []struct {
		name   string
		labels map[string]string
		o      Options
		want   bool
	}{
		{"there is none", nil, Options{}, true},
		{"it is current", current(t, time.Hour), Options{}, false},
		{"it is current and the user insists", current(t, time.Hour), Options{Force: true}, true},
		{"it is older than a month", current(t, 31*24*time.Hour), Options{}, true},
		{"nobody knows its age", undated, Options{}, true},
		{"it was built from something else", changed, Options{}, true},
		{"it was built on another base", current(t, time.Hour), Options{Base: "debian:13"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &fakeEngine{arch: "x86_64", labels: tt.labels, messages: goodBuild}
			_, built, err := Build(t.Context(), e, "python", tt.o)
			if err != nil || built != tt.want {
				t.Errorf("built %v, %v", built, err)
			}
			if asked := e.built.Dockerfile != ""; asked != tt.want {
				t.Errorf("the engine was asked to build: %v", asked)
			}
		})
	}
}

func TestWhatABuildAsksFor(t *testing.T) {
	e := &fakeEngine{arch: "aarch64", messages: goodBuild}
	var log strings.Builder
	if _, _, err := Build(t.Context(), e, "node", Options{Base: "my/debian:1", Network: "host", Log: &log}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.context, " "); got != "finish.sh install.sh node/Dockerfile node/SHA512SUMS" {
		t.Errorf("context %q", got)
	}
	if !e.built.NoCache || e.built.NetworkMode != "host" || *e.built.BuildArgs["BASE"] != "my/debian:1" ||
		*e.built.BuildArgs["TARGETARCH"] != "arm64" || *e.built.BuildArgs["NODE_ARCH"] != "arm64" {
		t.Errorf("%+v", e.built)
	}
	changes := strings.Join(e.committed.Changes, "\n")
	if e.committed.Reference != "gate-sandbox-node:dev" || !strings.Contains(changes, `aigate.versions="python 3.11.2 numpy 1 x"`) {
		t.Errorf("%s: %s", e.committed.Reference, changes)
	}
	if got := strings.Join(e.removed, " "); got != "from sha256:new upper lower" {
		t.Errorf("removed %q", got)
	}
	if log.String() != "Step 1/2\n" {
		t.Errorf("log %q", log.String())
	}
}

func TestABuildThatFails(t *testing.T) {
	for name, tt := range map[string]struct{ messages, want string }{
		"says why":             {`{"stream":"apt-get\n"}` + "\n" + `{"error":"exit code 100"}`, "exit code 100\napt-get"},
		"ends too early":       {`{"stream":"apt-get\n"}`, "without a result\napt-get"},
		"says what is no JSON": {`<html>`, "read the engine's answer"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &fakeEngine{arch: "x86_64", messages: tt.messages}
			_, _, err := Build(t.Context(), e, "go", Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || e.committed.Reference != "" {
				t.Errorf("error %v, tagged %q", err, e.committed.Reference)
			}
		})
	}
	if _, _, err := Build(t.Context(), &fakeEngine{arch: "s390x"}, "go", Options{}); err == nil || !strings.Contains(err.Error(), "s390x") {
		t.Errorf("an architecture without images: %v", err)
	}
	if _, _, err := Build(t.Context(), &fakeEngine{}, "cobol", Options{}); err == nil || !strings.Contains(err.Error(), "python, node, go, shell") {
		t.Errorf("a language without an image: %v", err)
	}
}
