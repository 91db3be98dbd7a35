package sandbox

// The Docker client, github.com/docker/docker, is deprecated since Docker 29,
// and v28.5.2 is its last version: defects will not be fixed. Its successors are
// github.com/moby/moby/client and github.com/moby/moby/api. To move:
//
//  1. Imports: docker/docker/client becomes moby/moby/client,
//     docker/docker/api/types/… becomes moby/moby/api/types/…, and
//     docker/docker/pkg/stdcopy becomes moby/moby/api/pkg/stdcopy.
//  2. Calls: methods take one struct of options and return one of results,
//     ContainerExec… became Exec…, filters are make(client.Filters).Add(…), and
//     addresses are netip.Addr.
//  3. Name the new modules in sandboxModules of tools/arch/imports.go and in
//     docs/dependencies.md.
//  4. Run "make test" and "make test-podman", and check the oldest engine that
//     the new client supports.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"

	"github.com/docker/docker/client"
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
	Hint string // the command or setting that fixes it
}

// Error names what is missing and how to get it.
func (e *MissingError) Error() string {
	return fmt.Sprintf("the engine has no %s %q (%s)", e.What, e.Name, e.Hint)
}

// Docker runs programs in containers of a Docker engine. It is safe for
// concurrent use; nothing may run when Close is called.
type Docker struct {
	engine    *engine
	pool      *pool
	selfTests selfTests
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
	e := &engine{api: api, log: o.Log, patience: reportWithin}
	if err := e.connect(ctx, o); err != nil {
		return nil, errors.Join(err, api.Close())
	}
	return &Docker{engine: e, pool: newPool(e, o.Pool)}, nil
}

// maxPool bounds the containers that wait: each holds some memory of the host.
const maxPool = 64

// Close ends the run: containers that wait are removed, and from now on others
// may sweep what it left.
func (d *Docker) Close() error {
	d.pool.close()
	return errors.Join(d.engine.run.release(), d.engine.api.Close())
}

// RunID is what everything of this run is labelled with.
func (d *Docker) RunID() string { return d.engine.run.id }

// AppArmor is the profile that containers get, "" for what the engine takes by
// itself.
func (d *Docker) AppArmor() string { return d.engine.appArmor() }

// Leftovers returns what a sweep would remove now. It removes nothing, not even
// the lock file of a run that has ended.
func (d *Docker) Leftovers(ctx context.Context) (Swept, error) {
	return (&leftovers{d.engine}).list(ctx)
}

// Sweep removes what dead runs of gate left in the engine: containers whose
// run's lock is free, and supervisors of other builds of gate that are not
// in use. It touches nothing that lacks gate's labels and nothing of a run that
// lives. What it cannot remove is in the error; the rest is done.
func (d *Docker) Sweep(ctx context.Context) (Swept, error) {
	return (&leftovers{d.engine}).sweep(ctx)
}

// Remains looks for what is left of audited containers: in the engine, and where
// the engine runs on this machine among its processes, mounts and files.
func (d *Docker) Remains(ctx context.Context, audits []*Audit) ([]Leftover, error) {
	return (&leftovers{d.engine}).of(ctx, audits)
}
