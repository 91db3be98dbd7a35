package supervisor

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

const (
	startWithin = 20 * time.Second       // from the order to the program; a slow disk, not the program
	killWithin  = 10 * time.Second       // for all processes to be gone after SIGKILL
	drainWithin = 5 * time.Second        // for the program's streams to end after that
	lingerFor   = 30 * time.Second       // for the host to take the report and hang up
	watchEvery  = 20 * time.Millisecond  // where the kernel does not hold a limit
	reapEvery   = 500 * time.Millisecond // in case a runtime loses a SIGCHLD
)

// errHostGone ends the run when the host hangs up: no one wants the result.
var errHostGone = errors.New("the host hung up")

// supervise is the life of process 1. Its end is the end of the container.
func supervise(stdin, stdout *os.File) error {
	ended, err := harden()
	if err != nil {
		return err
	}
	in, err := polled(int(stdin.Fd()))
	if err != nil {
		return fmt.Errorf("use standard input: %w", err)
	}
	outFile, err := polled(int(stdout.Fd()))
	if err != nil {
		return fmt.Errorf("use standard output: %w", err)
	}
	out := newSender(outFile)
	c, err := prepare()
	if err != nil {
		return err
	}
	if err := out.message(wire.KindHello, wire.Hello{Version: wire.Version}); err != nil {
		return err
	}

	s := &run{in: wire.NewReader(in), out: out, child: c, ended: ended, family: &children{first: c.pid}, traced: make(chan struct{}, 1)}
	err = s.all()
	switch {
	case err == nil:
	case errors.Is(err, errHostGone):
		return nil // an order like any other
	default:
		err = errors.Join(err, killAll(s.family))
		if ferr := out.message(wire.KindFail, wire.Fail{Reason: fmt.Sprintf("%.2000s", err)}); ferr != nil {
			return errors.Join(err, ferr)
		}
	}
	s.linger()
	return err
}

// run is the one job of this process.
type run struct {
	in       *wire.Reader
	out      *sender
	child    *child
	ended    chan os.Signal // a child may have ended
	traced   chan struct{}  // the same, from the tracer
	family   family
	seen     observation
	job      wire.Job
	stdin    []byte
	files    []string // of the input
	folders  []string
	held     *remembered // what the files of the input held; nil where nothing is observed
	evidence *evidence
	hungUp   <-chan struct{}
	tunnels  *tunnels
	streams  sync.WaitGroup
	stdout   drain
	stderr   drain
}

// all is the run from the job to the last frame.
func (r *run) all() error {
	root, err := os.OpenRoot(Workspace)
	if err != nil {
		return fmt.Errorf("open the workspace: %w", err)
	}
	defer root.Close()
	if err := r.receive(root); err != nil {
		return err
	}
	r.hungUp = r.watchHost()
	if err := r.observe(); err != nil {
		return err
	}
	if err := r.start(); err != nil {
		return err
	}
	begin := time.Now()
	exit, err := r.wait(begin)
	if err != nil {
		return err
	}
	if err := r.finish(&exit); err != nil {
		return err
	}
	if err := r.reportBehaviour(&exit); err != nil {
		return err
	}
	if err := r.out.message(wire.KindExit, exit); err != nil {
		return err
	}
	if err := r.handOut(root); err != nil {
		return err
	}
	return r.out.send(wire.KindDone, nil)
}

// start makes the launch stage become the program.
func (r *run) start() error {
	// The guard tells the supervisor's threads from the program's processes by
	// their ids: the launch stage has to be the youngest of all.
	newest, err := newestThread()
	if err != nil {
		return err
	}
	if newest > r.child.pid {
		r.child.discard()
		if r.child, err = prepare(); err != nil {
			return err
		}
		r.family = &children{first: r.child.pid}
	}
	r.stdout = drain{kind: wire.KindStdout, name: "standard output", from: r.child.stdout, keep: r.job.StreamBytes}
	r.stderr = drain{kind: wire.KindStderr, name: "standard error", from: r.child.stderr, keep: r.job.StreamBytes}
	if r.job.Observe != nil && len(r.job.Observe.Canaries) > 0 {
		r.stdout.canaries, r.stderr.canaries = r.seen.canaries, r.seen.canaries
		go r.seen.canaries()
	}
	o := orderFor(r.job, slices.Concat(r.seen.env, os.Environ()))
	o.Inputs = r.seen.inputs != nil && r.seen.inputs.notify != chanceOnly
	o.Chance = r.seen.inputs != nil
	if err := r.child.start(o, startWithin, r.watch); err != nil {
		return err
	}
	if err := r.out.send(wire.KindStarted, nil); err != nil {
		return err
	}
	r.streams.Go(func() { r.stdout.run(r.out) })
	r.streams.Go(func() { r.stderr.run(r.out) })
	go feed(r.child.stdin, r.stdin)
	return nil
}

