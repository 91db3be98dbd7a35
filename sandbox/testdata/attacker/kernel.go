package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func kernelProbes() []probe {
	return []probe{
		{"unshare user", call(unix.SYS_UNSHARE, syscall.CLONE_NEWUSER)},
		{"unshare net", call(unix.SYS_UNSHARE, syscall.CLONE_NEWNET)},
		{"unshare mount", call(unix.SYS_UNSHARE, syscall.CLONE_NEWNS)},
		{"unshare pid", call(unix.SYS_UNSHARE, syscall.CLONE_NEWPID)},
		{"clone user", cloneUser},
		{"clone3", call(unix.SYS_CLONE3, mem(88), 88)},
		{"setns", func() error {
			f, err := os.Open("/proc/1/ns/net")
			if err != nil {
				if f, err = os.Open("/proc/self/ns/net"); err != nil {
					return err
				}
			}
			defer f.Close()
			return call(unix.SYS_SETNS, f.Fd(), 0)()
		}},
		{"mount", func() error { return syscall.Mount("none", "/tmp", "tmpfs", 0, "") }},
		{"remount root", func() error { return syscall.Mount("", "/", "", syscall.MS_REMOUNT, "") }},
		{"umount", func() error { return syscall.Unmount("/workspace", syscall.MNT_DETACH) }},
		{"open_tree", call(unix.SYS_OPEN_TREE, 0, str("/"), 1)},
		{"fsopen", call(unix.SYS_FSOPEN, str("tmpfs"), 0)},
		{"chroot", func() error { return syscall.Chroot("/tmp") }},
		{"pivot_root", func() error { return syscall.PivotRoot("/tmp", "/tmp") }},
		{"io_uring_setup", call(unix.SYS_IO_URING_SETUP, 1, mem(120))},
		{"bpf", call(unix.SYS_BPF, 0, mem(128), 128)},
		{"userfaultfd", call(unix.SYS_USERFAULTFD, 0)},
		{"perf_event_open", call(unix.SYS_PERF_EVENT_OPEN, mem(128), 0, ^uintptr(0), ^uintptr(0), 0)},
		{"keyctl", call(unix.SYS_KEYCTL, 0, ^uintptr(2), 0)},
		{"add_key", call(unix.SYS_ADD_KEY, str("user"), str("k"), str("v"), 1, ^uintptr(2))},
		{"request_key", call(unix.SYS_REQUEST_KEY, str("user"), str("k"), 0, 0)},
		{"init_module", call(unix.SYS_INIT_MODULE, mem(16), 16, str(""))},
		{"finit_module", call(unix.SYS_FINIT_MODULE, 0, str(""), 0)},
		{"reboot", call(unix.SYS_REBOOT, 0xfee1dead, 672274793, 0)}, // CAD off: harmless if it worked
		{"set time", func() error { return syscall.Settimeofday(&syscall.Timeval{Sec: 1}) }},
		{"set host name", func() error { return syscall.Sethostname([]byte("x")) }},
		{"kernel log", func() error { _, err := syscall.Klogctl(3, make([]byte, 64)); return err }},
		{"swapon", call(unix.SYS_SWAPON, str("/tmp/w"), 0)},
		{"memfd_secret", call(unix.SYS_MEMFD_SECRET, 0)},
		{"open by handle", call(unix.SYS_OPEN_BY_HANDLE_AT, 0, mem(64), 0)},
	}
}

func cloneUser() error {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, syscall.CLONE_NEWUSER|uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	_, err := syscall.Wait4(int(pid), nil, 0, nil)
	return err
}

func anyCapability() error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		k, v, _ := strings.Cut(line, ":")
		if strings.HasPrefix(k, "Cap") {
			if n, err := strconv.ParseUint(strings.TrimSpace(v), 16, 64); err != nil || n != 0 {
				return nil
			}
		}
	}
	return errors.New("none")
}

func containsLine(text, line string) bool {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == line {
			return true
		}
	}
	return false
}

