package probe

import (
	"errors"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// namespaceProbes make namespaces, in which a user is root, and look for those of
// others.
func namespaceProbes() []Probe {
	m := &memory{}
	named := func(name string, try func() error) Probe { return Probe{Name: name, Category: Namespaces, Try: try} }
	out := []Probe{
		named("unshare user", m.call(unix.SYS_UNSHARE, syscall.CLONE_NEWUSER)),
		named("unshare net", m.call(unix.SYS_UNSHARE, syscall.CLONE_NEWNET)),
		named("unshare mount", m.call(unix.SYS_UNSHARE, syscall.CLONE_NEWNS)),
		named("unshare pid", m.call(unix.SYS_UNSHARE, syscall.CLONE_NEWPID)),
		named("unshare ipc", m.call(unix.SYS_UNSHARE, syscall.CLONE_NEWIPC)),
		named("unshare uts", m.call(unix.SYS_UNSHARE, syscall.CLONE_NEWUTS)),
		named("unshare cgroup", m.call(unix.SYS_UNSHARE, unix.CLONE_NEWCGROUP)),
		named("unshare time", m.call(unix.SYS_UNSHARE, unix.CLONE_NEWTIME)),
		named("clone user", cloneUser),
		named("clone3", m.call(unix.SYS_CLONE3, m.mem(88), 88)),
		named("setns", func() error {
			f, err := os.Open("/proc/1/ns/net")
			if err != nil {
				if f, err = os.Open("/proc/self/ns/net"); err != nil {
					return err
				}
			}
			defer f.Close()
			return m.call(unix.SYS_SETNS, f.Fd(), 0)()
		}),
		named("processes that are not of this container", func() error {
			// Process 1, what it started, and this program.
			entries, err := os.ReadDir("/proc")
			n := 0
			for _, e := range entries {
				if _, err := strconv.Atoi(e.Name()); err == nil {
					n++
				}
			}
			if err == nil && n <= 8 {
				err = errors.New("only " + strconv.Itoa(n))
			}
			return err
		}),
		named("a name that is the host's", func() error {
			if name, err := os.Hostname(); err != nil || name == "sandbox" {
				return errors.Join(errors.New("the sandbox's own"), err)
			}
			return nil
		}),
		named("shared memory of others", func() error {
			text, err := os.ReadFile("/proc/sysvipc/shm")
			if err != nil {
				return err
			}
			lines := 0
			for _, c := range text {
				if c == '\n' {
					lines++
				}
			}
			if lines <= 1 {
				return errors.New("none")
			}
			return nil
		}),
	}
	return out
}

func cloneUser() error {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, syscall.CLONE_NEWUSER|uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	_, err := syscall.Wait4(int(pid), nil, 0, nil)
	return err
}
