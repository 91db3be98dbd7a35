package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"

	"github.com/aigate/gate/sandbox/self"
	"github.com/aigate/gate/sandbox/tools"
)

// The supervisor comes in through a volume of the engine, one for each build of
// gate: named after its digest, filled once, mounted read-only ever after. A
// volume needs no path of the host, so the engine may be on another machine.

// installation is the supervisor in the engine.
type installation struct {
	path string
	arch string

	mu       sync.Mutex // also keeps the runs of one process from filling it twice
	digest   string
	binary   []byte
	verified bool
}

// volumePrefix starts the name of every such volume.
const volumePrefix = "gate-supervisor-"

// volume returns the name of the volume with the supervisor, which it makes and
// fills where that has not been done. image is any image of the engine: filling
// goes through a container that is never started.
func (in *installation) volume(ctx context.Context, e *engine, image string) (string, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.digest == "" {
		if err := in.load(); err != nil {
			return "", err
		}
	}
	name := in.name()
	if in.verified {
		return name, nil
	}
	if err := in.fill(ctx, e, image, name); err != nil {
		return "", fmt.Errorf("bring the supervisor into the engine: %w", err)
	}
	in.verified = true
	return name, nil
}

// name is that of the volume; load must have been called.
func (in *installation) name() string { return volumePrefix + in.digest[:16] }

// forget makes the next run look again: a user removed the volume.
func (in *installation) forget() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.verified = false
}

// load reads the program and makes sure that it can be the first process of any
// image.
func (in *installation) load() error {
	binary, err := self.Read(in.path, in.arch)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(binary)
	in.binary, in.digest = binary, hex.EncodeToString(sum[:])
	return nil
}

// SupervisorError says why a program can't be the first process of containers.
type SupervisorError = self.UnfitError

// fill makes the volume and puts the supervisor into it unless it is there. Two
// gates of one user do this one after the other; two users' gates may both do
// it, with the same content, and a container that starts right then is refused
// by the engine and tried again.
func (in *installation) fill(ctx context.Context, e *engine, image, name string) (err error) {
	unlock, err := e.run.exclusive(ctx, "supervisor")
	if err != nil {
		return err
	}
	defer unlock()

	labels := e.labels(roleSupervisor)
	if e.facts.podman { // which forgets the labels of a volume that a container brings
		if err := e.labelledVolume(ctx, name, labels); err != nil {
			return err
		}
	}
	id, err := e.create(ctx,
		&container.Config{Image: image, Entrypoint: []string{"/never-started"}, Cmd: []string{}, NetworkDisabled: true, Labels: labels},
		&container.HostConfig{
			NetworkMode: "none", LogConfig: container.LogConfig{Type: "none"},
			Mounts: []mount.Mount{{Type: mount.TypeVolume, Source: name, Target: defaultEntry,
				VolumeOptions: &mount.VolumeOptions{NoCopy: true, Labels: labels}}},
		})
	if err != nil {
		return fmt.Errorf("fill volume %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, e.remove(ctx, id)) }()

	target := defaultEntry + "/gate"
	stat, err := e.api.ContainerStatPath(ctx, id, target)
	if err == nil && stat.Size == int64(len(in.binary)) && stat.Mode.IsRegular() {
		return nil
	}
	if err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("look into volume %s: %w", name, err)
	}
	archive, err := supervisorTar(in.binary)
	if err != nil {
		return err
	}
	if err := e.api.CopyToContainer(ctx, id, defaultEntry, archive, container.CopyToContainerOptions{}); err != nil {
		return fmt.Errorf("copy into volume %s: %w", name, err)
	}
	return nil
}

func supervisorTar(binary []byte) (*bytes.Buffer, error) {
	var buf bytes.Buffer
	t := tar.NewWriter(&buf)
	h := &tar.Header{Name: "gate", Typeflag: tar.TypeReg, Mode: 0o555, Size: int64(len(binary)), ModTime: time.Unix(0, 0)}
	if err := t.WriteHeader(h); err != nil {
		return nil, fmt.Errorf("pack the supervisor: %w", err)
	}
	if _, err := t.Write(binary); err != nil {
		return nil, fmt.Errorf("pack the supervisor: %w", err)
	}
	for _, name := range tools.Names() {
		text := tools.Script(Gate)
		h := &tar.Header{Name: tools.Folder + "/" + name, Typeflag: tar.TypeReg, Mode: 0o555, Size: int64(len(text)), ModTime: time.Unix(0, 0)}
		if err := t.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("pack the commands: %w", err)
		}
		if _, err := t.Write([]byte(text)); err != nil {
			return nil, fmt.Errorf("pack the commands: %w", err)
		}
	}
	return &buf, t.Close()
}