// supervisorProbes attack process 1.
func supervisorProbes() []probe {
	out := []probe{
		{"ptrace 1", func() error { return syscall.PtraceAttach(1) }},
		{"ptrace seize 1", call(unix.SYS_PTRACE, 0x4206, 1, 0, 0)},
		{"read memory of 1", read("/proc/1/mem")},
		{"write memory of 1", write("/proc/1/mem")},
		{"process_vm_readv 1", call(unix.SYS_PROCESS_VM_READV, 1, mem(16), 1, mem(16), 1, 0)},
		{"kcmp 1", call(unix.SYS_KCMP, 1, 1, 0, 0, 0)},
		{"kill -9 1", func() error { return syscall.Kill(1, syscall.SIGKILL) }},
		{"stop 1", func() error { return syscall.Kill(1, syscall.SIGSTOP) }},
		{"term 1", func() error { return syscall.Kill(1, syscall.SIGTERM) }},
		{"fault 1", func() error { return syscall.Kill(1, syscall.SIGSEGV) }},
		{"tgkill 1", call(unix.SYS_TGKILL, 1, 1, 9)},
		{"queue a fault to 1", func() error { return queueFault(1) }},
		{"pidfd of 1", call(unix.SYS_PIDFD_OPEN, 1, 0)},
		{"queue a fault through /proc/1", func() error {
			fd, err := syscall.Open("/proc/1", syscall.O_RDONLY|syscall.O_DIRECTORY, 0)
			if err != nil {
				return err
			}
			info := fault()
			return call(unix.SYS_PIDFD_SEND_SIGNAL, uintptr(fd), uintptr(syscall.SIGSEGV), uintptr(unsafe.Pointer(&info[0])), 0)()
		}},
		{"signal 1 by file events", func() error {
			var p [2]int
			if err := syscall.Pipe(p[:]); err != nil {
				return err
			}
			if err := call(unix.SYS_FCNTL, uintptr(p[0]), syscall.F_SETOWN, 1)(); err != nil {
				return err
			}
			return call(unix.SYS_FCNTL, uintptr(p[0]), unix.F_SETSIG, uintptr(syscall.SIGSEGV))()
		}},
		{"limit processor time of 1", prlimit(1, 0)},
		{"limit descriptors of 1", prlimit(1, 7)},
		{"move 1 to a busy core", call(unix.SYS_SCHED_SETAFFINITY, 1, 8, mem(8))},
		{"make 1 idle", call(unix.SYS_SCHED_SETSCHEDULER, 1, 5, mem(8))},
		{"make 1 nice", func() error { return syscall.Setpriority(syscall.PRIO_PROCESS, 1, 19) }},
		{"make the user nice", func() error { return syscall.Setpriority(syscall.PRIO_USER, 1000, 19) }},
		{"write environment of 1", write("/proc/1/environ")},
		{"prefer 1 when memory runs out", write("/proc/1/oom_score_adj")},
	}
	tasks, _ := os.ReadDir("/proc/1/task")
	for i, t := range tasks {
		id, _ := strconv.Atoi(t.Name())
		out = append(out,
			probe{fmt.Sprintf("kill -9 thread %d of 1", i), func() error { return syscall.Kill(id, syscall.SIGKILL) }},
			probe{fmt.Sprintf("tkill thread %d of 1", i), call(unix.SYS_TKILL, uintptr(id), 9)},
			probe{fmt.Sprintf("queue a fault to thread %d of 1", i), func() error { return queueFault(id) }},
			probe{fmt.Sprintf("limit processor time of thread %d of 1", i), prlimit(id, 0)},
		)
	}
	return out
}

// fault is a siginfo that says "queued by a process", with the number of a fault.
func fault() [128]byte {
	var info [128]byte
	*(*int32)(unsafe.Pointer(&info[0])) = int32(syscall.SIGSEGV)
	*(*int32)(unsafe.Pointer(&info[8])) = -1 // SI_QUEUE
	return info
}

func queueFault(pid int) error {
	info := fault()
	return call(unix.SYS_RT_SIGQUEUEINFO, uintptr(pid), uintptr(syscall.SIGSEGV), uintptr(unsafe.Pointer(&info[0])))()
}

func prlimit(pid, resource int) func() error {
	return call(unix.SYS_PRLIMIT64, uintptr(pid), uintptr(resource), mem(16), 0)
}