// wait returns what ended the program: its first process and everything that it left
// behind, or a limit. A child that outlives the first process has the rest of the time.
func (r *run) wait(begin time.Time) (wire.Exit, error) {
	timeout := time.NewTimer(r.job.Timeout)
	defer timeout.Stop()
	reap := time.NewTicker(reapEvery)
	defer reap.Stop()
	idle := newIdleness(os.DirFS("/proc"), r.seen.news)
	sample := time.NewTicker(sampleEvery)
	defer sample.Stop()
	var look <-chan time.Time
	if r.evidence.watching() {
		t := time.NewTicker(watchEvery)
		defer t.Stop()
		look = t.C
	}
	asking := r.asker()
	patient := r.newPatience()
	defer patient.close()
	end := func(x wire.Exit) (wire.Exit, error) {
		x.Duration, x.Waited, x.Asked = time.Since(begin), idle.waited, asking.stop()
		x.Held = min(patient.starve.held(), x.Duration)
		// One that waited for others once and has no port or socket any more serves no one.
		x.Listening = x.Listening && (x.Asked == nil || x.Asked.Places > 0)
		if r.job.Ask != nil && x.Cause == wire.CauseTimeout {
			tell(os.DirFS("/proc"), r.family)
		}
		return x, nil
	}
	var first wire.Exit // how the first process ended; no cause before that
	var cause wire.Cause
	for {
		status, ok, err := r.family.exited()
		if err != nil {
			return wire.Exit{}, err
		}
		if ok && first.Cause == "" {
			first = exitOf(status)
		}
		if first.Cause != "" {
			if gone, err := r.family.gone(); err != nil {
				return wire.Exit{}, err
			} else if gone {
				return end(first)
			}
		}
		select {
		case <-timeout.C:
			if rest := remaining(r.job.Timeout, time.Since(begin), patient.starve.held()); rest > 0 {
				timeout.Reset(rest)
				continue
			}
			if first.Cause != "" {
				first.Left, first.More = left(os.DirFS("/proc"))
				return end(first)
			}
			cause = wire.CauseTimeout
		case <-r.seen.over:
			if first.Cause != "" {
				first.Left, first.More = left(os.DirFS("/proc"))
				return end(first)
			}
			return end(wire.Exit{Cause: wire.CauseTimeout, Idle: true, Listening: r.seen.listens()})
		case <-look:
			cause = r.evidence.over()
		case now := <-sample.C:
			idle.look(now)
			ran := time.Since(begin)
			patient.look(now, idle, ran)
			ran -= min(patient.starve.held(), ran)
			asking.turn(idle, r.seen.listens(), ran, r.job.Timeout)
			if asking.busy() || !r.job.Settle || first.Cause != "" || !canForward {
				continue
			}
			if idle.settled(ran, r.job.Timeout) || asking.asked != nil && idle.served(r.job.Timeout-ran) {
				return end(wire.Exit{Cause: wire.CauseTimeout, Idle: true, Listening: r.seen.listens()})
			}
		case <-r.hungUp:
			return wire.Exit{}, errHostGone
		case <-r.out.dead:
			return wire.Exit{}, errHostGone
		case err := <-r.seen.failed:
			return wire.Exit{}, err
		case <-r.ended:
		case <-r.traced:
		case <-reap.C:
		}
		if cause != "" {
			return end(wire.Exit{Cause: cause, Idle: idle.now(), Listening: r.seen.listens()})
		}
	}
}

func exitOf(status syscall.WaitStatus) wire.Exit {
	if status.Signaled() {
		return wire.Exit{Cause: wire.CauseExit, Signal: int(status.Signal())}
	}
	return wire.Exit{Cause: wire.CauseExit, Code: status.ExitStatus()}
}

// finish ends every process that is left and completes the report.
func (r *run) finish(x *wire.Exit) error {
	if err := killAll(r.family); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() { r.streams.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(drainWithin):
		return errors.New("the program's streams did not end with its processes")
	}
	r.seen.forwarded(x, r.job.Forward)
	r.evidence.fill(x)
	x.Stdout, x.Stderr = r.stdout.total.Load(), r.stderr.total.Load()
	return nil
}

// linger keeps the container until the host has read everything, so that the
// end of the container does not overtake the report.
func (r *run) linger() {
	if r.hungUp == nil {
		r.hungUp = r.watchHost()
	}
	select {
	case <-r.hungUp:
	case <-r.out.dead:
	case <-time.After(lingerFor):
	}
}
