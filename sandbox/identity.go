package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/docker/docker/api/types/system"
)

// Identity is everything that a run depends on besides its Spec. Two runs of one
// Spec under one Identity differ only by time and chance.
type Identity struct {
	// Gate and Supervisor are the SHA-256 of the program that asks, with the profile
	// of the containers in it, and of the one that is their first process.
	Gate, Supervisor string
	ImageID          string
	Engine           string // "docker 20.10.24"
	Runtime          string // with the path and the arguments that the engine knows it by
	Kernel, Arch     string
	Cores            int
	Memory           int64 // bytes of the engine's machine
	Security         []string
}

// engineFacts are what an engine says about itself that programs can see or feel.
type engineFacts struct {
	kernel   string
	memory   int64
	security []string
	runtimes map[string]string
}

func engineFactsOf(info system.Info) engineFacts {
	f := engineFacts{kernel: info.KernelVersion, memory: info.MemTotal, security: slices.Sorted(slices.Values(info.SecurityOptions)), runtimes: map[string]string{}}
	for name, r := range info.Runtimes {
		f.runtimes[name] = fmt.Sprintf("%s %s %q %s", name, r.Path, r.Args, info.RuncCommit.ID)
	}
	return f
}

// Identity says what a run of a Spec would depend on now. It fails where the image
// or the runtime is missing.
func (d *Docker) Identity(ctx context.Context, spec Spec) (Identity, error) {
	spec, err := spec.normal()
	if err != nil {
		return Identity{}, err
	}
	if err := d.engine.checkRuntime(spec.Runtime); err != nil {
		return Identity{}, err
	}
	img, err := d.engine.image(ctx, spec.Image)
	if err != nil {
		return Identity{}, err
	}
	supervisor, err := d.engine.supervisor.sum()
	if err != nil {
		return Identity{}, err
	}
	own := supervisor
	if d.engine.supervisor.path != "" {
		if own, err = ownDigest(); err != nil {
			return Identity{}, err
		}
	}
	return Identity{
		Gate: own, Supervisor: supervisor, ImageID: img.ID, Engine: d.engine.facts.name, Runtime: d.engine.facts.engine.runtimes[spec.Runtime],
		Kernel: d.engine.facts.engine.kernel, Arch: d.engine.facts.arch, Cores: d.engine.facts.cores, Memory: d.engine.facts.engine.memory, Security: d.engine.facts.engine.security,
	}, nil
}

// sum is the digest of the supervisor.
func (in *installation) sum() (string, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.digest == "" {
		if err := in.load(); err != nil {
			return "", err
		}
	}
	return in.digest, nil
}

// ownDigest is the digest of the running program.
func ownDigest() (_ string, err error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the running program: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the running program: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read the running program: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
