package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/docker/docker/api/types/system"

	"github.com/aigate/gate/tools/debian"
	"github.com/aigate/gate/tools/probe"
)

// machine is what the plan depends on: everything is looked up once, so that
// the plan itself is pure and every kind of machine can be tested.
type machine struct {
	host      string // where the engine is looked for
	alive     error  // nil: it answers
	mayChange bool   // no one said ENGINE=never
	system    debian.System
	systemd   bool // systemd is process 1
	dockerd   bool // Docker's daemon is installed
}

func look(ctx context.Context) machine {
	_, err := os.Stat("/run/systemd/system")
	_, noDockerd := exec.LookPath("dockerd")
	return machine{
		host:    probe.Host(),
		alive:   probe.Alive(ctx),
		system:  debian.Detect(),
		systemd: err == nil,
		dockerd: noDockerd == nil,
	}
}

// step is one thing that changes the machine.
type step struct {
	what string
	do   func(context.Context, sayFunc, machine) error
}

// plan says what has to be done so that an engine answers; nothing, when one
// does. The error is for the person who has to do it instead.
func (m machine) plan() ([]step, error) {
	switch {
	case m.alive == nil:
		return nil, nil
	case errors.Is(m.alive, os.ErrPermission):
		return nil, fmt.Errorf("the engine at %s may not be used by this user (%w); run: %s", m.host, m.alive,
			"sudo usermod -aG docker \"$USER\", log in again")
	case !m.local():
		return nil, fmt.Errorf("no container engine answers at DOCKER_HOST=%s (%w); start it, or unset DOCKER_HOST to use one here", m.host, m.alive)
	case !m.mayChange:
		return nil, fmt.Errorf("no container engine answers at %s and ENGINE=never forbids to start one; by hand:\n%s", m.host, m.byHand())
	case !m.system.HasApt() || !m.system.Root:
		return nil, fmt.Errorf("no container engine answers at %s, and only root on Debian or Ubuntu can be given one from here; by hand:\n%s", m.host, m.byHand())
	}
	var steps []step
	if !m.dockerd {
		steps = append(steps, step{"install Docker (package docker.io)", installDocker})
	}
	if m.systemd {
		return append(steps, step{"start Docker (systemctl start docker)", startService}), nil
	}
	return append(steps,
		step{"mount the cgroup hierarchies that are missing, if any", mountCgroups},
		step{"start Docker's daemon in the background, log in " + daemonLog, startDaemon},
	), nil
}

// local reports whether the engine is looked for at the socket that a daemon
// which is started here listens on.
func (m machine) local() bool {
	path, ok := strings.CutPrefix(m.host, "unix://")
	return ok && (path == "/var/run/docker.sock" || path == "/run/docker.sock")
}

// byHand is what a person types to get an engine on this machine.
func (m machine) byHand() string {
	if !m.system.HasApt() {
		return "  install Docker Engine with the system's package manager and start it"
	}
	var lines []string
	if !m.dockerd {
		lines = append(lines, debian.Command("docker.io"))
	}
	start := "sudo systemctl start docker"
	if !m.systemd {
		start = "sudo sh -c 'dockerd >" + daemonLog + " 2>&1 &'"
	}
	lines = append(lines, start)
	if !m.system.Root {
		lines = append(lines, `sudo usermod -aG docker "$USER"   # then log in again`)
	}
	return "  " + strings.Join(lines, "\n  ")
}

// checkLimits refuses an engine that would run containers without the limits
// that the sandbox asks for: Docker only warns and leaves them out.
func checkLimits(info system.Info) error {
	var missing []string
	if !info.MemoryLimit {
		missing = append(missing, "memory")
	}
	if !info.PidsLimit {
		missing = append(missing, "processes (pids)")
	}
	if !info.CPUCfsQuota {
		missing = append(missing, "CPU time")
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("this engine cannot limit %s, so its containers would not hold: cgroup version %s at /sys/fs/cgroup lacks the controllers; "+
		"mount them (or boot with them) and restart the engine", strings.Join(missing, ", "), info.CgroupVersion)
}
