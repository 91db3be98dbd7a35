package probe

import (
	"context"
	"net"
	"syscall"
)

// ordinary is what every program may do; a sandbox that breaks it is broken.
func ordinary(self Program) []Probe {
	named := func(name string, try func() error) Probe {
		return Probe{Name: "ordinary: " + name, Category: Ordinary, Try: try}
	}
	return []Probe{
		named("write to workspace", write("/workspace/w")),
		named("write to tmp", write("/tmp/w")),
		named("write to shm", write("/dev/shm/w")),
		named("read an image file", read("/etc/passwd")),
		named("read /dev/urandom", read("/dev/urandom")),
		named("write /dev/null", write("/dev/null")),
		named("start a child", func() error { return program(self.Path, self.Quit...).Run() }),
		named("signal a child", func() error { return signalChild(self) }),
		named("limits of oneself", func() error { var l syscall.Rlimit; return syscall.Getrlimit(7, &l) }),
		named("make a fifo", func() error { return syscall.Mkfifo("/tmp/fifo", 0o600) }),
		named("tcp over loopback", loopback),
		named("unix socket", socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)),
		named("routing netlink socket", socket(syscall.AF_NETLINK, syscall.SOCK_RAW, 0)),
		named("read /proc/self/status", read("/proc/self/status")),
	}
}

// signalChild ends a child; that the child had ended by itself is as good.
func signalChild(self Program) error {
	cmd := program(self.Path, self.Quit...)
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := cmd.Process.Kill(); err != nil {
		return err
	}
	_ = cmd.Wait()
	return nil
}

func loopback() error {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Close()
		}
	}()
	return dial("tcp", l.Addr().String())()
}
