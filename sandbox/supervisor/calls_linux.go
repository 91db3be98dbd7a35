package supervisor

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// A watch is a system call that is recorded: those by which a program touches
// files, starts programs, reaches the network or reaches for rights. Reading and
// writing what is open already is not among them: that would slow down every
// program, and the opening said it.
type watch struct {
	call   uint32
	tests  []test // recorded only when all hold
	decode func(*reading) wire.Event
}

// watches is the table. The calls that refused ones are recorded as are in
// refusedAs.
func watches() []watch {
	is := func(arg, value uint32) test { return test{arg, opEqual, value, 0} }
	// A user id that is neither ours nor "leave as it is".
	other := func(arg uint32) []test { return []test{{arg, opNot, userID, 0}, {arg, opNot, 0xffffffff, 0}} }
	return append(legacyWatches(), []watch{
		{unix.SYS_OPENAT, nil, func(r *reading) wire.Event { return r.open(r.at(0, 1), r.args[2]) }},
		{unix.SYS_OPENAT2, nil, func(r *reading) wire.Event { return r.open(r.at(0, 1), r.word(r.args[2])) }},
		{unix.SYS_TRUNCATE, nil, func(r *reading) wire.Event { return event("write", r.cwd(0)) }},
		{unix.SYS_UNLINKAT, nil, func(r *reading) wire.Event { return event("delete", wholeHome(r, r.entryAt(0, 1))) }},
		{unix.SYS_RENAMEAT, nil, func(r *reading) wire.Event { return event("rename", r.entryAt(0, 1), r.entryAt(2, 3)) }},
		{unix.SYS_RENAMEAT2, nil, func(r *reading) wire.Event { return event("rename", r.entryAt(0, 1), r.entryAt(2, 3)) }},
		{unix.SYS_LINKAT, nil, func(r *reading) wire.Event { return event("link", r.entryAt(2, 3), r.at(0, 1)) }},
		{unix.SYS_SYMLINKAT, nil, func(r *reading) wire.Event { return event("link", r.entryAt(1, 2), r.text(r.args[0])) }},
		{unix.SYS_FCHMOD, nil, func(r *reading) wire.Event { return event("mode", r.descriptor(0), octal(r.args[1])) }},
		{unix.SYS_FCHMODAT, nil, func(r *reading) wire.Event { return event("mode", r.at(0, 1), octal(r.args[2])) }},
		{unix.SYS_FCHMODAT2, nil, func(r *reading) wire.Event { return event("mode", r.at(0, 1), octal(r.args[2])) }},
		{unix.SYS_FCHOWN, nil, func(r *reading) wire.Event { return event("owner", r.descriptor(0), owner(r.args[1], r.args[2])) }},
		{unix.SYS_FCHOWNAT, nil, func(r *reading) wire.Event { return event("owner", r.at(0, 1), owner(r.args[2], r.args[3])) }},
		{unix.SYS_MKNODAT, nil, func(r *reading) wire.Event { return event("device", r.at(0, 1)) }},

		{unix.SYS_EXECVE, nil, func(r *reading) wire.Event { return r.exec(r.cwd(0), r.args[1]) }},
		{unix.SYS_EXECVEAT, nil, func(r *reading) wire.Event { return r.exec(r.executable(), r.args[2]) }},
		{unix.SYS_MEMFD_CREATE, nil, func(r *reading) wire.Event { return event("memory", r.text(r.args[0])) }},

		{unix.SYS_CONNECT, nil, func(r *reading) wire.Event { return r.socket("connect", 1, r.args[2]) }},
		{unix.SYS_BIND, nil, func(r *reading) wire.Event { return r.socket("bind", 1, r.args[2]) }},
		{unix.SYS_LISTEN, nil, func(*reading) wire.Event { return wire.Event{} }}, // the watcher notes it
		{unix.SYS_SENDTO, []test{{4, opNonZero, 0, 0}}, func(r *reading) wire.Event { return r.socket("send", 4, r.args[5]) }},
		{unix.SYS_SENDMSG, nil, (*reading).message},
		{unix.SYS_SENDMMSG, nil, (*reading).message}, // the first of them

		{unix.SYS_KILL, nil, func(r *reading) wire.Event {
			return event("signal", strconv.Itoa(int(int32(r.args[0]))), strconv.Itoa(int(int32(r.args[1]))))
		}},
		// Not dumpable is not readable, for us: the answer says yes and nothing happens.
		{unix.SYS_PRCTL, []test{is(0, unix.PR_SET_DUMPABLE), is(1, 0)}, func(r *reading) wire.Event {
			r.pretend = true
			return event("hide", "prctl(PR_SET_DUMPABLE, 0)")
		}},
		{unix.SYS_SETUID, other(0), (*reading).identity},
		{unix.SYS_SETGID, other(0), (*reading).identity},
		{unix.SYS_SETREUID, other(1), (*reading).identity},
		{unix.SYS_SETREGID, other(1), (*reading).identity},
		{unix.SYS_SETRESUID, other(1), (*reading).identity},
		{unix.SYS_SETRESGID, other(1), (*reading).identity},
		{unix.SYS_SETFSUID, other(0), (*reading).identity},
		{unix.SYS_CAPSET, nil, (*reading).identity},
	}...)
}

