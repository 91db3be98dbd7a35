package images

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
)

// versionsFile is where the Dockerfiles write what they installed.
const versionsFile = "/usr/share/aigate/versions"

// maxVersions bounds what is read of versionsFile, in bytes.
const maxVersions = 4 << 10

// Options say how to build. The zero value is valid.
type Options struct {
	Base    string    // image to start from; "" is DefaultBase
	Network string    // network of the build containers; "" is the engine's default
	Force   bool      // build also when the image is current
	Log     io.Writer // gets the output of the build; nil is nowhere
}

// Build makes sure that the image for a language is there, is built from this
// package's Dockerfile and is younger than MaxAge. built says whether it had to
// be built for that, which takes minutes and needs a network.
func Build(ctx context.Context, e Engine, language string, o Options) (info Info, built bool, err error) {
	if slices.Contains(Installers(), language) {
		sandbox, _, err := Build(ctx, e, strings.TrimPrefix(language, "deps-"), Options{Base: o.Base, Network: o.Network, Log: o.Log})
		if err != nil {
			return Info{}, false, err
		}
		return buildImage(ctx, e, language, sandbox.ID, o)
	}
	if !slices.Contains(Languages(), language) {
		return Info{}, false, fmt.Errorf("there is no sandbox image for %q (there is: %s)", language, strings.Join(Languages(), ", "))
	}
	return buildImage(ctx, e, language, "", o)
}

// buildImage builds one of the images. sandbox is the image of the language, for those
// that install dependencies for it.
func buildImage(ctx context.Context, e Engine, language, sandbox string, o Options) (info Info, built bool, err error) {
	base, log := orDefault(o.Base), o.Log
	if log == nil {
		log = io.Discard
	}
	arch, err := engineArch(ctx, e)
	if err != nil {
		return Info{}, false, err
	}
	files, digest, err := inputs(language, base+sandbox, arch.docker)
	if err != nil {
		return Info{}, false, err
	}
	if have, err := Inspect(ctx, e, Ref(language)); err == nil && !o.Force && have.Inputs == digest && !have.Old(time.Now()) {
		return have, false, nil
	}
	run := rand.Text()
	defer sweep(ctx, e, run)
	args := map[string]*string{"BASE": &base, "RUN_ID": &run, "TARGETARCH": &arch.docker, "NODE_ARCH": &arch.node}
	if sandbox != "" {
		args["SANDBOX"] = &sandbox
	}
	id, err := sendBuild(ctx, e, log, files, build.ImageBuildOptions{
		Dockerfile:  language + "/Dockerfile",
		NetworkMode: o.Network,
		BuildArgs:   args,
		// A layer from a cache would make an image that is called new and has
		// last year's packages.
		NoCache: true,
		Remove:  true, ForceRemove: true,
		Version: build.BuilderV1,
	})
	if err != nil {
		return Info{}, false, fmt.Errorf("build the sandbox image for %s: %w", language, err)
	}
	if err := label(ctx, e, id, language, digest); err != nil {
		return Info{}, false, fmt.Errorf("label the sandbox image for %s: %w", language, err)
	}
	info, err = Inspect(ctx, e, Ref(language))
	return info, true, err
}

func orDefault(base string) string { return cmp.Or(base, DefaultBase) }

func engineArch(ctx context.Context, e Engine) (arch, error) {
	engine, err := e.Info(ctx)
	if err != nil {
		return arch{}, fmt.Errorf("ask the container engine for its architecture: %w", err)
	}
	return archOf(engine.Architecture)
}

// arch is one processor architecture, as those who name it do.
type arch struct{ docker, node string }

func archOf(engine string) (arch, error) {
	switch engine {
	case "x86_64", "amd64":
		return arch{"amd64", "x64"}, nil
	case "aarch64", "arm64":
		return arch{"arm64", "arm64"}, nil
	}
	return arch{}, fmt.Errorf("there are no sandbox images for the engine's architecture %s (only amd64 and arm64)", engine)
}

