package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// Run runs one program in a container of its own. Without a pool it returns when
// the container is gone, with one Close waits for that. It returns an error when the run did not come about: the Spec is not
// valid, the image or the runtime is missing ([*MissingError]), the container did
// not start, Spec.Input failed, or ctx ended. What happened to the program after
// that, including that nothing is known because the supervisor failed, is in the
// Result. With an error the Result's status is Failed, or Killed when ctx ended.
func (d *Docker) Run(ctx context.Context, spec Spec) (Result, error) {
	res := Result{Status: Failed, ExitCode: -1, Engine: d.engine.facts.name, Runtime: spec.Runtime, Image: spec.Image}
	spec, err := d.engine.normal(spec)
	if err != nil {
		res.Reason = err.Error()
		return res, err
	}
	res.Runtime = spec.Runtime
	if err = d.selfTests.usable(ctx, d, spec); err == nil {
		err = d.runInto(ctx, spec, &res)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		res.Status, res.ExitCode = Killed, -1
	}
	if err != nil {
		res.Reason = err.Error()
	}
	return res, err
}

func (d *Docker) runInto(ctx context.Context, spec Spec, res *Result) error {
	rep, b, inputErr, trouble, err := d.sessionFor(ctx, spec, res)
	if err != nil {
		return err
	}
	defer d.pool.retire(b)
	res.Audit, res.Started = rep.audit, rep.started
	// From here on, what went wrong is what happened to the program: no error.
	switch {
	case inputErr != nil:
		return inputErr
	case errors.Is(trouble, errCutOff):
		if end := b.fate(ctx); end.outOfMemory {
			res.Status, res.Reason = OOM, "memory ran out, and the whole container was ended"
			res.Resources.Memory = spec.Limits.Memory // no one was left to measure, and all of it was used
		} else {
			res.Status, res.Reason = Failed, trouble.Error()+end.String()+b.complaint()
		}
	case trouble != nil:
		res.Status, res.Reason = Failed, trouble.Error()+b.complaint()
	default:
		rep.into(res)
	}
	return nil
}

// sessionFor finds a container for a Spec and gives it the job. A container that
// waited for it may have ended meanwhile: then another one gets the job.
func (d *Docker) sessionFor(ctx context.Context, spec Spec, res *Result) (rep report, b *instance, inputErr, trouble, err error) {
	if b, res.ImageID = d.pool.take(ctx, spec); b != nil {
		rep, inputErr, trouble = b.session(ctx, spec)
		if inputErr != nil || rep.started || !errors.Is(trouble, errCutOff) || ctx.Err() != nil {
			return rep, b, inputErr, trouble, nil
		}
		d.engine.log.Info("a waiting container had ended, taking another one", "container", b.id)
		d.pool.retire(b)
	}
	if b, res.ImageID, err = d.engine.instanceFor(ctx, spec); err != nil {
		return report{}, nil, nil, nil, err
	}
	rep, inputErr, trouble = b.session(ctx, spec)
	return rep, b, inputErr, trouble, nil
}

// instanceFor makes an instance for a Spec. id is that of the image as soon as it is known.
func (e *engine) instanceFor(ctx context.Context, spec Spec) (_ *instance, id string, err error) {
	if err := e.checkRuntime(spec.Runtime); err != nil {
		return nil, "", err
	}
	seccomp, err := e.seccomp()
	if err != nil {
		return nil, "", err
	}
	img, err := e.image(ctx, spec.Image)
	if err != nil {
		return nil, "", err
	}
	c := confinement{
		image: img.ID, volumes: declaredVolumes(img), runtime: spec.Runtime, labels: e.labels(roleRun),
		apparmor: e.appArmor(), seccomp: seccomp, podman: e.facts.podman, cores: e.facts.cores, limits: spec.Limits, exceptions: spec.Exceptions,
	}
	for try := 0; ; try++ {
		if c.volume, err = e.supervisor.volume(ctx, e, img.ID); err != nil {
			return nil, img.ID, err
		}
		c.volumeLabels = e.labels(roleSupervisor)
		b, err := e.openInstance(ctx, c)
		if err == nil || ctx.Err() != nil || try == startTries {
			return b, img.ID, err
		}
		// Another gate's sweep may have taken the volume, or its fill may be under
		// way: look again.
		e.log.Info("a container did not start, trying again", "error", err)
		e.supervisor.forget()
	}
}

// startTries is how often starting a container is tried again. The engine itself
// fails now and then on a busy machine.
const startTries = 2

// image finds an image without ever pulling it.
func (e *engine) image(ctx context.Context, ref string) (image.InspectResponse, error) {
	img, err := e.api.ImageInspect(ctx, ref)
	if errdefs.IsNotFound(err) {
		return img, &MissingError{What: "image", Name: ref, Hint: "build or pull it before; a run never does"}
	}
	if err != nil {
		return img, fmt.Errorf("look for image %q: %w", ref, err)
	}
	return img, nil
}

func declaredVolumes(img image.InspectResponse) []string {
	var dirs []string
	if img.Config != nil {
		for dir := range img.Config.Volumes {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// into fills the result from a complete report.
func (rep *report) into(res *Result) {
	x := rep.exit
	res.Status, res.Reason, res.ExitCode = outcome(x)
	res.Stdout = stream(rep.stdout, x.Stdout)
	res.Stderr = stream(rep.stderr, x.Stderr)
	res.Files, res.Refused = rep.files, rep.refused
	res.Duration, res.Waited, res.Held = x.Duration, min(x.Waited, x.Duration), min(x.Held, x.Duration)
	res.Skipped, res.Clock, res.Asked = x.Skipped, x.Clock, (*Asked)(x.Asked)
	res.Full = x.Full
	res.Left = Left{Commands: x.Left, More: x.More}
	res.Resources = Resources{CPU: x.CPU, Memory: x.Memory, Pids: x.Pids}
	res.Behaviour = Behaviour{Recorder: x.Recorder, Events: rep.events, Captures: rep.captures, Lost: x.Lost, Uncaptured: x.Uncaptured, Unsearched: x.Unsearched, Unopened: x.Unopened, Inputs: (*Inputs)(x.Inputs), Random: x.Random}
	for _, u := range x.Unhooked {
		res.Behaviour.Unhooked = append(res.Behaviour.Unhooked, Unhooked(u))
	}
	slices.SortFunc(res.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(res.Refused, func(a, b Refusal) int { return strings.Compare(a.Path, b.Path) })
}

func stream(data []byte, total int64) Stream {
	return Stream{Data: data, Bytes: total, Truncated: int64(len(data)) < total}
}

func randomKey() []byte {
	key := make([]byte, wire.KeySize)
	_, _ = rand.Read(key) // never fails; it ends the program instead
	return key
}