// userID is who the program is; see the profile in package sandbox.
const userID = 1000

// refusedAs says how a refused call is recorded. What is not in it is "kernel".
func refusedAs() map[uint32]named {
	return map[uint32]named{
		unix.SYS_KILL: {"signal", "kill of the supervisor"}, unix.SYS_TKILL: {"signal", "tkill of the supervisor"},
		unix.SYS_TGKILL: {"signal", "tgkill of the supervisor"}, unix.SYS_RT_SIGQUEUEINFO: {"signal", "rt_sigqueueinfo"},
		unix.SYS_RT_TGSIGQUEUEINFO: {"signal", "rt_tgsigqueueinfo"}, unix.SYS_PIDFD_SEND_SIGNAL: {"signal", "pidfd_send_signal"},
		unix.SYS_PIDFD_OPEN: {"trace", "pidfd_open of the supervisor"}, unix.SYS_PIDFD_GETFD: {"trace", "pidfd_getfd"},
		unix.SYS_PTRACE: {"trace", "ptrace"}, unix.SYS_PROCESS_VM_READV: {"trace", "process_vm_readv"},
		unix.SYS_PROCESS_VM_WRITEV: {"trace", "process_vm_writev"}, unix.SYS_PROCESS_MADVISE: {"trace", "process_madvise"},
		unix.SYS_KCMP: {"trace", "kcmp"}, unix.SYS_PRLIMIT64: {"trace", "prlimit of the supervisor"},
		unix.SYS_UNSHARE: {"namespace", "unshare"}, unix.SYS_SETNS: {"namespace", "setns"}, unix.SYS_CLONE: {"namespace", "clone"},
		unix.SYS_IO_URING_SETUP: {"hide", "io_uring_setup"}, unix.SYS_IO_URING_ENTER: {"hide", "io_uring_enter"},
		unix.SYS_IO_URING_REGISTER: {"hide", "io_uring_register"}, unix.SYS_MEMFD_SECRET: {"hide", "memfd_secret"},
		unix.SYS_MOUNT: {"mount", "mount"}, unix.SYS_UMOUNT2: {"mount", "umount"}, unix.SYS_PIVOT_ROOT: {"mount", "pivot_root"},
		unix.SYS_CHROOT: {"mount", "chroot"}, unix.SYS_FSOPEN: {"mount", "fsopen"}, unix.SYS_OPEN_TREE: {"mount", "open_tree"},
		unix.SYS_MOVE_MOUNT:  {"mount", "move_mount"},
		unix.SYS_INIT_MODULE: {"module", "init_module"}, unix.SYS_FINIT_MODULE: {"module", "finit_module"},
		unix.SYS_DELETE_MODULE: {"module", "delete_module"}, unix.SYS_KEXEC_LOAD: {"module", "kexec_load"},
		unix.SYS_BPF: {"kernel", "bpf"}, unix.SYS_PERF_EVENT_OPEN: {"kernel", "perf_event_open"}, unix.SYS_USERFAULTFD: {"kernel", "userfaultfd"},
		unix.SYS_KEYCTL: {"kernel", "keyctl"}, unix.SYS_ADD_KEY: {"kernel", "add_key"}, unix.SYS_REQUEST_KEY: {"kernel", "request_key"},
		unix.SYS_SYSLOG: {"kernel", "syslog"}, unix.SYS_SOCKET: {"kernel", "socket of an unusual family"},
		unix.SYS_OPEN_BY_HANDLE_AT: {"kernel", "open_by_handle_at"}, unix.SYS_REBOOT: {"kernel", "reboot"},
		unix.SYS_SWAPON: {"kernel", "swapon"}, unix.SYS_SWAPOFF: {"kernel", "swapoff"}, unix.SYS_ACCT: {"kernel", "acct"},
		unix.SYS_SETTIMEOFDAY: {"kernel", "settimeofday"}, unix.SYS_CLOCK_SETTIME: {"kernel", "clock_settime"},
		unix.SYS_SETHOSTNAME: {"kernel", "sethostname"}, unix.SYS_SETDOMAINNAME: {"kernel", "setdomainname"},
		unix.SYS_FCNTL: {"kernel", "fcntl(F_SETSIG)"},
	}
}

type named struct{ action, object string }

func event(action, object string, args ...string) wire.Event {
	return wire.Event{Action: action, Object: object, Args: args}
}

func octal(mode uint64) string     { return strconv.FormatUint(mode&0o7777, 8) }
func owner(uid, gid uint64) string { return fmt.Sprintf("%d:%d", int32(uid), int32(gid)) }

