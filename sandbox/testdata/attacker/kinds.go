package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

// kinds does one thing of every kind that a static program can do and a recorder
// has to see. Most of it fails, which is the point of the sandbox.
func kinds([]string) {
	const dir = "/tmp/k/"
	try := func(error) {}
	try(os.Mkdir("/tmp/k", 0o700))
	for range 3 {
		_, err := os.Open("/etc/shadow")
		try(err)
	}
	for _, name := range []string{"new", "old", "gone"} {
		try(os.WriteFile(dir+name, nil, 0o600))
	}
	_, err := os.ReadDir("/tmp/k")
	try(err)
	try(unix.Chmod(dir+"new", 0o4755))
	try(os.Chown(dir+"new", 0, 0))
	try(unix.Rename(dir+"old", dir+"moved"))
	try(unix.Unlink(dir + "gone"))
	try(os.Link(dir+"new", dir+"hard"))
	try(os.Symlink("/etc/passwd", dir+"soft"))
	_, err = os.ReadFile(dir + "soft")
	try(err)
	try(unix.Mkfifo(dir+"pipe", 0o600))
	try(exec.Command(home, "exit", "0").Run())
	try(exec.Command(home, "exit", "0").Run())

	dial := net.Dialer{Timeout: 5 * time.Second}
	_, err = dial.Dial("tcp", "203.0.113.77:8081")
	try(err)
	_, err = dial.Dial("unix", "/var/run/docker.sock")
	try(err)
	resolver := net.Resolver{PreferGo: true}
	_, err = resolver.LookupNetIP(context.Background(), "ip4", "kinds.example.com")
	try(err)
	if c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err == nil {
		for range 2 {
			_, err = c.WriteTo([]byte("beacon"), &net.UDPAddr{IP: net.IPv4(198, 51, 100, 9), Port: 9999})
			try(err)
		}
	}
	try(bindTo())

	_, err = unix.MemfdCreate("payload", 0)
	try(err)
	try(unix.Kill(1, unix.SIGKILL))
	for _, f := range []func() error{
		call(unix.SYS_SETUID, 0),
		call(unix.SYS_PTRACE, unix.PTRACE_ATTACH, 1),
		call(unix.SYS_UNSHARE, unix.CLONE_NEWNS),
		call(unix.SYS_MOUNT, str("none"), str("/tmp/k"), str("tmpfs")),
		call(unix.SYS_FINIT_MODULE, 0, str(""), 0),
		call(unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0),
	} {
		try(f())
	}
	try(os.WriteFile(dir+"after-hiding", nil, 0o600))
}
