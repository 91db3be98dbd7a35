package sandbox

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/aigate/gate/sandbox/supervisor/probe"
	"github.com/aigate/gate/tools/testenv"
)

func TestProbesOfTheContainmentAreRefused(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		res := mustRun(t, d, attack(runtime, "probes"))
		if res.Status != Exited || res.ExitCode != 0 {
			t.Errorf("got %s %d (%s)", res.Status, res.ExitCode, res.Reason)
		}
		checkProbes(t, d, string(res.Stdout.Data), 250, runtime == "runsc")
	})
}

// checkProbes expects what every program may do to work and all else to be
// refused.
func checkProbes(t *testing.T, d *Docker, out string, least int, gvisor bool) {
	t.Helper()
	seen := 0
	for line := range strings.Lines(out) {
		o, err := probe.Parse(line)
		if err != nil {
			t.Error(err)
			continue
		}
		seen++
		if d.engine.facts.podman && o.Name == "a device as a folder" {
			continue // it makes /etc/passwd and its like on its own disk and mounts them read-only
		}
		if !o.Held(gvisor) {
			t.Errorf("%s: %s: %s", o.Category, o.Name, o.Told)
		}
	}
	if seen < least {
		t.Errorf("only %d probes spoke", seen)
	}
}

// The same without the supervisor and its guard: the engine's part holds alone.
func TestTheProfileHoldsWithoutTheSupervisor(t *testing.T) {
	testenv.Runtime(t, "runc")
	d := openDocker(t)
	spec, err := attack("runc", "confinement").normal()
	if err != nil {
		t.Fatal(err)
	}
	volume, err := d.engine.supervisor.volume(t.Context(), d.engine, spec.Image)
	if err != nil {
		t.Fatal(err)
	}
	seccomp, err := d.engine.seccomp()
	if err != nil {
		t.Fatal(err)
	}
	config, host := profile(confinement{
		image: spec.Image, volumes: []string{"/data"}, runtime: "runc", volume: volume, labels: d.engine.labels(roleRun),
		apparmor: d.AppArmor(), seccomp: seccomp, podman: d.engine.facts.podman, cores: 1, limits: spec.Limits,
	})
	config.Entrypoint = spec.Argv
	out := runBare(t, d, config, host)
	checkProbes(t, d, out, 220, false)
}

// runBare runs a container without a supervisor and returns its output.
func runBare(t *testing.T, d *Docker, config *container.Config, host *container.HostConfig) string {
	t.Helper()
	made, err := d.engine.api.ContainerCreate(t.Context(), config, host, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.engine.remove(t.Context(), made.ID); err != nil {
			t.Error(err)
		}
	}()
	conn, err := d.engine.api.ContainerAttach(t.Context(), made.ID, container.AttachOptions{Stream: true, Stdout: true, Stderr: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := d.engine.api.ContainerStart(t.Context(), made.ID, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(5*time.Minute, conn.Close).Stop()
	out, err := io.ReadAll(newDemux(conn.Reader))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
