package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/volume"
)

// Podman speaks Docker's interface with differences that matter here; what is
// known of them is in this file, and docs/sandbox.md has the list. The tests run
// against 4.3, which Debian 12 has.

// isPodman reports whether Docker's interface is played by Podman.
func isPodman(v types.Version) bool {
	return slices.ContainsFunc(v.Components, func(c types.ComponentVersion) bool { return c.Name == "Podman Engine" })
}

// runtimeOf is the runtime that a run really gets when it asks for one. Podman takes
// the one of its settings whatever it is asked for: that one is as good as another
// that shares the kernel with the host, and nothing else is.
func (f facts) runtimeOf(name string) (string, error) {
	if !f.podman || name == f.defaultRuntime {
		return name, nil
	}
	if sharesKernel(name) && sharesKernel(f.defaultRuntime) {
		return f.defaultRuntime, nil
	}
	return "", &MissingError{What: "runtime", Name: name, Hint: fmt.Sprintf(
		"Podman runs everything under %s, whatever it is asked for over this interface; start a service for it with `podman --runtime %s system service`, or use --runtime %s",
		f.defaultRuntime, name, f.defaultRuntime)}
}

// normal is [Spec.normal] with the runtime that this engine really takes.
func (e *engine) normal(s Spec) (Spec, error) {
	s, err := s.normal()
	if err == nil && e.facts.knows(s.Runtime) {
		s.Runtime, err = e.facts.runtimeOf(s.Runtime)
	}
	return s, err
}

// podmanExceptions are what Podman needs to be told in its own way to do the same.
func (c confinement) podmanExceptions(host *container.HostConfig) {
	// It ignores the list of masked paths, and takes it here.
	host.SecurityOpt = append(host.SecurityOpt, "mask="+strings.Join(host.MaskedPaths, ":"))
	// With a read-only root it brings folders in memory of its own, writable and
	// without a bound.
	for _, dir := range []string{"/run", "/var/tmp"} {
		host.Tmpfs[dir] = "ro,nosuid,nodev,noexec,notmpcopyup,size=4096,mode=0755"
	}
}

// labelledVolume makes the volume of the supervisor with its labels: Podman forgets those
// of a volume that a container brings, and one that came so is made again.
func (e *engine) labelledVolume(ctx context.Context, name string, labels map[string]string) error {
	v, err := e.api.VolumeInspect(ctx, name)
	if err == nil && v.Labels[labelRole] == "" {
		err = e.api.VolumeRemove(ctx, name, true)
	} else if err == nil {
		return nil
	}
	if err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("look for volume %s: %w", name, err)
	}
	if _, err := e.api.VolumeCreate(ctx, volume.CreateOptions{Name: name, Labels: labels}); err != nil {
		return fmt.Errorf("make volume %s: %w", name, err)
	}
	return nil
}

// removed waits until a container is gone. Podman removes one that has ended by a
// process of its own, beside which an answer to us means little: it is asked until
// it knows the container no more.
func (e *engine) removed(ctx context.Context, id string, err error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !errdefs.IsNotFound(err) {
		if _, err = e.api.ContainerInspect(ctx, id); errdefs.IsNotFound(err) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the removal of container %.12s: %w", id, errors.Join(context.Cause(ctx), err))
		case <-tick.C:
		}
		err = e.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	}
	return nil
}

// seccomp is the system call profile as the engine takes it: Docker in the request,
// Podman as the name of a file. A Podman on another machine does not find that file
// and refuses to start the container.
func (e *engine) seccomp() (string, error) {
	if !e.facts.podman {
		return seccompProfile, nil
	}
	sum := sha256.Sum256([]byte(seccompProfile))
	path, err := filepath.Abs(filepath.Join(e.run.dir, "seccomp-"+hex.EncodeToString(sum[:8])+".json"))
	if err != nil {
		return "", fmt.Errorf("place the system call profile: %w", err)
	}
	if have, err := os.ReadFile(path); err == nil && string(have) == seccompProfile {
		return path, nil
	}
	// Written aside, so that no one reads half of it.
	aside := path + "." + randomHex(8)
	if err := os.WriteFile(aside, []byte(seccompProfile), 0o600); err != nil {
		return "", fmt.Errorf("write the system call profile: %w", err)
	}
	if err := os.Rename(aside, path); err != nil {
		return "", fmt.Errorf("write the system call profile: %w", err)
	}
	return path, nil
}
