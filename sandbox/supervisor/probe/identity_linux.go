package probe

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// identityProbes try to become another user.
func identityProbes(self Program) []Probe {
	m := &memory{}
	named := func(name string, try func() error) Probe { return Probe{Name: name, Category: Identity, Try: try} }
	out := []Probe{
		named("become root", func() error { return syscall.Setuid(0) }),
		named("become root for files", m.call(unix.SYS_SETRESUID, 1000, 0, 0)),
		named("join the group root", func() error { return syscall.Setgid(0) }),
		named("set groups", func() error { return syscall.Setgroups([]int{0}) }),
		named("a setuid program is root", func() error { return setuidPrograms(self) }),
		named("make a setuid program of one's own", func() error {
			if err := os.WriteFile("/tmp/own-setuid", nil, 0o644); err != nil {
				return err
			}
			if err := os.Chown("/tmp/own-setuid", 0, 0); err != nil {
				return err
			}
			return os.Chmod("/tmp/own-setuid", 0o755|fs.ModeSetuid)
		}),
		named("give a file away", func() error {
			if err := os.WriteFile("/tmp/own", nil, 0o644); err != nil {
				return err
			}
			return os.Chown("/tmp/own", 0, 0)
		}),
		named("any capability", anyCapability),
		named("new privileges", func() error {
			if v, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || v == 1 {
				return errors.Join(errors.New("ruled out"), err)
			}
			return nil
		}),
		named("no filter of system calls", func() error {
			if status("Seccomp") == "2" {
				return errors.New("there is one")
			}
			return nil
		}),
		named("a group beyond one's own", func() error {
			groups, err := os.Getgroups()
			for _, g := range groups {
				if g != 1000 {
					return nil
				}
			}
			return errors.Join(errors.New("none"), err)
		}),
	}
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"} {
		p := named("a capability in "+set, func() error {
			text := status(set)
			if n, err := strconv.ParseUint(text, 16, 64); err == nil && n == 0 {
				return errors.New("none")
			}
			return found(text)
		})
		if set == "CapAmb" {
			p.GVisor = "gVisor has no ambient capabilities, and no line about them"
		}
		out = append(out, p)
	}
	for name, n := range map[string]uintptr{"CAP_SYS_ADMIN": 21, "CAP_NET_RAW": 13, "CAP_SYS_PTRACE": 19, "CAP_DAC_READ_SEARCH": 2, "CAP_SYS_MODULE": 16} {
		out = append(out, named("keep "+name, m.call(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, n, 0, 0)))
	}
	return out
}

// status returns a line of /proc/self/status, "" where there is none.
func status(key string) string {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if k, v, _ := strings.Cut(line, ":"); k == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func anyCapability() error {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		k, v, _ := strings.Cut(line, ":")
		if strings.HasPrefix(k, "Cap") {
			if n, err := strconv.ParseUint(strings.TrimSpace(v), 16, 64); err != nil || n != 0 {
				return nil
			}
		}
	}
	return errors.New("none")
}

// setuidPrograms starts setuid programs of the image and looks whether the kernel
// makes one of them another user.
func setuidPrograms(self Program) error {
	last := errors.New("the image has none")
	for _, dir := range []string{filepath.Dir(self.Path), "/", "/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/lib/dbus-1.0", "/usr/lib/openssh"} {
		entries, _ := os.ReadDir(dir) // what is not there has none
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || info.Mode()&fs.ModeSetuid == 0 || !info.Mode().IsRegular() {
				continue
			}
			if err := becomes(filepath.Join(dir, e.Name())); err == nil {
				return nil
			} else {
				last = err
			}
		}
	}
	return last
}

// becomes starts a program and looks at who it is while it waits for its input.
func becomes(path string) error {
	cmd := program(path)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		return err
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/status")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if ids, ok := strings.CutPrefix(line, "Uid:"); ok {
			for id := range strings.FieldsSeq(ids) {
				if id != "1000" {
					return nil
				}
			}
		}
	}
	return errors.New("still uid 1000")
}
