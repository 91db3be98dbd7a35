package supervisor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The tracer of a run that is fast-forwarded. Waiting calls are made as they are, so
// that whatever else ends them does. When everything sleeps the clock goes to the first
// time that a caller waits for, and its call is interrupted and returns as the kernel
// has it return when its time is over.

const (
	forwardEvery = time.Millisecond // how often it looks
	// quietFor is how long nothing has happened before time is skipped: what the
	// supervisor itself does for a program (its network, its pipes) is no wait.
	quietFor        = 10 * time.Millisecond
	quietSoon       = 2 * time.Millisecond // after some skips in which nothing else happened
	quietNet        = 250 * time.Millisecond
	quietNetSoon    = 25 * time.Millisecond
	stuckFor        = 2 * time.Second // without anything to wait for in time: nothing will happen
	soonAfter       = 20              // skips
	maxPollRevents  = 4096            // descriptors
	pollEntry       = 8               // bytes of a struct pollfd
	pollReventsFrom = 6
)

// follower is the clock of a run with what the tracer needs for it.
type follower struct {
	*forward
	begin   time.Time
	online  func(time.Time) bool // the program may wait for the simulated internet
	proc    fs.FS
	waiters map[uint32]waiter
	clocks  map[uint32]bool
	others  []otherClock

	quiet time.Time // since when nothing has happened
	slept bool      // everything did, when it was looked at last
}

func newFollower(online func(time.Time) bool) *follower {
	f := &follower{forward: newForward(), begin: time.Now(), online: online, proc: os.DirFS("/proc"), waiters: map[uint32]waiter{}, clocks: map[uint32]bool{}, others: otherClocks()}
	for _, w := range waiters() {
		f.waiters[w.call] = w
	}
	for _, r := range append(clockCalls(), alarmCalls()...) {
		f.clocks[r.call] = true
	}
	for _, o := range f.others {
		f.clocks[o.call] = true
	}
	return f
}

func (f *follower) now() time.Duration { return f.at(time.Since(f.begin)) }

// clock is what a clock of the program's shows.
func (f *follower) clock(id uint64) time.Duration { return realClock(id) + f.skipped }

// takes reports whether a call is one of those that are singled out for it.
func (f *follower) takes(nr uint32) bool {
	_, waits := f.waiters[nr]
	return waits || f.clocks[nr]
}

// call handles one of them, with which a thread has stopped.
func (t *tracer) forwardCall(c call) error {
	f := t.follow
	f.left(c.pid)
	r := reading{call: c, memory: &t.watcher.memory, known: &t.watcher.known}
	if w, ok := f.waiters[c.nr]; ok {
		if long, ok := w.long(&r, f.clock); ok {
			f.waitsFor(c, f.now(), long)
		}
		return nil
	}
	for _, o := range f.others {
		if o.matches(&r) {
			f.missed = o.says
		}
	}
	var value int64
	var done bool
	switch c.nr {
	case unix.SYS_CLOCK_GETTIME:
		done = wallClock(c.args[0]) && t.putTime(c.pid, c.args[1], f.clock(c.args[0]), time.Nanosecond)
	case unix.SYS_GETTIMEOFDAY:
		done = c.args[0] != 0 && c.args[1] == 0 && t.putTime(c.pid, c.args[0], f.clock(unix.CLOCK_REALTIME), time.Microsecond)
	case unix.SYS_SETITIMER:
		every, _ := r.seconds(c.args[1], time.Microsecond)
		first, ok := r.seconds(c.args[1]+16, time.Microsecond)
		done = ok && !r.unreadable
		if done {
			before := t.setAlarm(c.pid, first, every)
			done = c.args[2] == 0 || t.putTime(c.pid, c.args[2], before.every, time.Microsecond) && t.putTime(c.pid, c.args[2]+16, before.due, time.Microsecond)
		}
	case unix.SYS_SYSINFO:
		done = t.putSysinfo(c)
	default:
		value, done = t.legacyForward(c)
	}
	if !done {
		return nil
	}
	return returnFrom(c.pid, value)
}

// setAlarm takes the place of the kernel's timer. It returns the one that was set before,
// with the time that is left of it.
func (t *tracer) setAlarm(thread int, first, every time.Duration) (before alarm) {
	f, process := t.follow, processOf(thread)
	if a, ok := f.alarms[process]; ok {
		before = alarm{due: max(a.due-f.now(), 0), every: a.every}
	}
	delete(f.alarms, process)
	if first > 0 {
		f.alarms[process] = alarm{due: f.now() + first, every: every}
	}
	return before
}

// putSysinfo answers sysinfo with the time that was skipped.
func (t *tracer) putSysinfo(c call) bool {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return false
	}
	info.Uptime += int64(t.follow.skipped / time.Second)
	raw, err := binary.Append(nil, binary.LittleEndian, info)
	if err != nil || t.watcher.memory.write(c.pid, c.args[0], raw) != nil {
		t.follow.missed = "its answers could not be changed"
		return false
	}
	return true
}

// processOf is the process of a thread; where nothing tells, they are the same.
func processOf(thread int) int {
	status, err := os.ReadFile(statusPath(thread))
	if err != nil {
		return thread
	}
	return threadGroup(status, thread)
}

func statusPath(pid int) string { return fmt.Sprintf("/proc/%d/status", pid) }

// threadGroup reads the field Tgid of proc_pid_status(5).
func threadGroup(status []byte, otherwise int) int {
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "Tgid:"); ok {
			if id, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
				return id
			}
		}
	}
	return otherwise
}

