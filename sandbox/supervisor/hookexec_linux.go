package supervisor

import (
	"errors"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Who is asked by notification is not told when a program begins, so the process is traced for
// as long as it becomes another program.

const (
	execPoll   = 50 * time.Microsecond // between two looks whether a program has begun
	execWithin = 20 * time.Second      // for a program to begin
)

// through lets a process that asks to become another program do so, and restores its hooks
// before that begins. send answers its call; it may be a call that fails. It is for a thread of
// its own, which is the tracer meanwhile.
func (h *hooks) through(m *memory, c call, send func() (made bool, err error)) (made bool, err error) {
	h.stopped.Lock()
	defer h.stopped.Unlock()
	group := processOf(c.pid)
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(c.pid), 0, unix.PTRACE_O_TRACEEXEC, 0, 0)
	lacking := ""
	if errno != 0 {
		lacking = h.lacks(m, c)
	}
	made, err = send()
	if errno != 0 {
		if made && lacking != "" && !errors.Is(errno, unix.ESRCH) {
			h.miss(lacking, "it cannot be stopped before it begins: "+errno.Error(), true)
		}
		return made, err
	}
	// Where the call fails nothing else would stop it. One that succeeds stops before that.
	_ = request(unix.PTRACE_INTERRUPT, c.pid, 0)
	for range int(execWithin / execPoll) {
		there := false
		for _, pid := range slices.Compact([]int{c.pid, group}) {
			var s unix.WaitStatus
			got, werr := unix.Wait4(pid, &s, unix.WALL|unix.WNOHANG, nil)
			if got != pid {
				there = there || werr == nil
				continue
			}
			if s.Exited() || s.Signaled() {
				if h.ended != nil {
					h.ended(pid, s)
				}
				there = there || pid != c.pid
				continue
			}
			signal := 0
			switch int(s) >> 16 {
			case unix.PTRACE_EVENT_EXEC:
				h.restore(m, pid)
			case 0: // a signal is on its way to it
				signal = int(s.StopSignal())
			}
			return made, errors.Join(err, ignoreGone(request(unix.PTRACE_DETACH, pid, signal)))
		}
		if !there { // it was ended meanwhile
			return made, err
		}
		_ = unix.Nanosleep(&unix.Timespec{Nsec: int64(execPoll)}, nil)
	}
	return made, errors.Join(err, errors.New("a program did not begin"))
}

// lacks returns the program that a call is about to begin, where that is one of a hook and the
// environment that the call has for it does not have the variable; "" for none.
func (h *hooks) lacks(m *memory, c call) string {
	r := reading{call: c, memory: m, known: &resolved{paths: map[string]string{}}}
	program, env := r.cwd(0), c.args[2]
	if c.nr == unix.SYS_EXECVEAT {
		program, env = r.executable(), c.args[3]
	}
	for _, hook := range h.all {
		if hook.Variable == "" || !concerns(hook, program, program) {
			continue
		}
		has := false
		for i := uint64(0); i < maxStart && !has; i++ {
			p := r.word(env + 8*i)
			if p == 0 {
				break
			}
			has = begins(m, c.pid, p, hook.Variable+"="+hook.Value)
		}
		if !has {
			return program
		}
	}
	return ""
}
