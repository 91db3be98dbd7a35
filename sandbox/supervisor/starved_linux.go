package supervisor

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// A limit of time is for what a program does and for what it waits for by itself. How long
// it stood in line for a processor that others had is no matter of the program, so its limit
// is longer by that, up to [wire.Stretch] times. At each look the program, or the supervisor
// on whose answer it waits, wants a processor or does not; over many looks that is the time
// in which it wanted one, and what it got the control group says. What is left is the time
// in line. Threads that wait for each other, or for the share that a container has,
// use all that there is for them meanwhile, so they gain nothing.

// starvation measures how long a program was kept from a processor by others.
type starvation struct {
	share float64              // of a processor that it may use, at most 1
	cpu   func() time.Duration // what it and the supervisor have used; 0 is not known
	own   fs.FS                // /proc/self/task

	at     time.Time // of the last look
	used   time.Duration
	wanted time.Duration // a processor, as far as it may have one
	got    time.Duration
}

// look is to be called now and then. wants says whether a thread of the program runs or
// could run.
func (s *starvation) look(now time.Time, wants bool) {
	used := s.cpu()
	if used <= 0 {
		return // no one tells, and no one is believed to starve
	}
	if !s.at.IsZero() {
		span := time.Duration(float64(now.Sub(s.at)) * s.share)
		if wants {
			s.wanted += span
		}
		s.got += min(used-s.used, span)
	}
	s.at, s.used = now, used
}

// held is how long others have kept it from a processor so far.
func (s *starvation) held() time.Duration { return max(s.wanted-s.got, 0) }

// answers reports whether a thread of the supervisor runs or could run, besides the one
// that looks. It must be called on a locked thread.
func (s *starvation) answers() bool {
	threads, err := fs.ReadDir(s.own, ".")
	if err != nil {
		return false
	}
	self := fmt.Sprint(unix.Gettid())
	for _, t := range threads {
		stat, err := fs.ReadFile(s.own, t.Name()+"/stat")
		if err != nil || t.Name() == self {
			continue
		}
		if state, _ := parseState(stat); state == 'R' {
			return true
		}
	}
	return false
}

// remaining is what is left of a limit after some time, of which others kept a program from
// a processor for a while. It is not more than 0 when the time is over.
func remaining(limit, ran, held time.Duration) time.Duration {
	return min(limit-(ran-held), wire.Stretch*limit-ran)
}

// patience is the time that a run has left, and how it changes while others keep the
// processor from it.
type patience struct {
	job    *wire.Job
	starve starvation
	file   *os.File // says so to tests; nil where no one asks
	ended  bool     // the tests were told that their time is over
}

// newPatience is for the job of this run.
func (r *run) newPatience() *patience {
	return &patience{job: &r.job, starve: starvation{share: min(r.job.Cores, 1), cpu: r.evidence.groupCPU, own: os.DirFS("/proc/self/task")}}
}

// look is to be called after each look of idle.
func (p *patience) look(now time.Time, idle *idleness, ran time.Duration) {
	runtime.LockOSThread()
	wants := idle.wants || p.starve.answers()
	runtime.UnlockOSThread()
	p.starve.look(now, wants)
	if p.job.Budget <= 0 {
		return
	}
	p.say()
	if !p.ended && remaining(p.job.Budget+endLater, ran, p.starve.held()) <= 0 {
		p.ended = true
		ring(idle.proc)
	}
}

// endLater is how much later than the tests themselves the command ends that is around them:
// what computes does not look at its clock.
const endLater = 2 * time.Second

// saidAtLeast is for how long a program was kept from a processor when its tests are told.
const saidAtLeast = 250 * time.Millisecond

// say writes down for tests, which end by a clock of their own, how long others have kept
// the processor from them.
func (p *patience) say() {
	held := p.starve.held()
	if held < saidAtLeast && p.file == nil {
		return
	}
	if p.file == nil {
		f, err := os.OpenFile(wire.HeldFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o644)
		if err != nil {
			return // the program has one of its own: its tests end earlier
		}
		p.file = f
	}
	_, _ = p.file.WriteAt(fmt.Appendf(nil, "%015d\n", held.Milliseconds()), 0)
}

// close lets go of the file.
func (p *patience) close() {
	if p.file != nil {
		p.file.Close()
	}
}

// timeoutCommand is timeout(1), as the kernel calls it.
const timeoutCommand = "timeout"

// ring makes the first timeout(1) of a program believe that its time is over: the one that
// is around all tests, whose own time is longer.
func ring(proc fs.FS) {
	first := 0
	for _, p := range processes(proc) {
		name, err := fs.ReadFile(proc, fmt.Sprintf("%d/comm", p.pid))
		if err == nil && string(name) == timeoutCommand+"\n" && (first == 0 || p.pid < first) {
			first = p.pid
		}
	}
	if first != 0 {
		_ = unix.Kill(first, unix.SIGALRM)
	}
}
