package supervisor

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/seccomp"
)

// evaluate runs a filter over a call, as the kernel would; only the instructions
// that assemble makes are known.
func evaluate(t *testing.T, prog []unix.SockFilter, arch, call uint32, args ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.LittleEndian.PutUint32(data[offCall:], call)
	binary.LittleEndian.PutUint32(data[offArch:], arch)
	for i, a := range args {
		binary.LittleEndian.PutUint64(data[offArgs+8*i:], a)
	}
	var acc uint32
	for pc := 0; pc < len(prog); pc++ {
		i := prog[pc]
		skip := func(yes bool) {
			if yes {
				pc += int(i.Jt)
			} else {
				pc += int(i.Jf)
			}
		}
		switch i.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = binary.LittleEndian.Uint32(data[i.K:])
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			skip(acc == i.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			skip(acc >= i.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			skip(acc&i.K != 0)
		case unix.BPF_RET | unix.BPF_K:
			return i.K
		default:
			t.Fatalf("instruction %d has code %#x", pc, i.Code)
		}
	}
	t.Fatal("the filter ends without an answer")
	return 0
}

func TestTheGuardKnowsTheSupervisorFromTheProgram(t *testing.T) {
	const first, arch = 20, auditArch
	prog := assemble(arch, modeEnforce, guardRules(first))
	deny := func(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }
	const allow, kill = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_KILL_PROCESS
	high := uint64(1) << 32
	minus := ^uint64(0) // -1
	tests := []struct {
		name string
		call uint32
		args []uint64
		want uint32
	}{
		{"read", unix.SYS_READ, nil, allow},
		{"kill process 1", unix.SYS_KILL, []uint64{1, 9}, deny(unix.EPERM)},
		{"kill process 1, with bits that the kernel ignores", unix.SYS_KILL, []uint64{high | 1, 9}, deny(unix.EPERM)},
		{"kill the supervisor's last thread", unix.SYS_KILL, []uint64{first - 1, 9}, deny(unix.EPERM)},
		{"kill itself", unix.SYS_KILL, []uint64{first, 9}, allow},
		{"kill a child", unix.SYS_KILL, []uint64{first + 100, 9}, allow},
		{"kill its group", unix.SYS_KILL, []uint64{0, 9}, allow},
		{"kill all that it may", unix.SYS_KILL, []uint64{minus, 9}, allow},
		{"kill a group", unix.SYS_KILL, []uint64{minus - 29, 9}, allow},
		{"tgkill process 1", unix.SYS_TGKILL, []uint64{1, 5, 9}, deny(unix.EPERM)},
		{"tkill a thread of process 1", unix.SYS_TKILL, []uint64{7, 9}, deny(unix.EPERM)},
		{"raise", unix.SYS_TGKILL, []uint64{first, first + 3, 6}, allow},
		{"pidfd_open 1", unix.SYS_PIDFD_OPEN, []uint64{1, 0}, deny(unix.EPERM)},
		{"pidfd_open of a child", unix.SYS_PIDFD_OPEN, []uint64{first + 1, 0}, allow},
		{"signal by pidfd", unix.SYS_PIDFD_SEND_SIGNAL, []uint64{3, 9, 0, 0}, allow},
		{"signal by pidfd with information", unix.SYS_PIDFD_SEND_SIGNAL, []uint64{3, 9, 0xc000_0000_0000, 0}, deny(unix.EPERM)},
		{"signal by pidfd with information at a low address", unix.SYS_PIDFD_SEND_SIGNAL, []uint64{3, 9, 0x1000, 0}, deny(unix.EPERM)},
		{"queue a signal", unix.SYS_RT_SIGQUEUEINFO, []uint64{first, 11}, deny(unix.EPERM)},
		{"choose the signal of file events", unix.SYS_FCNTL, []uint64{3, unix.F_SETSIG, 11}, deny(unix.EPERM)},
		{"another fcntl", unix.SYS_FCNTL, []uint64{3, unix.F_SETFL, 0}, allow},
		{"limits of process 1", unix.SYS_PRLIMIT64, []uint64{1, 0}, deny(unix.EPERM)},
		{"limits of itself", unix.SYS_PRLIMIT64, []uint64{0, 7}, allow},
		{"priority of process 1", unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PROCESS, 1, 19}, deny(unix.EPERM)},
		{"priority of the user", unix.SYS_SETPRIORITY, []uint64{unix.PRIO_USER, 0, 19}, deny(unix.EPERM)},
		{"priority of itself", unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PROCESS, 0, 19}, allow},
		{"a thread", unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND}, allow},
		{"a process", unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, allow},
		{"a user namespace", unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, deny(unix.EPERM)},
		{"a network namespace", unix.SYS_CLONE, []uint64{unix.CLONE_NEWNET}, deny(unix.EPERM)},
		{"clone3", unix.SYS_CLONE3, []uint64{1}, deny(unix.ENOSYS)},
		{"unshare", unix.SYS_UNSHARE, []uint64{0}, deny(unix.EPERM)},
		{"a local socket", unix.SYS_SOCKET, []uint64{unix.AF_UNIX, 1, 0}, allow},
		{"an IPv4 socket", unix.SYS_SOCKET, []uint64{unix.AF_INET, 1, 0}, allow},
		{"an IPv6 socket", unix.SYS_SOCKET, []uint64{unix.AF_INET6, 1, 0}, allow},
		{"a routing socket", unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, 3, unix.NETLINK_ROUTE}, allow},
		{"an audit socket", unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, 3, unix.NETLINK_AUDIT}, deny(unix.EPERM)},
		{"AF_VSOCK", unix.SYS_SOCKET, []uint64{unix.AF_VSOCK, 1, 0}, deny(unix.EPERM)},
		{"AF_ALG", unix.SYS_SOCKET, []uint64{unix.AF_ALG, 5, 0}, deny(unix.EPERM)},
		{"AF_VSOCK, with bits that the kernel ignores", unix.SYS_SOCKET, []uint64{high | unix.AF_VSOCK, 1, 0}, deny(unix.EPERM)},
		{"io_uring", unix.SYS_IO_URING_SETUP, nil, deny(unix.EPERM)},
		{"ptrace", unix.SYS_PTRACE, nil, deny(unix.EPERM)},
		{"an x32 call", x32Bit | unix.SYS_READ, nil, kill},
		{"a call beyond all numbers", 1<<32 - 1, nil, kill},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := evaluate(t, prog, arch, tt.call, tt.args...); got != tt.want {
				t.Errorf("got %#x, want %#x", got, tt.want)
			}
		})
	}
	if got := evaluate(t, prog, unix.AUDIT_ARCH_I386, unix.SYS_READ); got != kill {
		t.Errorf("a 32-bit call: %#x", got)
	}
}

