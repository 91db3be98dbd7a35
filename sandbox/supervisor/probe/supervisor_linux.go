package probe

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func supervisorProbes() []Probe {
	m := &memory{}
	out := []Probe{
		{Name: "ptrace 1", Category: Supervisor, Try: func() error { return syscall.PtraceAttach(1) }},
		{Name: "ptrace seize 1", Category: Supervisor, Try: m.call(unix.SYS_PTRACE, 0x4206, 1, 0, 0)},
		{Name: "read memory of 1", Category: Supervisor, Try: read("/proc/1/mem")},
		{Name: "write memory of 1", Category: Supervisor, Try: write("/proc/1/mem")},
		{Name: "process_vm_readv 1", Category: Supervisor, Try: m.call(unix.SYS_PROCESS_VM_READV, 1, m.mem(16), 1, m.mem(16), 1, 0)},
		{Name: "process_vm_writev 1", Category: Supervisor, Try: m.call(unix.SYS_PROCESS_VM_WRITEV, 1, m.mem(16), 1, m.mem(16), 1, 0)},
		{Name: "read environment of 1", Category: Supervisor, Try: read("/proc/1/environ"),
			GVisor: "gVisor shows a user the environment of its own processes; that of process 1 is the image's, which the program has as well"},
		{Name: "read through the root of 1", Category: Supervisor, Try: read("/proc/1/root/etc/shadow")},
		{Name: "kcmp 1", Category: Supervisor, Try: m.call(unix.SYS_KCMP, 1, 1, 0, 0, 0)},
		{Name: "kill -9 1", Category: Supervisor, Try: func() error { return syscall.Kill(1, syscall.SIGKILL) }},
		{Name: "stop 1", Category: Supervisor, Try: func() error { return syscall.Kill(1, syscall.SIGSTOP) }},
		{Name: "term 1", Category: Supervisor, Try: func() error { return syscall.Kill(1, syscall.SIGTERM) }},
		{Name: "fault 1", Category: Supervisor, Try: func() error { return syscall.Kill(1, syscall.SIGSEGV) }},
		{Name: "tgkill 1", Category: Supervisor, Try: m.call(unix.SYS_TGKILL, 1, 1, 9)},
		{Name: "queue a fault to 1", Category: Supervisor, Try: func() error { return queueFault(m, 1) }},
		{Name: "pidfd of 1", Category: Supervisor, Try: m.call(unix.SYS_PIDFD_OPEN, 1, 0)},
		{Name: "queue a fault through /proc/1", Category: Supervisor, Try: func() error {
			fd, err := syscall.Open("/proc/1", syscall.O_RDONLY|syscall.O_DIRECTORY, 0)
			if err != nil {
				return err
			}
			info := fault()
			return m.call(unix.SYS_PIDFD_SEND_SIGNAL, uintptr(fd), uintptr(syscall.SIGSEGV), uintptr(unsafe.Pointer(&info[0])), 0)()
		}},
		{Name: "signal 1 by file events", Category: Supervisor, Try: func() error {
			var p [2]int
			if err := syscall.Pipe(p[:]); err != nil {
				return err
			}
			if err := m.call(unix.SYS_FCNTL, uintptr(p[0]), syscall.F_SETOWN, 1)(); err != nil {
				return err
			}
			return m.call(unix.SYS_FCNTL, uintptr(p[0]), unix.F_SETSIG, uintptr(syscall.SIGSEGV))()
		}},
		{Name: "limit processor time of 1", Category: Supervisor, Try: prlimit(m, 1, 0)},
		{Name: "limit descriptors of 1", Category: Supervisor, Try: prlimit(m, 1, 7)},
		{Name: "move 1 to a busy core", Category: Supervisor, Try: m.call(unix.SYS_SCHED_SETAFFINITY, 1, 8, m.mem(8))},
		{Name: "make 1 idle", Category: Supervisor, Try: m.call(unix.SYS_SCHED_SETSCHEDULER, 1, 5, m.mem(8))},
		{Name: "make 1 nice", Category: Supervisor, Try: func() error { return syscall.Setpriority(syscall.PRIO_PROCESS, 1, 19) }},
		{Name: "make the user nice", Category: Supervisor, Try: func() error { return syscall.Setpriority(syscall.PRIO_USER, 1000, 19) }},
		{Name: "write environment of 1", Category: Supervisor, Try: write("/proc/1/environ")},
		{Name: "prefer 1 when memory runs out", Category: Supervisor, Try: write("/proc/1/oom_score_adj")},
	}
	tasks, _ := os.ReadDir("/proc/1/task")
	for i, t := range tasks {
		id, _ := strconv.Atoi(t.Name())
		out = append(out,
			Probe{Name: fmt.Sprintf("kill -9 thread %d of 1", i), Category: Supervisor, Try: func() error { return syscall.Kill(id, syscall.SIGKILL) }},
			Probe{Name: fmt.Sprintf("tkill thread %d of 1", i), Category: Supervisor, Try: m.call(unix.SYS_TKILL, uintptr(id), 9)},
			Probe{Name: fmt.Sprintf("queue a fault to thread %d of 1", i), Category: Supervisor, Try: func() error { return queueFault(m, id) }},
			Probe{Name: fmt.Sprintf("limit processor time of thread %d of 1", i), Category: Supervisor, Try: prlimit(m, id, 0)},
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

func queueFault(m *memory, pid int) error {
	info := fault()
	return m.call(unix.SYS_RT_SIGQUEUEINFO, uintptr(pid), uintptr(syscall.SIGSEGV), uintptr(unsafe.Pointer(&info[0])))()
}

func prlimit(m *memory, pid, resource int) func() error {
	return m.call(unix.SYS_PRLIMIT64, uintptr(pid), uintptr(resource), m.mem(16), 0)
}
