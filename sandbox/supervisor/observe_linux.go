package supervisor

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// observation is the record of one run.
type observation struct {
	recorder string
	log      *journal
	code     *captures
	pipes    *piped
	canaries matcher
	net      *simulation // nil where there is none
	tunnels  *tunnels    // there where net is
	env      []string    // that the program gets for its sake
	failed   chan error  // a recorder that broke
	watcher  *watcher    // nil where nothing is recorded
	inputs   *inputs     // nil where they are not
	hooks    *hooks      // nil where there are none

	forward *follower       // nil where time passes as ever; its owner is the tracer
	over    <-chan struct{} // closed when nothing more will happen
}

// news is how much of what the program did so far it did for the first time. One that
// looks at the same file every second does nothing by that.
func (o *observation) news() int64 {
	if o.watcher == nil {
		return 0
	}
	return o.log.size() + o.watcher.fresh.Load()
}

// listens reports whether the program waits for others on a socket.
func (o *observation) listens() bool { return o.watcher != nil && o.watcher.listening.Load() }

// watch starts the recorder for which there is a listener, or with -1 the tracer.
func (r *run) watch(listener int) error {
	w := newWatcher(uint32(r.child.pid), r.seen.log, r.seen.code, r.seen.pipes, r.seen.net)
	r.seen.watcher = w
	if r.job.Observe != nil && len(r.job.Observe.Hooks) > 0 {
		r.seen.hooks = newHooks(r.job.Observe.Hooks)
		w.hooks = r.seen.hooks
	}
	if listener >= 0 {
		r.seen.recorder = recorderNotify
		if r.seen.inputs != nil {
			w.records(r.seen.inputs)
		}
		if c, ok := r.family.(*children); ok && r.seen.hooks != nil {
			c.hooks = r.seen.hooks
			c.hooks.ended = func(pid int, s unix.WaitStatus) { c.note(pid, syscall.WaitStatus(s)) }
		}
		n := &notifier{listener: listener, watcher: w, failed: r.seen.failed}
		w.give = n.give
		go n.run()
		return nil
	}
	r.seen.recorder = recorderTrace
	switch in := r.seen.inputs; {
	case in == nil:
	case r.job.Forward && canForward && in.notify != chanceOnly:
		in.memory() // the call that asks for it is one that shows a clock as well
		w.records(in)
	default:
		in.close()
		r.seen.inputs = watchChance()
		w.records(r.seen.inputs)
	}
	w.memory.files = map[int]int{} // the tracer is told of every new program
	t := &tracer{first: r.child.pid, watcher: w, failed: r.seen.failed, changed: r.traced, over: make(chan struct{})}
	if r.job.Forward && canForward {
		t.follow = newFollower(r.seen.net.awaited)
		r.seen.forward, r.seen.over = t.follow, t.over
	}
	r.family = t
	seized := make(chan error)
	go t.run(seized)
	return <-seized
}

// forwarded adds what was skipped to the report. The tracer has ended.
func (o *observation) forwarded(x *wire.Exit, asked bool) {
	switch {
	case !asked:
	case o.forward == nil:
		x.Clock = wire.NoForward
	default:
		x.Skipped, x.Skips, x.Clock = o.forward.skipped, o.forward.skips, o.forward.missed
	}
}

// observe prepares the record of a run that is to be observed.
func (r *run) observe() error {
	code := newCaptures()
	r.seen = observation{log: newJournal(), code: code, pipes: newPiped(code), canaries: matcherFor(r.job.Observe), failed: make(chan error, 1)}
	if r.job.Observe == nil {
		return nil
	}
	r.seen.log.plants = map[string]bool{}
	for _, p := range r.job.Observe.Plants {
		r.seen.log.plants[p.Path] = true
		if err := plant(p); err != nil {
			return fmt.Errorf("plant %s: %w", p.Path, err)
		}
	}
	r.held.plants(r.job.Observe.Plants)
	if r.job.Observe.Inputs {
		if !r.job.Forward || notifies() {
			r.seen.inputs = watchInputs(r.files, r.folders, r.job.Output)
		}
		r.seen.inputs = cmp.Or(r.seen.inputs, watchChance())
	}
	if !r.job.Observe.Internet {
		return nil
	}
	var err error
	if r.seen.env, err = r.online(); err != nil {
		return fmt.Errorf("start the simulated internet: %w", err)
	}
	return nil
}

// plant writes a file for the program to find, unless its input has one there.
// This is before the program starts, so no one exchanges a folder meanwhile; but
// the input may hold links, so the way must not lead through one.
func plant(p wire.Plant) error {
	dir := filepath.Dir(p.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	switch real, err := filepath.EvalSymlinks(dir); {
	case err != nil:
		return err
	case real != dir:
		return nil // the path leads elsewhere
	}
	f, err := os.OpenFile(p.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(p.Data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// report sends what was recorded.
func (r *run) reportBehaviour(x *wire.Exit) error {
	o := r.seen
	if o.recorder == "" {
		return nil
	}
	o.offline()
	o.watcher.settle()
	x.Random = o.inputs.asksRandom()
	x.Inputs = o.inputs.report()
	o.pipes.wait()
	captured, more, written, built := o.code.all()
	r.held.spoiled(written, o.log)
	m := o.canaries()
	x.Unsearched, x.Unopened = leaks(m, written, built, r.job.Observe.Plants, r.job.Observe.Reports, o.log)
	for _, d := range []*drain{&r.stdout, &r.stderr} {
		x.Unsearched += d.leaked(o.log)
	}
	events, lost := o.log.all(m)
	x.Recorder, x.Lost, x.Uncaptured, x.Unhooked = o.recorder, lost, more, o.hooks.report()
	out := r.out
	for _, e := range events {
		if err := out.message(wire.KindEvent, e); err != nil {
			return err
		}
	}
	for _, c := range captured {
		if err := out.message(wire.KindCapture, c); err != nil {
			return err
		}
	}
	return nil
}