func TestGuardRulesAllDenySomething(t *testing.T) {
	const first = 20
	rules := guardRules(first)
	for i, r := range rules {
		prog := assemble(auditArch, modeEnforce, []rule{r})
		// Arguments that satisfy each test of the rule.
		args := make([]uint64, 6)
		for _, tt := range r.tests {
			switch tt.op {
			case opEqual, opAny:
				args[tt.arg] = uint64(tt.a)
			case opNot:
				args[tt.arg] = 77 // no family, no class
			case opBetween:
				args[tt.arg] = uint64(tt.a)
			case opNonZero:
				args[tt.arg] = 1 << 40
			}
		}
		want := unix.SECCOMP_RET_ERRNO | uint32(r.errno)
		if got := evaluate(t, prog, auditArch, r.call, args...); got != want {
			t.Errorf("rule %d (%s): %#x, want %#x", i, fmt.Sprint(r), got, want)
		}
	}
	if n := len(assemble(auditArch, modeEnforce, rules)); n > 4096 { // BPF_MAXINSNS
		t.Errorf("%d instructions", n)
	}
}

// What the engine's profile leaves alone so that it can be recorded, this filter
// has to refuse, with and without a recorder.
func TestTheGuardRefusesWhatTheProfileLeavesToIt(t *testing.T) {
	numbers := map[string]uint32{
		"ptrace": unix.SYS_PTRACE, "process_vm_readv": unix.SYS_PROCESS_VM_READV, "process_vm_writev": unix.SYS_PROCESS_VM_WRITEV,
		"unshare": unix.SYS_UNSHARE, "setns": unix.SYS_SETNS, "mount": unix.SYS_MOUNT,
		"umount2": unix.SYS_UMOUNT2, "pivot_root": unix.SYS_PIVOT_ROOT, "chroot": unix.SYS_CHROOT, "fsopen": unix.SYS_FSOPEN,
		"open_tree": unix.SYS_OPEN_TREE, "move_mount": unix.SYS_MOVE_MOUNT, "init_module": unix.SYS_INIT_MODULE,
		"finit_module": unix.SYS_FINIT_MODULE, "delete_module": unix.SYS_DELETE_MODULE, "kexec_load": unix.SYS_KEXEC_LOAD,
		"reboot": unix.SYS_REBOOT, "swapon": unix.SYS_SWAPON, "swapoff": unix.SYS_SWAPOFF, "acct": unix.SYS_ACCT,
		"settimeofday": unix.SYS_SETTIMEOFDAY, "clock_settime": unix.SYS_CLOCK_SETTIME, "sethostname": unix.SYS_SETHOSTNAME,
		"setdomainname": unix.SYS_SETDOMAINNAME, "open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT,
	}
	for m, want := range map[mode]uint32{
		modeEnforce: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM), modeNotify: unix.SECCOMP_RET_USER_NOTIF, modeTrace: unix.SECCOMP_RET_TRACE,
	} {
		prog := filter(m, 20)
		w := newWatcher(20, newJournal(), newCaptures(), nil, nil)
		for _, name := range append(slices.Concat(seccomp.Recorded...), "unshare") {
			nr, ok := numbers[name]
			if !ok {
				t.Fatalf("%s: add its number to this test", name)
			}
			if got := evaluate(t, prog, auditArch, nr); got != want {
				t.Errorf("mode %#x: %s gives %#x, want %#x", m, name, got, want)
			}
			if v, e := w.look(call{nr: nr}); !v.skip || v.errno != unix.EPERM || !e.event.Refused {
				t.Errorf("%s: the supervisor answers %+v and records %+v", name, v, e.event)
			}
		}
	}
}

