package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"

	"github.com/aigate/gate/sandbox/egress"
)

// engine is the connection to a container engine for one run of gate: it makes and
// removes what the run needs there, under the run's labels.
type engine struct {
	api        *client.Client
	facts      facts
	run        *runLock
	log        *slog.Logger
	supervisor *installation
	// patience is how long after the limit of time a report is waited for.
	patience time.Duration
	// egress is how hosts outside are reached, where a Spec opens a way.
	egress egress.Options
}

// facts are what does not change while an engine lives.
type facts struct {
	name     string // "docker 20.10.24"
	arch     string // as Go names it
	cores    int
	apparmor bool
	runtimes []string
	root     string // folder of the engine's data, on its own machine
	podman   bool
	// defaultRuntime is what the engine takes when it is not asked for another one.
	defaultRuntime string
	engine         engineFacts
}

// connect asks the engine what it is, and announces the run.
func (e *engine) connect(ctx context.Context, o Options) error {
	info, err := e.api.Info(ctx)
	if err != nil {
		return fmt.Errorf("ask the container engine at %s: %w", e.api.DaemonHost(), err)
	}
	if info.OSType != "linux" {
		return fmt.Errorf("the container engine at %s runs %s containers, the sandbox needs linux", e.api.DaemonHost(), info.OSType)
	}
	if e.facts, err = factsOf(info); err != nil {
		return err
	}
	version, err := e.api.ServerVersion(ctx)
	if err != nil {
		return fmt.Errorf("ask the container engine at %s for its version: %w", e.api.DaemonHost(), err)
	}
	if isPodman(version) {
		e.facts.podman, e.facts.name = true, "podman "+info.ServerVersion
	}
	e.supervisor = &installation{path: o.Supervisor, arch: e.facts.arch}
	e.run, err = lockRun(o.StateDir, o.RunID)
	return err
}

func factsOf(info system.Info) (facts, error) {
	f := facts{name: "docker " + info.ServerVersion, cores: info.NCPU, root: info.DockerRootDir, defaultRuntime: info.DefaultRuntime}
	// The engine reports the kernel's name of the machine.
	switch info.Architecture {
	case "x86_64", "amd64":
		f.arch = "amd64"
	case "aarch64", "arm64":
		f.arch = "arm64"
	default:
		return facts{}, fmt.Errorf("the container engine runs on %s; the sandbox knows amd64 and arm64", info.Architecture)
	}
	options, err := system.DecodeSecurityOptions(info.SecurityOptions)
	if err != nil {
		return facts{}, fmt.Errorf("read the security options of the engine: %w", err)
	}
	f.apparmor = slices.ContainsFunc(options, func(o system.SecurityOpt) bool { return o.Name == "apparmor" })
	for name := range info.Runtimes {
		f.runtimes = append(f.runtimes, name)
	}
	slices.Sort(f.runtimes)
	f.engine = engineFactsOf(info)
	return f, nil
}

// randomHex returns n random bytes in hexadecimal.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails; it ends the program instead
	return hex.EncodeToString(b)
}
