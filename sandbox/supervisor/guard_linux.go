package supervisor

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The guard is a second system call filter that the launch stage puts on the
// program. The engine's profile is the first one, but not every runtime applies
// it (gVisor does not), and it cannot know which process ids are the
// supervisor's. A call must pass both. The engine's leaves some calls to this one
// alone, because what it refuses no one can record.

// A test looks at one argument of a call; a rule applies when all its tests hold.
type test struct {
	arg  uint32 // 0..5
	op   testOp
	a, b uint32
}

type testOp uint8

const (
	opEqual   testOp = iota // low half == a
	opNot                   // low half != a
	opAny                   // low half & a != 0
	opBetween               // a <= low half < b
	opNonZero               // either half is not zero: a pointer
)

type rule struct {
	call  uint32
	errno unix.Errno
	tests []test
}

// nsFlags are the flags of clone that make namespaces.
const nsFlags = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP

// guardRules returns what the program may not do. first is its own process id:
// process ids grow, so everything below belongs to the supervisor, and the
// kernel does not give out a small id twice.
func guardRules(first uint32) []rule {
	supervisor := func(arg uint32) test { return test{arg, opBetween, 1, first} }
	is := func(arg, value uint32) test { return test{arg, opEqual, value, 0} }
	not := func(arg, value uint32) test { return test{arg, opNot, value, 0} }
	never := []uint32{
		// A queued signal may claim to be a fault of the receiver, which a Go
		// program takes at its word.
		unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
		// Other processes' memory and descriptors.
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
		unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
		// A way around every observer of system calls.
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		// Large parts of the kernel that no program under test needs.
		unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_PERF_EVENT_OPEN,
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_MEMFD_SECRET, unix.SYS_SYSLOG,
		// What needs capabilities that no container has. Anyone who tries is recorded.
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_FSOPEN, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_OPEN_BY_HANDLE_AT,
	}
	rules := []rule{
		{unix.SYS_KILL, unix.EPERM, []test{supervisor(0)}},
		{unix.SYS_TKILL, unix.EPERM, []test{supervisor(0)}},
		{unix.SYS_TGKILL, unix.EPERM, []test{supervisor(0)}},
		{unix.SYS_PIDFD_OPEN, unix.EPERM, []test{supervisor(0)}},
		{unix.SYS_PIDFD_SEND_SIGNAL, unix.EPERM, []test{{2, opNonZero, 0, 0}}}, // as rt_sigqueueinfo
		{unix.SYS_FCNTL, unix.EPERM, []test{is(1, unix.F_SETSIG)}},             // any signal to any process of the user
		// Limits and priorities of the supervisor.
		{unix.SYS_PRLIMIT64, unix.EPERM, []test{supervisor(0)}},
		{unix.SYS_SCHED_SETAFFINITY, unix.EPERM, []test{supervisor(0)}},
		{unix.SYS_SCHED_SETSCHEDULER, unix.EPERM, []test{supervisor(0)}},
		{unix.SYS_SCHED_SETPARAM, unix.EPERM, []test{supervisor(0)}},
		{unix.SYS_SCHED_SETATTR, unix.EPERM, []test{supervisor(0)}},
		{unix.SYS_SETPRIORITY, unix.EPERM, []test{not(0, unix.PRIO_PROCESS)}},
		{unix.SYS_SETPRIORITY, unix.EPERM, []test{supervisor(1)}},
		{unix.SYS_IOPRIO_SET, unix.EPERM, []test{not(0, ioprioWhoProcess)}},
		{unix.SYS_IOPRIO_SET, unix.EPERM, []test{supervisor(1)}},
		// Namespaces. The flags of clone3 are behind a pointer, so it has to look
		// as if it did not exist; libraries then use clone.
		{unix.SYS_CLONE, unix.EPERM, []test{{0, opAny, nsFlags, 0}}},
		{unix.SYS_CLONE3, unix.ENOSYS, nil},
		// Sockets: local, IPv4, IPv6 and the routing part of netlink, which
		// runtimes ask for the interfaces. No AF_VSOCK, no AF_ALG, no drivers.
		{unix.SYS_SOCKET, unix.EPERM, []test{not(0, unix.AF_UNIX), not(0, unix.AF_INET), not(0, unix.AF_INET6), not(0, unix.AF_NETLINK)}},
		{unix.SYS_SOCKET, unix.EPERM, []test{is(0, unix.AF_NETLINK), not(2, unix.NETLINK_ROUTE)}},
	}
	for _, call := range never {
		rules = append(rules, rule{call, unix.EPERM, nil})
	}
	return rules
}

const ioprioWhoProcess = 1 // linux/ioprio.h

// Offsets in struct seccomp_data of linux/seccomp.h.
const (
	offCall = 0
	offArch = 4
	offArgs = 16
	x32Bit  = 0x40000000
)

// A mode says what happens to a call that a filter singles out.
type mode uint32

const (
	modeEnforce mode = unix.SECCOMP_RET_ERRNO      // refused calls fail, no other is singled out
	modeNotify  mode = unix.SECCOMP_RET_USER_NOTIF // the supervisor is asked, through a listener
	modeTrace   mode = unix.SECCOMP_RET_TRACE      // the supervisor is asked, as the tracer
)

