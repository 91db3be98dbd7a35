package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/tools/probe"
)

const (
	daemonConfig = "/etc/docker/daemon.json"

	// reloadTimeout bounds the engine's reading of its configuration, which takes
	// milliseconds, and the first container under a new runtime.
	reloadTimeout = 60 * time.Second
)

// ensureRunsc makes sure that containers run under runsc, and under the release
// that is built here where this program may configure the engine. An entry that
// another user has made stays as long as it works.
func ensureRunsc(ctx context.Context, say sayFunc, m machine) error {
	broken := probe.Runtime(ctx, "runsc")
	mayInstall := m.local() && m.mayChange && m.system.Root && m.system.HasApt()
	switch {
	case broken == nil && !(mayInstall && outdated(daemonConfig)):
		return nil
	case mayInstall:
	case !m.local():
		return fmt.Errorf("%w; the engine at %s is not configured from here: install gVisor there and add it to its runtimes as \"runsc\"", broken, m.host)
	case !m.mayChange:
		return fmt.Errorf("%w, and ENGINE=never forbids to install it; by hand:\n%s", broken, runscByHand())
	default:
		return fmt.Errorf("%w, and only root on Debian or Ubuntu can be given it from here; by hand:\n%s", broken, runscByHand())
	}
	path, err := installRunsc(ctx, say, m)
	if err != nil {
		return err
	}
	return configureRunsc(ctx, say, path)
}

// runscByHand is what a person types to get gVisor.
func runscByHand() string {
	return "  CGO_ENABLED=0 go install " + gvisorModule + " && sudo install ~/go/bin/runsc /usr/local/bin/runsc\n" +
		"  add to " + daemonConfig + `: {"runtimes": {"runsc": {"path": "/usr/local/bin/runsc", "runtimeArgs": ["--network=none"]}}}` + "\n" +
		"  sudo systemctl reload docker"
}

// outdated reports whether a runtime entry is this program's, for another gVisor
// than the one that it builds today.
func outdated(config string) bool {
	text, err := os.ReadFile(config)
	if err != nil {
		return false
	}
	var all struct {
		Runtimes map[string]struct {
			Path string
			Args []string `json:"runtimeArgs"`
		}
	}
	if json.Unmarshal(text, &all) != nil {
		return false
	}
	entry := all.Runtimes["runsc"]
	ours := slices.ContainsFunc(slices.Concat(runscArgs(true), runscArgs(false)), func(args []string) bool { return slices.Equal(args, entry.Args) })
	return ours && entry.Path != gvisorPath
}

// configureRunsc tries the ways to run gVisor from the best to the least, and
// leaves the first one that works in the engine's configuration.
func configureRunsc(ctx context.Context, say sayFunc, path string) error {
	// Old releases have no systrap, which is several times faster than ptrace.
	flags, _ := exec.CommandContext(ctx, path, "flags").CombinedOutput() // prints, then exits with an error in some releases
	var problems []error
	for _, args := range runscArgs(strings.Contains(string(flags), "systrap")) {
		old, err := os.ReadFile(daemonConfig)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		text, err := withRuntime(old, "runsc", path, args)
		if err != nil {
			return fmt.Errorf("%s: %w", daemonConfig, err)
		}
		say("adding runtime runsc (%s) to %s", strings.Join(args, " "), daemonConfig)
		if err := replaceFile(daemonConfig, text); err != nil {
			return err
		}
		if err := reload(readPID(dockerPID)); err != nil {
			return fmt.Errorf("make the engine read its configuration again: %w", err)
		}
		if err := waitRuntime(ctx, "runsc", args); err != nil {
			problems = append(problems, fmt.Errorf("with %s: %w", strings.Join(args, " "), err))
			continue
		}
		return nil
	}
	return fmt.Errorf("runsc at %s runs no container: %w", path, errors.Join(problems...))
}

// runscArgs lists the arguments to try, best first. The limits of a container
// hold only while gVisor may use cgroups, so that goes last.
func runscArgs(systrap bool) [][]string {
	platforms := []string{"--platform=ptrace"}
	if systrap {
		platforms = []string{"--platform=systrap", "--platform=ptrace"}
	}
	var all [][]string
	for _, cgroups := range [][]string{nil, {"--ignore-cgroups"}} {
		for _, p := range platforms {
			all = append(all, slices.Concat([]string{"--network=none", p}, cgroups))
		}
	}
	return all
}

// withRuntime returns the engine's configuration with one runtime added or
// replaced and everything else as it was.
func withRuntime(config []byte, name, path string, args []string) ([]byte, error) {
	all := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(config)) > 0 {
		if err := json.Unmarshal(config, &all); err != nil {
			return nil, fmt.Errorf("is not JSON, so it is left alone: %w", err)
		}
	}
	runtimes := map[string]json.RawMessage{}
	if raw, ok := all["runtimes"]; ok {
		if err := json.Unmarshal(raw, &runtimes); err != nil {
			return nil, fmt.Errorf("\"runtimes\" is not an object, so it is left alone: %w", err)
		}
	}
	entry, err := json.Marshal(map[string]any{"path": path, "runtimeArgs": args})
	if err != nil {
		return nil, err
	}
	runtimes[name] = entry
	if all["runtimes"], err = json.Marshal(runtimes); err != nil {
		return nil, err
	}
	return json.MarshalIndent(all, "", "  ")
}

// replaceFile writes a file so that no one ever sees half of it.
func replaceFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	next := path + ".gate-new"
	if err := os.WriteFile(next, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// waitRuntime waits until the engine has read its new configuration, then tries
// a container.
func waitRuntime(ctx context.Context, name string, args []string) error {
	ctx, cancel := context.WithTimeout(ctx, reloadTimeout)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		info, err := probe.Info(ctx)
		if err != nil {
			return err
		}
		if slices.Equal(info.Runtimes[name].Args, args) {
			return probe.Runtime(ctx, name)
		}
		select {
		case <-ctx.Done():
			return errors.New("the engine did not take over its new configuration")
		case <-tick.C:
		}
	}
}