// open tells reading from writing by the flags.
func (r *reading) open(name string, flags uint64) wire.Event {
	switch {
	case flags&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC) != 0:
		return event("write", name)
	case flags&unix.O_DIRECTORY != 0:
		return event("list", name)
	}
	return event("read", name)
}

const (
	maxArguments = 64  // of a command that are kept
	maxArgument  = 512 // bytes of each
)

// exec is a command with its arguments. The program's own memory says what they
// are, so it may change them until the kernel looks; what then runs is recorded
// by its own calls.
func (r *reading) exec(name string, argv uint64) wire.Event {
	e := event("exec", name)
	var at [maxArguments]uint64
	for i := range at {
		if at[i] = r.word(argv + 8*uint64(i)); at[i] == 0 {
			break
		}
		e.Args = append(e.Args, clip(r.text(at[i]), maxArgument))
	}
	if i, file := inlined(name, e.Args); i > 0 {
		r.inline = inlineCode{file: file, text: r.long(at[i])}
	}
	if r.runs == "" {
		r.runs = name
	}
	return e
}

// executable is the file of an execveat: a path, or with an empty one the
// descriptor itself.
func (r *reading) executable() string {
	if r.args[4]&unix.AT_EMPTY_PATH != 0 && r.text(r.args[1]) == "" {
		r.runs = fmt.Sprintf("/proc/%d/fd/%d", r.pid, int32(r.args[0]))
		return r.link("fd/" + strconv.Itoa(int(int32(r.args[0]))))
	}
	return r.at(0, 1)
}

func (r *reading) identity() wire.Event {
	names := map[uint32]string{
		unix.SYS_SETUID: "setuid", unix.SYS_SETGID: "setgid", unix.SYS_SETREUID: "setreuid", unix.SYS_SETREGID: "setregid",
		unix.SYS_SETRESUID: "setresuid", unix.SYS_SETRESGID: "setresgid", unix.SYS_SETFSUID: "setfsuid", unix.SYS_CAPSET: "capset",
	}
	if r.nr == unix.SYS_CAPSET {
		return event("privilege", "capset")
	}
	return event("privilege", fmt.Sprintf("%s %d", names[r.nr], int32(r.args[0])))
}

// socket is a call with a socket address in one of its arguments.
func (r *reading) socket(action string, arg int, size uint64) wire.Event {
	raw := r.bytes(r.args[arg], int(min(size, unix.SizeofSockaddrUnix)))
	addr, name := address(raw)
	if addr.IsValid() {
		r.peer = peer{addr: addr, at: r.args[arg], raw: raw}
	}
	return event(action, name)
}

// message is a sendmsg that names its peer; without one the connection said it.
func (r *reading) message() wire.Event {
	at, size := r.word(r.args[1]), r.word(r.args[1]+8)&0xffffffff // struct msghdr
	if at == 0 {
		return wire.Event{}
	}
	raw := r.bytes(at, int(min(size, unix.SizeofSockaddrUnix)))
	addr, name := address(raw)
	if addr.IsValid() {
		r.peer = peer{addr: addr, at: at, raw: raw}
	}
	return event("send", name)
}

// address reads a struct sockaddr.
func address(raw []byte) (netip.AddrPort, string) {
	if len(raw) < 2 {
		return netip.AddrPort{}, "an address that could not be read"
	}
	switch family := binary.LittleEndian.Uint16(raw); {
	case family == unix.AF_INET && len(raw) >= 8:
		a := netip.AddrPortFrom(netip.AddrFrom4([4]byte(raw[4:8])), binary.BigEndian.Uint16(raw[2:]))
		return a, a.String()
	case family == unix.AF_INET6 && len(raw) >= 24:
		a := netip.AddrPortFrom(netip.AddrFrom16([16]byte(raw[8:24])).Unmap(), binary.BigEndian.Uint16(raw[2:]))
		return a, a.String()
	case family == unix.AF_UNIX:
		name := string(raw[2:])
		if strings.HasPrefix(name, "\x00") { // of the abstract kind
			name = "@" + strings.TrimRight(name[1:], "\x00")
		} else if i := strings.IndexByte(name, 0); i >= 0 {
			name = name[:i]
		}
		return netip.AddrPort{}, "unix:" + name
	case family == unix.AF_UNSPEC:
		return netip.AddrPort{}, "none" // dissolves the connection of a datagram socket
	default:
		return netip.AddrPort{}, fmt.Sprintf("an address of family %d", family)
	}
}

// clean joins a path to the folder that it is relative to.
func clean(dir, name string) string {
	if !path.IsAbs(name) {
		name = dir + "/" + name
	}
	return path.Clean(name)
}

// wholeHome is the path of something that is deleted, with a / behind it where a library that removes
// a folder with all that is in it begins with the home folder: it asks the folder around it, and gives
// up, because that one cannot be written here. Who prunes empty folders does not ask like this.
func wholeHome(r *reading, entry string) string {
	const home = "/tmp"
	if entry == home && int32(r.args[0]) != unix.AT_FDCWD && r.args[2] == 0 {
		return home + "/"
	}
	return entry
}
