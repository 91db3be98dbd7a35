package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"

	"github.com/aigate/gate/sandbox/internal/wire"
)

const (
	startWithin   = 90 * time.Second // for a container to be there and wait; gVisor on a busy machine
	cleanUpWithin = 30 * time.Second // for it to be gone
	evidenceIn    = 3 * time.Second  // for the engine to say what it remembers
	auditedIn     = 30 * time.Second // for the engine to count what a container has used and changed; a busy one takes its time
)

// instance is a started container whose supervisor waits for its one job. Making one
// needs nothing of the job but what the container's limits are made of, so boxes
// can be made before there is a job.
type instance struct {
	engine *engine
	id     string
	conn   types.HijackedResponse
	out    *demux
	frames *wire.Reader
}

// openInstance makes, starts and greets a container.
func (e *engine) openInstance(ctx context.Context, c confinement) (_ *instance, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startWithin, fmt.Errorf("the container did not start within %s", startWithin))
	defer cancel()
	config, host := profile(c)
	id, err := e.create(ctx, config, host)
	if err != nil {
		return nil, causeOf(ctx, err)
	}
	b := &instance{engine: e, id: id}
	defer func() {
		if err != nil {
			err = errors.Join(causeOf(ctx, err), b.close(ctx))
		}
	}()
	b.conn, err = e.api.ContainerAttach(ctx, b.id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return nil, fmt.Errorf("attach to the container: %w", err)
	}
	if err := e.api.ContainerStart(ctx, b.id, container.StartOptions{}); err != nil {
		return nil, fmt.Errorf("start the container: %w", err)
	}
	b.out = newDemux(b.conn.Reader)
	b.frames = wire.NewReader(b.out)
	return b, b.greet(ctx)
}

// create makes a container under a name of ours and returns its id. An engine
// that is told to stop half-way may make it all the same, so it is not told, and
// what it may have made in spite of an error is removed by its name.
func (e *engine) create(ctx context.Context, config *container.Config, host *container.HostConfig) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startWithin)
	defer cancel()
	name := fmt.Sprintf("gate-%.8s-%s", e.run.id, randomHex(6))
	made, err := e.api.ContainerCreate(ctx, config, host, nil, nil, name)
	if err != nil {
		return "", errors.Join(fmt.Errorf("create a container: %w", err), e.remove(ctx, name))
	}
	return made.ID, nil
}

// greet waits until the supervisor is there.
func (b *instance) greet(ctx context.Context) error {
	// Reading does not know of contexts, so the end of this one closes the stream.
	stop := context.AfterFunc(ctx, b.conn.Close)
	defer stop()
	kind, payload, err := b.frames.Next()
	if err != nil {
		return fmt.Errorf("wait for the supervisor: %w%s", err, b.complaint())
	}
	if kind != wire.KindHello {
		return fmt.Errorf("wait for the supervisor: got a frame of kind %d", kind)
	}
	var hello wire.Hello
	if err := wire.Decode(payload, &hello); err != nil {
		return fmt.Errorf("wait for the supervisor: %w", err)
	}
	if hello.Version != wire.Version {
		return fmt.Errorf("the supervisor speaks version %d, this gate %d", hello.Version, wire.Version)
	}
	return nil
}

// complaint is what the supervisor wrote to standard error, which only it can.
func (b *instance) complaint() string {
	if text := strings.TrimSpace(string(b.out.stderr.data)); text != "" {
		return fmt.Sprintf(" (it wrote: %q)", text)
	}
	return ""
}

// close ends the container, whatever it is doing, and waits until it is gone. It
// does its work also when ctx has ended.
func (b *instance) close(ctx context.Context) error {
	if b.conn.Conn != nil {
		b.conn.Close()
	}
	return b.engine.remove(ctx, b.id)
}

// remove ends and removes a container and waits until it is gone. The engine
// removes most by itself, at its own pace; either way it is no error.
func (e *engine) remove(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpWithin)
	defer cancel()
	err := e.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	if e.facts.podman {
		return e.removed(ctx, id, err)
	}
	if err == nil || errdefs.IsNotFound(err) {
		return nil
	}
	if !errdefs.IsConflict(err) { // "removal is already in progress"
		return fmt.Errorf("remove container %.12s: %w", id, err)
	}
	if err := e.gone(ctx, id); err != nil {
		return fmt.Errorf("wait for the removal of container %.12s: %w", id, err)
	}
	return nil
}

// gone waits until a container that ends by itself has been removed.
func (e *engine) gone(ctx context.Context, id string) error {
	done, failed := e.api.ContainerWait(ctx, id, container.WaitConditionRemoved)
	select {
	case <-done:
		return nil
	case err := <-failed:
		if errdefs.IsNotFound(err) {
			return nil
		}
		return err
	}
}

// fate is what the engine remembers of how a container ended.
type fate struct {
	outOfMemory bool
	events      []string // such as "kill signal 9" and "die exit code 137", in their order
}

// String names the events for a reason, empty where there are none.
func (f fate) String() string {
	if len(f.events) == 0 {
		return ""
	}
	return " (the engine saw: " + strings.Join(f.events, ", ") + ")"
}

// fate asks the engine what became of a container that ended without a report. The
// container is gone by then; the engine's memory of events is not.
func (b *instance) fate(ctx context.Context) (f fate) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), evidenceIn)
	defer cancel()
	now := time.Now()
	seen, failed := b.engine.api.Events(ctx, events.ListOptions{
		Since:   "0",
		Until:   fmt.Sprintf("%d.%09d", now.Unix(), now.Nanosecond()), // or the engine would wait for more
		Filters: filters.NewArgs(filters.Arg("container", b.id), filters.Arg("event", "oom"), filters.Arg("event", "kill"), filters.Arg("event", "die")),
	})
	for {
		select {
		case m := <-seen:
			if len(f.events) < maxFate {
				f.events = append(f.events, happened(m))
			}
			f.outOfMemory = f.outOfMemory || m.Action == events.ActionOOM
		case err := <-failed:
			if err != nil && !errors.Is(err, io.EOF) {
				b.engine.log.Warn("the engine does not tell what became of a container", "container", b.id, "error", err)
			}
			return f
		}
	}
}

// maxFate is how many events of a container's end are named.
const maxFate = 4

// happened is an event in a few words.
func happened(m events.Message) string {
	out := string(m.Action)
	if signal := m.Actor.Attributes["signal"]; signal != "" {
		out += " signal " + signal
	}
	if code := m.Actor.Attributes["exitCode"]; code != "" {
		out += " exit code " + code
	}
	return out
}

// causeOf returns why ctx ended, where that is what made err.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