// sendBuild sends the context to the engine and returns the ID of the image.
func sendBuild(ctx context.Context, e Engine, log io.Writer, files map[string][]byte, o build.ImageBuildOptions) (string, error) {
	var tarball bytes.Buffer
	w := tar.NewWriter(&tarball)
	for _, p := range sortedPaths(files) {
		h := &tar.Header{Name: p, Mode: 0o644, Size: int64(len(files[p])), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(h); err != nil {
			return "", err
		}
		if _, err := w.Write(files[p]); err != nil {
			return "", err
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	res, err := e.ImageBuild(ctx, &tarball, o)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	return follow(res.Body, log)
}

// follow reads the messages of a build until its end and returns the ID of the
// image. The last of its output is part of an error.
func follow(messages io.Reader, log io.Writer) (id string, err error) {
	var output []byte
	for d := json.NewDecoder(messages); ; {
		var m struct {
			Stream string
			Error  string
			Aux    struct{ ID string }
		}
		err := d.Decode(&m)
		switch {
		case errors.Is(err, io.EOF) && id == "":
			return "", fmt.Errorf("the engine ended the build without a result\n%s", lastLines(output, 20))
		case errors.Is(err, io.EOF):
			return id, nil
		case err != nil:
			return "", fmt.Errorf("read the engine's answer: %w", err)
		case m.Error != "":
			return "", fmt.Errorf("%s\n%s", strings.TrimSpace(m.Error), lastLines(output, 20))
		}
		id = cmp.Or(m.Aux.ID, id)
		output = append(output, m.Stream...)
		if _, err := io.WriteString(log, m.Stream); err != nil {
			return "", fmt.Errorf("write the output of the build: %w", err)
		}
	}
}

// label gives an image its reference and the labels that its Dockerfile cannot
// know. Nothing of the image is run for that.
func label(ctx context.Context, e Engine, id, language, digest string) (err error) {
	made, err := e.ContainerCreate(ctx, &container.Config{Image: id}, &container.HostConfig{NetworkMode: "none"}, nil, nil, "")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, e.ContainerRemove(context.WithoutCancel(ctx), made.ID, container.RemoveOptions{Force: true}))
	}()
	versions, err := readVersions(ctx, e, made.ID)
	if err != nil {
		return err
	}
	_, err = e.ContainerCommit(ctx, made.ID, container.CommitOptions{
		Reference: Ref(language),
		Changes: []string{
			"LABEL " + LabelVersions + `="` + versions + `"`,
			"LABEL " + LabelCreated + "=" + time.Now().UTC().Format(time.RFC3339),
			"LABEL " + LabelInputs + "=" + digest,
		},
	})
	return err
}

func readVersions(ctx context.Context, e Engine, containerID string) (string, error) {
	files, _, err := e.CopyFromContainer(ctx, containerID, versionsFile)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", versionsFile, err)
	}
	defer files.Close()
	t := tar.NewReader(files)
	if _, err := t.Next(); err != nil {
		return "", fmt.Errorf("read %s: %w", versionsFile, err)
	}
	text, err := io.ReadAll(io.LimitReader(t, maxVersions))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", versionsFile, err)
	}
	return plain(string(text)), nil
}

// plain leaves only what versions are written with: the value goes through the
// engine's parser of LABEL lines, where quotes, $ and backslashes have a meaning.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune(" .+:~_-", r):
			return r
		case r == '\n', r == '\t':
			return ' '
		}
		return -1
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// sweep removes the build stages of one build, which are several times as large
// as its result. What cannot be removed now is an unused image and no error.
func sweep(ctx context.Context, e Engine, run string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	of := filters.NewArgs(filters.Arg("label", labelBuild+"="+run))
	stages, err := e.ImageList(ctx, image.ListOptions{All: true, Filters: of})
	if err != nil {
		return
	}
	// The newest layer first: a layer cannot go before what is built on it.
	slices.SortStableFunc(stages, func(a, b image.Summary) int { return cmp.Compare(b.Created, a.Created) })
	for _, s := range stages {
		_, _ = e.ImageRemove(ctx, s.ID, image.RemoveOptions{PruneChildren: true})
	}
}