// putTime writes a struct timespec, or timeval, into a process.
func (t *tracer) putTime(pid int, at uint64, value, unit time.Duration) bool {
	raw := binary.LittleEndian.AppendUint64(nil, uint64(value/time.Second))
	raw = binary.LittleEndian.AppendUint64(raw, uint64(value%time.Second/unit))
	if err := t.watcher.memory.write(pid, at, raw); errors.Is(err, unix.ESRCH) {
		return false // it is gone, and sees no clock any more
	} else if err != nil {
		t.follow.missed = "its answers could not be changed: " + err.Error()
		return false
	}
	return true
}

// begins is for a process that has become another program.
func (t *tracer) begins(pid int) {
	t.watcher.hooks.restore(&t.watcher.memory, pid)
	if t.follow == nil {
		return
	}
	t.follow.left(pid)
	if err := withoutVDSO(&t.watcher.memory, pid); err != nil {
		t.follow.missed = "the page with which programs read the clock could not be hidden: " + err.Error()
	}
}

// stopped is for a thread that was interrupted: a wait whose time is over ends, and
// any other call goes on.
func (t *tracer) stopped(pid int) error {
	f := t.follow
	if f == nil {
		return nil
	}
	c, fails, ok := interrupted(pid)
	w, ending := f.ending[pid]
	f.left(pid)
	switch {
	case !ok:
		return nil
	case ending && w.call == c:
		t.clearResults(c)
		return returnFrom(pid, f.waiters[c.nr].ends)
	case fails:
		return again(pid)
	}
	return nil
}

// clearResults is what the kernel does when nothing came of a call: no descriptor is
// ready.
func (t *tracer) clearResults(c call) {
	m := &t.watcher.memory
	switch kind := resultsOf(c.nr); kind {
	case resultsSets:
		zero := make([]byte, min((c.args[0]+63)/64*8, 128))
		for _, at := range c.args[1:4] {
			if at != 0 && len(zero) > 0 {
				_ = m.write(c.pid, at, zero)
			}
		}
	case resultsPoll:
		if c.args[1] > maxPollRevents {
			return
		}
		buf := make([]byte, pollEntry*c.args[1])
		n := m.read(c.pid, c.args[0], buf)
		changed := false
		for i := pollReventsFrom; i+1 < n; i += pollEntry {
			changed = changed || buf[i] != 0 || buf[i+1] != 0
			buf[i], buf[i+1] = 0, 0
		}
		if changed {
			_ = m.write(c.pid, c.args[0], buf[:n])
		}
	}
}

type results int

const (
	resultsNone results = iota
	resultsSets         // of descriptors, as select has them
	resultsPoll         // in a list, as poll has them
)

// runForward follows the program to its end, or to where nothing more will happen.
func (t *tracer) runForward() error {
	t.follow.quiet = time.Now()
	for {
		for {
			var s unix.WaitStatus
			pid, err := unix.Wait4(-1, &s, unix.WALL|unix.WNOHANG, nil)
			if err == unix.EINTR {
				continue
			}
			if err != nil {
				return err
			}
			if pid == 0 {
				break
			}
			if err := t.happened(pid, s); err != nil {
				return err
			}
			t.follow.quiet, t.follow.slept = time.Now(), false
		}
		moved, err := t.advance()
		if err != nil {
			return err
		}
		if !moved {
			time.Sleep(forwardEvery)
		}
	}
}

// advance ends what is due, and moves the clock where everything waits. It reports whether it
// has moved it.
func (t *tracer) advance() (moved bool, err error) {
	f := t.follow
	now := f.now()
	for _, process := range f.ring(now) {
		_ = unix.Kill(process, unix.SIGALRM) // it may have ended
		f.quiet = time.Now()
	}
	for _, thread := range f.due(now) {
		if err := ignoreGone(request(unix.PTRACE_INTERRUPT, thread, 0)); err != nil {
			return false, err
		}
		f.quiet = time.Now()
	}
	quiet := time.Since(f.quiet)
	if f.over || len(f.ending) > 0 && quiet < stuckFor {
		return false, nil
	}
	if !f.alone() {
		if quiet < f.patience() {
			return false, nil
		}
		if !f.asleep() {
			f.slept = false
			return false, nil
		}
		if !f.slept { // and once more
			f.slept = true
			return false, nil
		}
	}
	if f.skip(now) {
		return true, nil
	}
	if quiet > stuckFor || f.skipped >= maxSkipped {
		f.over = true
		close(t.over)
	}
	return false, nil
}

// alone reports whether the program is one thread that sleeps in a call which ends by itself,
// some skips after its start. No one is there to wake it up, so it needs no patience.
func (f *follower) alone() bool {
	if len(f.waits) != 1 || f.skips <= soonAfter || f.online(time.Now()) {
		return false
	}
	all := processes(f.proc)
	if len(all) != 1 || all[0].state != 'S' {
		return false
	}
	if _, waits := f.waits[all[0].pid]; !waits {
		return false
	}
	threads, err := fs.ReadDir(f.proc, strconv.Itoa(all[0].pid)+"/task")
	return err == nil && len(threads) == 1
}

func (f *follower) patience() time.Duration {
	online := f.online(time.Now())
	switch {
	case online && f.skips > soonAfter:
		return quietNetSoon
	case online:
		return quietNet
	case f.skips > soonAfter:
		return quietSoon
	}
	return quietFor
}

// asleep reports whether no thread of the program does anything.
func (f *follower) asleep() bool {
	for _, p := range processes(f.proc) {
		if runs(p.state) || p.state == 't' {
			return false
		}
	}
	return true
}