// answer is the filter's verdict on a call that a rule refuses. When the
// supervisor is asked it refuses by the same rules, and without it the kernel
// does: neither an unanswered notification nor a missing tracer lets a call pass.
func (m mode) answer(errno unix.Errno) unix.SockFilter {
	if m == modeEnforce || errno != unix.EPERM {
		return ret(unix.SECCOMP_RET_ERRNO | uint32(errno))
	}
	return ret(uint32(m))
}

// filter is the whole filter of a program: what it may not do, and with a
// recorder what is watched.
func filter(m mode, first uint32, more ...rule) []unix.SockFilter {
	var rules []rule
	if m != modeEnforce {
		// First, because opening files is what programs do most; where a call is
		// refused as well, the answer is the same.
		for _, w := range watches() {
			rules = append(rules, rule{w.call, unix.EPERM, w.tests})
		}
	}
	return assemble(auditArch, m, append(append(rules, guardRules(first)...), more...))
}

// assemble turns rules into a filter program. Another architecture (32-bit calls
// on a 64-bit kernel) and the x32 calls end the process.
func assemble(arch uint32, m mode, rules []rule) []unix.SockFilter {
	kill := ret(unix.SECCOMP_RET_KILL_PROCESS)
	prog := []unix.SockFilter{
		load(offArch),
		jump(unix.BPF_JEQ, arch, 1, 0), kill,
		load(offCall),
		jump(unix.BPF_JGE, x32Bit, 0, 1), kill,
	}
	for _, r := range rules {
		// Each test that fails jumps behind the rule; the accumulator then holds
		// an argument and the number of the call has to be loaded again.
		var body []unix.SockFilter
		for _, t := range r.tests {
			body = append(body, t.assemble()...)
		}
		body = append(body, m.answer(r.errno))
		resolve(body)
		prog = append(prog, jump(unix.BPF_JEQ, r.call, 0, uint8(len(body))))
		prog = append(prog, body...)
		prog = append(prog, load(offCall))
	}
	return append(prog, ret(unix.SECCOMP_RET_ALLOW))
}

// miss marks a jump to the end of the rule until its distance is known.
const miss = 0xff

func (t test) assemble() []unix.SockFilter {
	low := offArgs + 8*t.arg // of a little-endian word, as on every architecture here
	switch t.op {
	case opEqual:
		return []unix.SockFilter{load(low), jump(unix.BPF_JEQ, t.a, 0, miss)}
	case opNot:
		return []unix.SockFilter{load(low), jump(unix.BPF_JEQ, t.a, miss, 0)}
	case opAny:
		return []unix.SockFilter{load(low), jump(unix.BPF_JSET, t.a, 0, miss)}
	case opBetween:
		return []unix.SockFilter{load(low), jump(unix.BPF_JGE, t.a, 0, miss), jump(unix.BPF_JGE, t.b, miss, 0)}
	case opNonZero:
		return []unix.SockFilter{load(low), jump(unix.BPF_JEQ, 0, 0, 2), load(low + 4), jump(unix.BPF_JEQ, 0, miss, 0)}
	}
	return []unix.SockFilter{ret(unix.SECCOMP_RET_KILL_PROCESS)} // a mistake in the table must not pass
}

// resolve replaces the marks in the body of a rule by the distance to its end.
func resolve(body []unix.SockFilter) {
	for i := range body {
		end := uint8(len(body) - i - 1)
		if body[i].Jt == miss {
			body[i].Jt = end
		}
		if body[i].Jf == miss {
			body[i].Jf = end
		}
	}
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func jump(op uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func ret(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k}
}

// guard puts the filter on this thread and what it becomes. In modeNotify it
// returns the descriptor of the listener. More are further calls that are singled out.
func guard(m mode, more ...rule) (listener int, err error) {
	if auditArch == 0 {
		return -1, errors.New("guard the program: no filter for this architecture")
	}
	prog := filter(m, uint32(unix.Getpid()), more...)
	p := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("guard the program: %w", err)
	}
	var flags uintptr
	if m == modeNotify {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	}
	fd, errno := install(flags, &p)
	if errno == unix.EINVAL && m == modeNotify {
		// Before Linux 5.19 a signal interrupts a call whose notification was
		// already read; it is then made, and counted, again.
		fd, errno = install(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, &p)
	}
	if errno != 0 {
		return -1, fmt.Errorf("guard the program: %w", errno)
	}
	return fd, nil
}

func install(flags uintptr, p *unix.SockFprog) (int, unix.Errno) {
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(p)))
	return int(fd), errno
}

// matches reports whether a rule applies to a call, as the filter decides it.
func (r rule) matches(nr uint32, args [6]uint64) bool {
	if r.call != nr {
		return false
	}
	for _, t := range r.tests {
		if !t.holds(args[t.arg]) {
			return false
		}
	}
	return true
}

func (t test) holds(arg uint64) bool {
	low := uint32(arg)
	switch t.op {
	case opEqual:
		return low == t.a
	case opNot:
		return low != t.a
	case opAny:
		return low&t.a != 0
	case opBetween:
		return t.a <= low && low < t.b
	case opNonZero:
		return arg != 0
	}
	return true // a mistake in the table must not pass
}
