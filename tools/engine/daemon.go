package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aigate/gate/sandbox/filelock"
	"github.com/aigate/gate/tools/debian"
	"github.com/aigate/gate/tools/probe"
)

const (
	runDir    = "/run"
	daemonLog = "/var/log/gate-dockerd.log"
	// ourPID holds the process ID of the daemon that startDaemon has started, so
	// that down never stops one that another user runs.
	ourPID = "/run/gate-dockerd.pid"
	// dockerPID is where dockerd writes its own.
	dockerPID = "/run/docker.pid"

	// startTimeout bounds the start of a daemon. It takes two seconds on an idle
	// machine; with many images on a slow disk that is being filled, far longer.
	startTimeout = 90 * time.Second
)

// lockMachine keeps runs of this program apart, whatever checkout they belong to.
func lockMachine(say sayFunc) (unlock func(), err error) {
	dir := os.TempDir() // a user who may not write to /run cannot start a daemon either
	if os.Geteuid() == 0 {
		dir = runDir
	}
	return filelock.Wait(filepath.Join(dir, "gate-engine-"+strconv.Itoa(os.Geteuid())+".lock"),
		func() { say("another run is bringing up the engine; waiting for it") })
}

func installDocker(ctx context.Context, say sayFunc, m machine) error {
	// apparmor: where the kernel has it, Docker refuses to start containers
	// without its parser. Debian 13 and later have the command in a package of
	// its own.
	packages := []string{"docker.io", "apparmor", "ca-certificates"}
	if !debian.Available(ctx, "docker.io") {
		if err := m.system.Update(ctx, say); err != nil {
			return err
		}
	}
	if debian.Available(ctx, "docker-cli") {
		packages = append(packages, "docker-cli")
	}
	return m.system.Install(ctx, say, packages...)
}

func startService(ctx context.Context, _ sayFunc, _ machine) error {
	if out, err := exec.CommandContext(ctx, "systemctl", "start", "docker").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s; see: journalctl -u docker", err, strings.TrimSpace(string(out)))
	}
	return waitAlive(ctx, nil)
}

// startDaemon starts dockerd so that it outlives this program. A kernel without
// the packet filter or the bridge gets a second try without Docker's networks:
// the sandbox has no network anyway, and images are built on the host's.
func startDaemon(ctx context.Context, say sayFunc, _ machine) error {
	for _, path := range leftovers(runDir, processName, listens) {
		say("removing %s, left by a daemon that is gone", path)
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	if pid := readPID(dockerPID); pid > 0 { // one that is alive, or it were gone by now
		say("dockerd runs already (process %d) but does not answer yet", pid)
		if err := waitAlive(ctx, nil); err != nil {
			return fmt.Errorf("dockerd (process %d) runs but does not answer: %w; end it with: kill %d", pid, err, pid)
		}
		return nil
	}
	err := spawn(ctx, say)
	if err != nil && networkTrouble(daemonLog) {
		say("this kernel lacks what Docker's networks need; trying without them")
		err = spawn(ctx, say, "--bridge=none", "--iptables=false", "--ip6tables=false")
	}
	if err != nil {
		return fmt.Errorf("%w; the end of %s:\n%s", err, daemonLog, lastLines(daemonLog, 12))
	}
	return nil
}

func spawn(ctx context.Context, say sayFunc, args ...string) error {
	log, err := os.Create(daemonLog)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command("dockerd", args...) // not CommandContext: it is meant to stay
	cmd.Stdout, cmd.Stderr = log, log
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := os.WriteFile(ourPID, []byte(strconv.Itoa(cmd.Process.Pid)), 0o644); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmp.Or(cmd.Wait(), errors.New("exit status 0")) }()
	if err := waitAlive(ctx, ended); err != nil {
		return err
	}
	say("dockerd runs as process %d; stop it with: go run ./tools/engine down", cmd.Process.Pid)
	return nil
}

// waitAlive waits until the engine answers. ended, which may be nil, says that
// the daemon has given up.
func waitAlive(ctx context.Context, ended <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		err := probe.Alive(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer within %s: %w", startTimeout, err)
		case how := <-ended:
			return fmt.Errorf("dockerd ended right after its start (%w)", how)
		case <-tick.C:
		}
	}
}

// networkTrouble reports whether a daemon's log says that it failed to set up
// its networks.
func networkTrouble(log string) bool {
	text := lastLines(log, 12)
	return strings.Contains(text, "iptables") || strings.Contains(text, "nftables") ||
		strings.Contains(text, "network controller") || strings.Contains(text, "bridge")
}

func lastLines(path string, n int) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// readPID returns the number in a PID file, 0 when there is none.
func readPID(path string) int {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

// down stops the daemon that startDaemon has started, and no other.
func down(say sayFunc) error {
	pid := readPID(ourPID)
	if pid <= 0 || processName(pid) != "dockerd" {
		say("no engine runs that was started from here")
		return nil
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	if err := p.Signal(os.Interrupt); err != nil {
		return fmt.Errorf("stop dockerd (process %d): %w", pid, err)
	}
	for deadline := time.Now().Add(30 * time.Second); processName(pid) == "dockerd"; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("dockerd (process %d) does not stop; see %s", pid, daemonLog)
		}
	}
	say("dockerd (process %d) has stopped", pid)
	return os.Remove(ourPID)
}
