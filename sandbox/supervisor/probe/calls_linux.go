package probe

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// callProbes make system calls that no ordinary program makes, by what they are
// for. Arguments are such that a call that is allowed does nothing.
func callProbes() []Probe {
	m := &memory{}
	named := func(name string, try func() error) Probe { return Probe{Name: name, Category: Calls, Try: try} }
	none := ^uintptr(0)
	return []Probe{
		// what is mounted
		named("mount", func() error { return syscall.Mount("none", "/tmp", "tmpfs", 0, "") }),
		named("remount root", func() error { return syscall.Mount("", "/", "", syscall.MS_REMOUNT, "") }),
		named("bind /proc elsewhere", func() error { return syscall.Mount("/proc", "/tmp", "", syscall.MS_BIND, "") }),
		named("umount", func() error { return syscall.Unmount("/workspace", syscall.MNT_DETACH) }),
		named("uncover /proc/kcore", func() error { return syscall.Unmount("/proc/kcore", syscall.MNT_DETACH) }),
		named("open_tree", m.call(unix.SYS_OPEN_TREE, 0, m.str("/"), 1)),
		named("move_mount", m.call(unix.SYS_MOVE_MOUNT, none, m.str("/"), none, m.str("/tmp"), 0)),
		named("fsopen", m.call(unix.SYS_FSOPEN, m.str("tmpfs"), 0)),
		named("fspick", m.call(unix.SYS_FSPICK, none, m.str("/"), 0)),
		named("fsmount", m.call(unix.SYS_FSMOUNT, none, 0, 0)),
		named("mount_setattr", m.call(unix.SYS_MOUNT_SETATTR, none, m.str("/"), 0, m.mem(32), 32)),
		named("chroot", func() error { return syscall.Chroot("/tmp") }),
		named("pivot_root", func() error { return syscall.PivotRoot("/tmp", "/tmp") }),
		named("quotactl", m.call(unix.SYS_QUOTACTL, 0x800001<<8, 0, 0, 0)),
		// interfaces of the kernel with a history of holes
		named("io_uring_setup", m.call(unix.SYS_IO_URING_SETUP, 1, m.mem(120))),
		named("bpf", m.call(unix.SYS_BPF, 0, m.mem(128), 128)),
		named("userfaultfd", m.call(unix.SYS_USERFAULTFD, 0)),
		named("perf_event_open", m.call(unix.SYS_PERF_EVENT_OPEN, m.mem(128), 0, none, none, 0)),
		named("keyctl", m.call(unix.SYS_KEYCTL, 0, ^uintptr(2), 0)),
		named("add_key", m.call(unix.SYS_ADD_KEY, m.str("user"), m.str("k"), m.str("v"), 1, ^uintptr(2))),
		named("request_key", m.call(unix.SYS_REQUEST_KEY, m.str("user"), m.str("k"), 0, 0)),
		named("fanotify_init", m.call(unix.SYS_FANOTIFY_INIT, 0, 0)),
		named("memfd_secret", m.call(unix.SYS_MEMFD_SECRET, 0)),
		named("open by handle", m.call(unix.SYS_OPEN_BY_HANDLE_AT, 0, m.mem(64), 0)),
		named("personality without randomness", m.call(unix.SYS_PERSONALITY, 0x0040000)),
		named("vmsplice of a gift", m.call(unix.SYS_VMSPLICE, none, m.mem(16), 1, 8)),
		named("move_pages of another process", m.call(unix.SYS_MOVE_PAGES, 1, 0, 0, 0, 0, 0)),
		named("migrate_pages", m.call(unix.SYS_MIGRATE_PAGES, 1, 0, 0, 0)),
		// code in the kernel
		named("init_module", m.call(unix.SYS_INIT_MODULE, m.mem(16), 16, m.str(""))),
		named("finit_module", m.call(unix.SYS_FINIT_MODULE, 0, m.str(""), 0)),
		named("delete_module", m.call(unix.SYS_DELETE_MODULE, m.str("no_such_module"), 0)),
		named("kexec_load", m.call(unix.SYS_KEXEC_LOAD, 0, 0, 0, 0)),
		// the machine as a whole
		named("reboot", m.call(unix.SYS_REBOOT, 0xfee1dead, 672274793, 0)), // CAD off: harmless if it worked
		named("set time", func() error { return syscall.Settimeofday(&syscall.Timeval{Sec: 1}) }),
		named("set a clock", m.call(unix.SYS_CLOCK_SETTIME, 0, m.mem(16))),
		named("set host name", func() error { return syscall.Sethostname([]byte("x")) }),
		named("set domain name", func() error { return syscall.Setdomainname([]byte("x")) }),
		named("kernel log", func() error { _, err := syscall.Klogctl(3, make([]byte, 64)); return err }),
		named("swapon", m.call(unix.SYS_SWAPON, m.str("/tmp/w"), 0)),
		named("swapoff", m.call(unix.SYS_SWAPOFF, m.str("/tmp/w"))),
		named("acct", m.call(unix.SYS_ACCT, 0)),
		named("vhangup", m.call(unix.SYS_VHANGUP)),
		named("syncfs of the root folder", m.call(unix.SYS_SYNCFS, none)),
		// other processes
		named("pidfd_getfd", m.call(unix.SYS_PIDFD_GETFD, none, 0, 0)),
		named("process_madvise", m.call(unix.SYS_PROCESS_MADVISE, none, 0, 0, 0, 0)),
	}
}
