package supervisor

import (
	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

const auditArch = unix.AUDIT_ARCH_X86_64

// callOpen is the call open, which newer architectures do not have.
const callOpen = unix.SYS_OPEN

// legacyWatches are the calls that newer architectures have only in their *at form.
func legacyWatches() []watch {
	return []watch{
		{unix.SYS_OPEN, nil, func(r *reading) wire.Event { return r.open(r.cwd(0), r.args[1]) }},
		{unix.SYS_CREAT, nil, func(r *reading) wire.Event { return event("write", r.cwd(0)) }},
		{unix.SYS_UNLINK, nil, func(r *reading) wire.Event { return event("delete", r.entry(0)) }},
		{unix.SYS_RMDIR, nil, func(r *reading) wire.Event { return event("delete", r.entry(0)) }},
		{unix.SYS_RENAME, nil, func(r *reading) wire.Event { return event("rename", r.entry(0), r.entry(1)) }},
		{unix.SYS_LINK, nil, func(r *reading) wire.Event { return event("link", r.entry(1), r.cwd(0)) }},
		{unix.SYS_SYMLINK, nil, func(r *reading) wire.Event { return event("link", r.entry(1), r.text(r.args[0])) }},
		{unix.SYS_CHMOD, nil, func(r *reading) wire.Event { return event("mode", r.cwd(0), octal(r.args[1])) }},
		{unix.SYS_CHOWN, nil, func(r *reading) wire.Event { return event("owner", r.cwd(0), owner(r.args[1], r.args[2])) }},
		{unix.SYS_LCHOWN, nil, func(r *reading) wire.Event { return event("owner", r.cwd(0), owner(r.args[1], r.args[2])) }},
		{unix.SYS_MKNOD, nil, func(r *reading) wire.Event { return event("device", r.cwd(0)) }},
	}
}

// callStatAt is the call that stat of a library makes.
const callStatAt = unix.SYS_NEWFSTATAT

// legacyInputWatches are those of [inputWatches] that newer architectures do not have.
func legacyInputWatches() []watch {
	stat := func(flags int) func(a [6]uint64) sizing {
		return func(a [6]uint64) sizing {
			return sizing{dir: unix.AT_FDCWD, path: a[0], out: a[1], flags: flags}
		}
	}
	everything := func(r *reading) wire.Event {
		r.inputs.everything("it made a call of the past")
		return wire.Event{}
	}
	return []watch{
		asksSize(unix.SYS_STAT, stat(0)), asksSize(unix.SYS_LSTAT, stat(unix.AT_SYMLINK_NOFOLLOW)),
		{unix.SYS_FORK, nil, begets}, {unix.SYS_VFORK, nil, begets},
		{unix.SYS_USELIB, nil, everything}, {unix.SYS_USTAT, nil, everything},
	}
}

// stoppedCall reads the call with which a tracee has stopped.
func stoppedCall(pid int) (call, error) {
	var r unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &r); err != nil {
		return call{}, err
	}
	return call{pid: pid, nr: uint32(r.Orig_rax), args: [6]uint64{r.Rdi, r.Rsi, r.Rdx, r.R10, r.R8, r.R9}}, nil
}

// skipCall makes the call not happen and return an error, or 0.
func skipCall(pid int, errno unix.Errno) error {
	var r unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &r); err != nil {
		return err
	}
	r.Orig_rax = ^uint64(0)
	r.Rax = -uint64(errno)
	return unix.PtraceSetRegs(pid, &r)
}

// stackOf is where the stack of a tracee begins.
func stackOf(pid int) (uint64, error) {
	var r unix.PtraceRegs
	err := unix.PtraceGetRegs(pid, &r)
	return r.Rsp, err
}

// setStack makes the stack of a tracee begin elsewhere.
func setStack(pid int, at uint64) error {
	var r unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &r); err != nil {
		return err
	}
	r.Rsp = at
	return unix.PtraceSetRegs(pid, &r)
}