func TestGuardAsksOnlyAboutWatchedCalls(t *testing.T) {
	prog := filter(modeNotify, 20)
	for _, c := range []struct {
		name string
		call uint32
		args []uint64
		want uint32
	}{
		{"open", unix.SYS_OPENAT, nil, unix.SECCOMP_RET_USER_NOTIF},
		{"start a program", unix.SYS_EXECVE, nil, unix.SECCOMP_RET_USER_NOTIF},
		{"read", unix.SYS_READ, nil, unix.SECCOMP_RET_ALLOW},
		{"close", unix.SYS_CLOSE, nil, unix.SECCOMP_RET_ALLOW},
		{"send on a connection", unix.SYS_SENDTO, []uint64{3, 4096, 1, 0, 0, 0}, unix.SECCOMP_RET_ALLOW},
		{"send to an address", unix.SYS_SENDTO, []uint64{3, 4096, 1, 0, 4096, 16}, unix.SECCOMP_RET_USER_NOTIF},
		{"become unreadable", unix.SYS_PRCTL, []uint64{unix.PR_SET_DUMPABLE, 0}, unix.SECCOMP_RET_USER_NOTIF},
		{"become readable", unix.SYS_PRCTL, []uint64{unix.PR_SET_DUMPABLE, 1}, unix.SECCOMP_RET_ALLOW},
		{"name a thread", unix.SYS_PRCTL, []uint64{unix.PR_SET_NAME, 4096}, unix.SECCOMP_RET_ALLOW},
		{"stay who one is", unix.SYS_SETUID, []uint64{userID}, unix.SECCOMP_RET_ALLOW},
		{"become root", unix.SYS_SETUID, []uint64{0}, unix.SECCOMP_RET_USER_NOTIF},
	} {
		if got := evaluate(t, prog, auditArch, c.call, c.args...); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}
