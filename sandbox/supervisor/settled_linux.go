package supervisor

import (
	"bytes"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A program that does nothing but wait need not have the rest of its time: what comes
// after its waits is seen by a run that skips them. This only says when that is so, and
// where it can't be said the program has all of its time.

const (
	// settledAfter is for how long nothing happens before it is asked whether anything will.
	settledAfter = 2 * time.Second
	// mostlyIdle is the share of a third of its time in which a program that only looks
	// now and then whether there is something to do does nothing.
	mostlyIdle = 0.8
	// maxSettledThreads bounds how many threads are looked at.
	maxSettledThreads = 4096
)

// settled reports whether a program that has run for so long will do nothing but wait
// until its time is up.
func (i *idleness) settled(ran, limit time.Duration) bool {
	if ran >= limit/3 && i.streak >= sampleEvery && i.waited.Seconds() >= mostlyIdle*ran.Seconds() {
		return true
	}
	return i.streak >= settledAfter && i.waiting(limit-ran, -1)
}

// waiting reports whether every thread of the program waits in a call that has no end
// before so long, or one within a short time.
func (i *idleness) waiting(rest, short time.Duration) bool {
	byCall := map[uint32]waiter{}
	for _, w := range waiters() {
		byCall[w.call] = w
	}
	threads, listed := 0, processes(i.proc)
	for _, p := range listed {
		pid := strconv.Itoa(p.pid)
		tasks, err := fs.ReadDir(i.proc, pid+"/task")
		if err != nil {
			return false
		}
		for _, t := range tasks {
			threads++
			text, err := fs.ReadFile(i.proc, pid+"/task/"+t.Name()+"/syscall")
			tid, convErr := strconv.Atoi(t.Name())
			if err != nil || convErr != nil || threads > maxSettledThreads {
				return false
			}
			c, ok := waitingCall(tid, text)
			if !ok {
				return false
			}
			w, timed := byCall[c.nr]
			switch {
			case hands(c.nr):
				return false // it waits for who reads, which may be us
			case !timed:
				continue // it waits for others
			}
			r := reading{call: c, memory: &i.memory}
			long, ends := w.long(&r, realClock)
			if r.unreadable || ends && long < rest && long > short {
				return false
			}
		}
	}
	// A program that started a process or worked while its calls were read is not settled:
	// a shell waits for a child that was not listed yet.
	return threads > 0 && slices.Equal(listed, processes(i.proc))
}

// hands reports whether a call hands on what the program has to say: it waits where what it
// writes to is full. The supervisor reads its output, on a busy machine late.
func hands(call uint32) bool {
	switch call {
	case unix.SYS_WRITE, unix.SYS_WRITEV, unix.SYS_PWRITE64, unix.SYS_SPLICE, unix.SYS_TEE, unix.SYS_VMSPLICE, unix.SYS_SENDFILE:
		return true
	}
	return false
}

// waitingCall reads the call in which a thread waits, as proc_pid_syscall(5) has it.
func waitingCall(tid int, text []byte) (call, bool) {
	f := bytes.Fields(text)
	if len(f) < 9 {
		return call{}, false // it runs, or waits outside of a call
	}
	nr, err := strconv.ParseUint(string(f[0]), 10, 32)
	if err != nil || nr == unix.SYS_RESTART_SYSCALL {
		return call{}, false // for how long is not known
	}
	c := call{pid: tid, nr: uint32(nr)}
	for i := range c.args {
		if c.args[i], err = strconv.ParseUint(strings.TrimPrefix(string(f[1+i]), "0x"), 16, 64); err != nil {
			return call{}, false
		}
	}
	return c, true
}
