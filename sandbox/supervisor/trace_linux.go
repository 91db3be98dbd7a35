package supervisor

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The second recorder: ptrace with SECCOMP_RET_TRACE, for kernels without user
// notification, which is what gVisor is. Only watched calls stop the program;
// tracing every call would make it twenty times slower.

// recorderTrace is its name in a report.
const recorderTrace = "ptrace"

// tracer follows all processes of the program. It is the only one that waits for
// children while it runs: a tracee's stops are reported where its end is.
type tracer struct {
	first   int // the program's first process
	watcher *watcher
	failed  chan<- error
	changed chan<- struct{} // the first process has ended, or the last one has
	follow  *follower       // nil where time passes as ever
	over    chan struct{}   // closed when nothing more will happen

	mu     sync.Mutex
	status syscall.WaitStatus // of the first process
	ended  bool               // the first process
	empty  bool               // no process is left
	err    error
}

// traceOptions make the children of a tracee tracees, and end all with the tracer.
const traceOptions = unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL

// run seizes the first process, says so, and follows it and its children to the
// end.
func (t *tracer) run(seized chan<- error) {
	runtime.LockOSThread() // a tracer is a thread
	if err := seize(t.first); err != nil {
		seized <- fmt.Errorf("trace the program: %w", err)
		return
	}
	seized <- nil
	if err := quietStops(); err != nil {
		t.failed <- fmt.Errorf("watch the program: %w", err)
		return
	}
	follow := t.runPlain
	if t.follow != nil {
		follow = t.runForward
	}
	err := follow()
	t.mu.Lock()
	t.empty = true
	if !errors.Is(err, unix.ECHILD) {
		t.err = fmt.Errorf("watch the program: %w", err)
	}
	err = t.err
	t.mu.Unlock()
	if err != nil {
		t.failed <- err
	}
	t.tell()
}

// runPlain follows the program to its end, which is an error as well.
func (t *tracer) runPlain() error {
	for {
		if err := t.one(); err != nil {
			return err
		}
	}
}

func seize(pid int) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(pid), 0, traceOptions, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// quietStops makes the kernel send no SIGCHLD for the stops of tracees. Handling
// one for each watched call would cost more than the call; ends are still told.
func quietStops() error {
	var action struct {
		handler  uintptr
		flags    uint64
		restorer uintptr
		mask     uint64
	}
	at := uintptr(unsafe.Pointer(&action))
	if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD), 0, at, 8, 0, 0); errno != 0 {
		return errno
	}
	action.flags |= saNoCldStop
	if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD), at, 0, 8, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

const saNoCldStop = 1 // SA_NOCLDSTOP of linux/signal.h

func (t *tracer) tell() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// one waits for one thing to happen and lets the process go on.
func (t *tracer) one() error {
	var s unix.WaitStatus
	pid, err := unix.Wait4(-1, &s, unix.WALL, nil)
	switch {
	case errors.Is(err, unix.EINTR):
		return nil
	case err != nil:
		return err
	}
	return t.happened(pid, s)
}

// happened lets a process go on to which something has happened.
func (t *tracer) happened(pid int, s unix.WaitStatus) (err error) {
	switch {
	case s.Exited() || s.Signaled():
		t.watcher.memory.forget(pid)
		if t.follow != nil {
			t.follow.ended(pid)
		}
		if pid == t.first {
			t.mu.Lock()
			t.status, t.ended = syscall.WaitStatus(s), true
			t.mu.Unlock()
			t.tell()
		}
		return nil
	case !s.Stopped():
		return nil
	}
	signal := int(s.StopSignal())
	switch int(s) >> 16 {
	case unix.PTRACE_EVENT_SECCOMP:
		err, signal = t.call(pid), 0
	case unix.PTRACE_EVENT_STOP:
		if s.StopSignal() != unix.SIGTRAP { // it was stopped, and is to stay so
			return ignoreGone(request(unix.PTRACE_LISTEN, pid, 0))
		}
		err, signal = t.stopped(pid), 0
	case unix.PTRACE_EVENT_EXEC: // it may have been another of its threads that asked
		t.watcher.memory.forgetAll()
		t.begins(pid)
		signal = 0
	case 0: // a signal is on its way to it
	default: // a new process
		signal = 0
	}
	if err == nil {
		err = request(unix.PTRACE_CONT, pid, signal)
	}
	return ignoreGone(err)
}

// call handles a watched call.
func (t *tracer) call(pid int) error {
	c, err := stoppedCall(pid)
	if err != nil {
		return err
	}
	if t.follow != nil {
		if t.follow.takes(c.nr) {
			return t.forwardCall(c)
		}
		t.follow.left(pid)
	}
	v, f := t.watcher.look(c)
	if v.skip {
		if err := skipCall(pid, v.errno); err != nil {
			return err
		}
	}
	if t.follow != nil && f.event.Object == uptimeFile {
		t.follow.missed = uptimeFile + " shows real time"
	}
	if f.unreadable {
		if _, err := stoppedCall(pid); err != nil {
			return err // it was killed in between
		}
	}
	t.watcher.record(f)
	return nil
}

// ignoreGone drops the error of a process that was ended while it was looked at.
func ignoreGone(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

func request(what uintptr, pid, signal int) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, what, uintptr(pid), 0, uintptr(signal), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// exited implements [family].
func (t *tracer) exited() (syscall.WaitStatus, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil && t.empty && !t.ended {
		return 0, false, errors.New("the program's first process has vanished")
	}
	return t.status, t.ended, t.err
}

// gone implements [family].
func (t *tracer) gone() (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.empty, t.err
}
