package supervisor

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The first recorder: seccomp user notification, seccomp_unotify(2). A watched
// call stops its thread until the supervisor has answered. Nothing else of the
// program is slowed down.

// recorderNotify is its name in a report.
const recorderNotify = "seccomp-notify"

// The structures of linux/seccomp.h.
type (
	notification struct {
		id    uint64
		pid   uint32
		flags uint32
		data  struct {
			nr   int32
			arch uint32
			ip   uint64
			args [6]uint64
		}
	}
	response struct {
		id    uint64
		value int64
		errno int32
		flags uint32
	}
)

// notifier answers the notifications of one listener.
type notifier struct {
	listener int
	watcher  *watcher
	// failed gets the error that ended it. While it is not heard the program waits.
	failed chan<- error

	in  notification
	out response
}

// run answers until the listener breaks. With the last process of the program it
// has nothing more to do; it ends with the supervisor.
func (n *notifier) run() {
	runtime.LockOSThread() // a thread of its own, which waits in the kernel
	// Answering on the same processor saves a wake-up on another one (Linux 6.6).
	// Older kernels do without.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(n.listener), unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	for {
		if err := n.one(); err != nil {
			n.failed <- fmt.Errorf("watch the program: %w", err)
			return
		}
	}
}

func (n *notifier) one() error {
	in := &n.in
	*in = notification{} // the kernel insists
	switch err := n.ioctl(unix.Syscall, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(in)); {
	case errors.Is(err, unix.EINTR), errors.Is(err, unix.ENOENT): // nothing, or its process has ended
		return nil
	case err != nil:
		return err
	}
	c := call{pid: int(in.pid), nr: uint32(in.data.nr), args: in.data.args}
	return n.watcher.answer(c, func(v verdict) (bool, error) {
		if h := n.watcher.hooks; h != nil && !v.skip && (c.nr == unix.SYS_EXECVE || c.nr == unix.SYS_EXECVEAT) {
			return h.through(&n.watcher.memory, c, func() (bool, error) { return n.send(v) })
		}
		return n.send(v)
	})
}

// send sends the verdict about the call, and reports whether that was still waited for.
func (n *notifier) send(v verdict) (made bool, err error) {
	n.out = response{id: n.in.id, errno: -int32(v.errno)}
	if !v.skip {
		n.out.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	// This one does not wait for anything, so the scheduler is not told.
	err = n.ioctl(unix.RawSyscall, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&n.out))
	if errors.Is(err, unix.ENOENT) { // it was ended meanwhile and has not made the call
		return false, nil
	}
	return true, err
}

// give puts a descriptor of ours into the process that is being answered, in place of
// one of its own.
func (n *notifier) give(from, to int) error {
	add := struct {
		id                          uint64
		flags, from, to, descriptor uint32
	}{id: n.in.id, flags: unix.SECCOMP_ADDFD_FLAG_SETFD, from: uint32(from), to: uint32(to)}
	return n.ioctl(unix.Syscall, unix.SECCOMP_IOCTL_NOTIF_ADDFD, unsafe.Pointer(&add))
}

type syscaller func(trap, a1, a2, a3 uintptr) (r1, r2 uintptr, err unix.Errno)

func (n *notifier) ioctl(call syscaller, request uintptr, arg unsafe.Pointer) error {
	if _, _, errno := call(unix.SYS_IOCTL, uintptr(n.listener), request, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}
