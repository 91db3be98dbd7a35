package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/aigate/gate/tools/debian"
)

// The gVisor that the project is tested with. Its go branch has no tags, so that
// this names a commit by its time. What Debian 12 has is of 2022: its kernel hangs
// when thousands of processes fork each other, it refuses calls of newer C
// libraries, and its ptrace platform makes each system call ten times as expensive.
const (
	gvisorDate   = "20260905"
	gvisorModule = "gvisor.dev/gvisor/runsc@v0.0.0-20260905035102-160fafc42237"
	// gvisorPath has the date in it, so that another one is never taken for it.
	gvisorPath = "/usr/local/lib/gate-engine/runsc-" + gvisorDate
)

// installRunsc returns the path of runsc: built from source where that can be
// done, else what is there, else what apt has.
func installRunsc(ctx context.Context, say sayFunc, m machine) (string, error) {
	if _, err := os.Stat(gvisorPath); err == nil {
		return gvisorPath, nil
	}
	say("building gVisor of %s; this takes about four minutes, once", gvisorDate)
	built := buildRunsc(ctx, gvisorPath)
	if built == nil || ctx.Err() != nil {
		return gvisorPath, built
	}
	if path, err := exec.LookPath("runsc"); err == nil {
		say("it cannot be built, so %s has to do: %v", path, built)
		return path, nil
	}
	if !debian.Available(ctx, "runsc") {
		return "", built
	}
	say("it cannot be built, so apt's older one has to do: %v", built)
	if err := m.system.Install(ctx, say, "runsc"); err != nil {
		return "", errors.Join(built, err)
	}
	return exec.LookPath("runsc")
}

// buildRunsc leaves the program at path when all of it is there.
func buildRunsc(ctx context.Context, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, "go", "install", "-trimpath",
		"-ldflags", "-s -w -X gvisor.dev/gvisor/runsc/version.version=release-"+gvisorDate+".0", gvisorModule)
	cmd.Dir = dir // outside of this module: its versions are none of gVisor's business
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+dir, "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build runsc: %w\n%s", err, bytes.TrimSpace(out))
	}
	return os.Rename(filepath.Join(dir, "runsc"), path)
}
