package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/system"

	"github.com/aigate/gate/tools/debian"
)

func TestPlanWhenNoEngineAnswers(t *testing.T) {
	down := errors.New("connection refused")
	fresh := machine{host: "unix:///var/run/docker.sock", alive: down, mayChange: true,
		system: debian.System{Root: true, Distro: "debian"}}
	with := func(change func(*machine)) machine {
		m := fresh
		change(&m)
		return m
	}
	tests := map[string]struct {
		machine machine
		steps   string // what is done, joined; or
		err     string // a part of the error
	}{
		"an engine that answers is used as it is": {
			with(func(m *machine) { m.alive = nil }), "", ""},
		"a live engine is used even where nothing may be changed": {
			with(func(m *machine) { m.alive, m.mayChange, m.system = nil, false, debian.System{} }), "", ""},
		"root on Debian gets Docker installed and started": {
			fresh, "install Docker|mount the cgroup|start Docker's daemon", ""},
		"with systemd the service is started": {
			with(func(m *machine) { m.systemd = true }), "install Docker|start Docker (systemctl", ""},
		"an installed Docker is only started": {
			with(func(m *machine) { m.dockerd = true }), "mount the cgroup|start Docker's daemon", ""},
		"ENGINE=never forbids it and says what to type": {
			with(func(m *machine) { m.mayChange = false }), "", "ENGINE=never"},
		"without root the commands are printed": {
			with(func(m *machine) { m.system.Root = false }), "", "sudo apt-get install -y docker.io"},
		"on another system nothing is touched": {
			with(func(m *machine) { m.system.Distro = "fedora" }), "", "package manager"},
		"an engine elsewhere is never replaced by one here": {
			with(func(m *machine) { m.host = "tcp://192.0.2.1:2376" }), "", "DOCKER_HOST"},
		"a socket at another place is another user's engine": {
			with(func(m *machine) { m.host = "unix:///run/user/1000/docker.sock" }), "", "DOCKER_HOST"},
		"an engine that may not be used is not one that is missing": {
			with(func(m *machine) { m.alive = fmt.Errorf("dial: %w", os.ErrPermission) }), "", "usermod"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			steps, err := tc.machine.plan()
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("error %v, want one with %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if tc.steps != "" {
				want = strings.Split(tc.steps, "|")
			}
			if len(steps) != len(want) {
				t.Fatalf("%d steps, want %d", len(steps), len(want))
			}
			for i, w := range want {
				if !strings.HasPrefix(steps[i].what, w) {
					t.Errorf("step %d is %q, want %q…", i, steps[i].what, w)
				}
			}
		})
	}
}

func TestAnEngineThatCannotLimitIsRefused(t *testing.T) {
	good := system.Info{MemoryLimit: true, PidsLimit: true, CPUCfsQuota: true}
	if err := checkLimits(good); err != nil {
		t.Fatalf("an engine with all limits: %v", err)
	}
	for name, change := range map[string]func(*system.Info){
		"memory":    func(i *system.Info) { i.MemoryLimit = false },
		"processes": func(i *system.Info) { i.PidsLimit = false },
		"CPU":       func(i *system.Info) { i.CPUCfsQuota = false },
	} {
		info := good
		change(&info)
		if err := checkLimits(info); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without a limit for %s: %v", name, err)
		}
	}
}

func TestWrongUsageIsExitCode2AndTouchesNothing(t *testing.T) {
	tests := map[string]struct {
		args    []string
		consent string
	}{
		"no command":         {nil, ""},
		"an unknown command": {[]string{"restart"}, ""},
		"an unknown flag":    {[]string{"up", "-force"}, ""},
		"an argument":        {[]string{"up", "now"}, ""},
		"an unknown ENGINE":  {[]string{"up"}, "no"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if code := run(t.Context(), tc.args, tc.consent, io.Discard); code != 2 {
				t.Errorf("exit code %d, want 2", code)
			}
		})
	}
}

func TestANeverWithoutAnEngineIsExitCode1(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	var out strings.Builder
	if code := run(t.Context(), []string{"up"}, "never", &out); code != 1 {
		t.Errorf("exit code %d, want 1\n%s", code, &out)
	}
}
