package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"

	"github.com/aigate/gate/sandbox/egress"
)

// Options say which engine to use and how. The zero value is valid.
type Options struct {
	// Host is the address of the engine, such as unix:///var/run/docker.sock; ""
	// is DOCKER_HOST and its companions in the environment, then the default.
	Host string
	// Supervisor is the path of a static Linux build of gate for the engine's
	// architecture; "" is this very program.
	Supervisor string
	// RunID names this run of gate on everything that it makes: 8 to 64
	// lower-case hexadecimal digits; "" is a random one.
	RunID string
	// StateDir is the folder for the locks that tell living runs from dead ones,
	// shared by all runs of a user; "" is one in the user's runtime folder.
	StateDir string
	// Pool is how many containers of each kind are started ahead for the runs that
	// [Docker.Expect] announces; 0 is none.
	Pool int
	// Log gets what went wrong while cleaning up, which is no error of a run; nil
	// is silence.
	Log *slog.Logger
}

// MissingError says that the engine has not got something that a run needs.
type MissingError struct {
	What string // "image" or "runtime"
	Name string
	Hint string // the command or setting that mends it
}

// Error names what is missing and how to get it.
func (e *MissingError) Error() string {
	return fmt.Sprintf("the engine has no %s %q (%s)", e.What, e.Name, e.Hint)
}

// Docker runs programs in containers of a Docker engine. It is safe for
// concurrent use; nothing may run when Close is called.
type Docker struct {
	api        *client.Client
	facts      facts
	run        *runLock
	log        *slog.Logger
	supervisor *installation
	pool       *pool
	// patience is how long after the limit of time a report is waited for.
	patience time.Duration
	trials   trials
	// egress is how hosts outside are reached, where a Spec opens a way.
	egress egress.Options
}

// trials are the runtimes that were tried.
type trials struct {
	mu        sync.Mutex
	byRuntime map[string]Trial
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

var runID = regexp.MustCompile(`^[0-9a-f]{8,64}$`)

// Open connects to the engine and announces a run. It fails when no engine
// answers, or when it does not run Linux containers.
func Open(ctx context.Context, o Options) (*Docker, error) {
	if o.RunID == "" {
		o.RunID = randomHex(16)
	}
	if !runID.MatchString(o.RunID) {
		return nil, fmt.Errorf("sandbox: run id %q is not 8 to 64 hexadecimal digits", o.RunID)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	opts := []client.Opt{client.FromEnv, client.WithAPIVersionNegotiation()}
	if o.Host != "" {
		opts = append(opts, client.WithHost(o.Host))
	}
	api, err := client.NewClientWithOpts(opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to the container engine: %w", err)
	}
	if o.Pool < 0 || o.Pool > maxPool {
		return nil, fmt.Errorf("sandbox: a pool of %d containers, want 0 to %d", o.Pool, maxPool)
	}
	d := &Docker{api: api, log: o.Log, patience: reportWithin}
	d.pool = newPool(d, o.Pool)
	if err := d.open(ctx, o); err != nil {
		return nil, errors.Join(err, api.Close())
	}
	return d, nil
}

func (d *Docker) open(ctx context.Context, o Options) error {
	info, err := d.api.Info(ctx)
	if err != nil {
		return fmt.Errorf("ask the container engine at %s: %w", d.api.DaemonHost(), err)
	}
	if info.OSType != "linux" {
		return fmt.Errorf("the container engine at %s runs %s containers, the sandbox needs linux", d.api.DaemonHost(), info.OSType)
	}
	if d.facts, err = factsOf(info); err != nil {
		return err
	}
	version, err := d.api.ServerVersion(ctx)
	if err != nil {
		return fmt.Errorf("ask the container engine at %s for its version: %w", d.api.DaemonHost(), err)
	}
	if isPodman(version) {
		d.facts.podman, d.facts.name = true, "podman "+info.ServerVersion
	}
	d.supervisor = &installation{path: o.Supervisor, arch: d.facts.arch}
	d.run, err = lockRun(o.StateDir, o.RunID)
	return err
}

// maxPool bounds the containers that wait: each holds some memory of the host.
const maxPool = 64

// Close ends the run: containers that wait are removed, and from now on others
// may sweep what it left.
func (d *Docker) Close() error {
	d.pool.close()
	return errors.Join(d.run.release(), d.api.Close())
}

// RunID is what everything of this run is labelled with.
func (d *Docker) RunID() string { return d.run.id }

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

// installation is the supervisor in the engine; see install.go.
type installation struct {
	path string
	arch string

	mu       sync.Mutex // also keeps the runs of one process from filling it twice
	digest   string
	binary   []byte
	verified bool
}
