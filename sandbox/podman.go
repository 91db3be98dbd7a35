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
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
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
func (d *Docker) normal(s Spec) (Spec, error) {
	s, err := s.normal()
	if err == nil && d.facts.knows(s.Runtime) {
		s.Runtime, err = d.facts.runtimeOf(s.Runtime)
	}
	return s, err
}

// removed waits until a container is gone. Podman removes one that has ended by a
// process of its own, beside which an answer to us means little: it is asked until
// it knows the container no more.
func (d *Docker) removed(ctx context.Context, id string, err error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !errdefs.IsNotFound(err) {
		if _, err = d.api.ContainerInspect(ctx, id); errdefs.IsNotFound(err) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the removal of container %.12s: %w", id, errors.Join(context.Cause(ctx), err))
		case <-tick.C:
		}
		err = d.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	}
	return nil
}

// seccomp is the system call profile as the engine takes it: Docker in the request,
// Podman as the name of a file. A Podman on another machine does not find that file
// and refuses to start the container.
func (d *Docker) seccomp() (string, error) {
	if !d.facts.podman {
		return seccompProfile, nil
	}
	sum := sha256.Sum256([]byte(seccompProfile))
	path, err := filepath.Abs(filepath.Join(d.run.dir, "seccomp-"+hex.EncodeToString(sum[:8])+".json"))
	if err != nil {
		return "", fmt.Errorf("place the system call profile: %w", err)
	}
	if have, err := os.ReadFile(path); err == nil && string(have) == seccompProfile {
		return path, nil
	}
	// Written aside, so that nobody reads half of it.
	aside := path + "." + randomHex(8)
	if err := os.WriteFile(aside, []byte(seccompProfile), 0o600); err != nil {
		return "", fmt.Errorf("write the system call profile: %w", err)
	}
	if err := os.Rename(aside, path); err != nil {
		return "", fmt.Errorf("write the system call profile: %w", err)
	}
	return path, nil
}
