package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
	"unsafe"
)

type probe struct {
	name string
	try  func() error
}

// probes runs the named probes, or all of them, and says what came of each.
func probes(names []string) {
	for _, p := range allProbes() {
		if len(names) == 0 || slices.Contains(names, p.name) {
			say(p.name, p.try())
		}
	}
}

// confinement runs the probes that are not about process 1.
func confinement([]string) {
	for _, p := range slices.Concat(fileProbes(), networkProbes(), identityProbes(), kernelProbes(), machineProbes(), ordinary()) {
		say(p.name, p.try())
	}
}

// connect tries to reach an address: network, address.
func connect(args []string) {
	for i := 0; i+1 < len(args); i += 2 {
		c, err := net.DialTimeout(args[i], args[i+1], time.Second)
		if err == nil {
			_, err = c.Write([]byte("hello from inside\n"))
			c.Close()
		}
		say(args[i]+" "+args[i+1], err)
	}
}

func allProbes() []probe {
	return slices.Concat(fileProbes(), networkProbes(), identityProbes(), kernelProbes(), machineProbes(), supervisorProbes(), ordinary())
}

func write(path string) func() error {
	return func() error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
		if err == nil {
			_, err = f.Write([]byte("1"))
			err = errors.Join(err, f.Close())
		}
		return err
	}
}

func read(path string) func() error {
	return func() error {
		f, err := os.Open(path)
		if err == nil {
			_, err = f.Read(make([]byte, 16))
			f.Close()
		}
		return err
	}
}

func call(nr uintptr, args ...uintptr) func() error {
	var a [6]uintptr
	copy(a[:], args)
	return func() error {
		_, _, errno := syscall.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
		if errno != 0 {
			return errno
		}
		return nil
	}
}

func str(s string) uintptr {
	b := append([]byte(s), 0)
	kept = append(kept, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

func mem(n int) uintptr {
	b := make([]byte, n)
	kept = append(kept, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

// kept holds what system calls point to.
var kept [][]byte

func socket(family, kind, proto int) func() error {
	return func() error {
		fd, err := syscall.Socket(family, kind, proto)
		if err == nil {
			syscall.Close(fd)
		}
		return err
	}
}

func fileProbes() []probe {
	var out []probe
	for _, p := range []string{
		"/etc/passwd", "/new", "/etc/cron.d/x", "/usr/bin/x", "/.gate/gate", "/.gate/new", "/attacker",
		"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger",
		"/proc/irq/default_smp_affinity", "/sys/kernel/uevent_helper", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
		"/sys/fs/cgroup/release_agent", "/dev/new", "/var/run/docker.sock", "/root/x", "/home/x",
	} {
		out = append(out, probe{"write " + p, write(p)})
	}
	for _, p := range []string{"/etc/shadow", "/proc/kcore", "/proc/kmsg", "/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/fuse", "/var/run/docker.sock"} {
		out = append(out, probe{"read " + p, read(p)})
	}
	return append(out,
		probe{"make and read a character device", device("/tmp/mem", syscall.S_IFCHR, 1<<8|1)},
		probe{"make and read a block device", device("/tmp/disk", syscall.S_IFBLK, 8<<8)},
		probe{"run from workspace", func() error { return runCopy("/workspace/copy", 0o755) }},
		probe{"run from tmp", func() error { return runCopy("/tmp/copy", 0o755) }},
		probe{"run from shm", func() error { return runCopy("/dev/shm/copy", 0o755) }},
		probe{"map as code from workspace", mapExec},
	)
}

// device makes a device node and reads from it; some kernels let anybody make one
// that leads nowhere.
func device(path string, kind uint32, number int) func() error {
	return func() error {
		if err := syscall.Mknod(path, kind|0o666, number); err != nil {
			return err
		}
		return read(path)()
	}
}

// runCopy copies this program and runs the copy.
func runCopy(path string, mode os.FileMode) error {
	self, err := os.ReadFile(home)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, self, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(path, mode); err != nil {
		return err
	}
	defer os.Remove(path)
	return exec.Command(path, "exit", "0").Run()
}

func mapExec() error {
	f, err := os.OpenFile("/workspace/code", os.O_RDWR|os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := f.Truncate(4096); err != nil {
		return err
	}
	_, err = syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_PRIVATE)
	return err
}

func networkProbes() []probe {
	dial := func(network, address string) func() error {
		return func() error {
			c, err := net.DialTimeout(network, address, time.Second)
			if err != nil {
				return err
			}
			defer c.Close()
			_, err = c.Write([]byte("x"))
			return err
		}
	}
	return []probe{
		{"connect tcp", dial("tcp", "192.0.2.1:80")},
		{"connect udp", dial("udp", "198.51.100.1:53")},
		{"connect tcp6", dial("tcp", "[2001:db8::1]:443")},
		{"connect metadata", dial("tcp", "169.254.169.254:80")},
		{"connect docker bridge", dial("tcp", "172.17.0.1:22")},
		{"resolve a name", func() error { _, err := net.LookupHost("example.com"); return err }},
		{"raw socket", socket(syscall.AF_INET, syscall.SOCK_RAW, syscall.IPPROTO_ICMP)},
		{"packet socket", socket(syscall.AF_PACKET, syscall.SOCK_RAW, 0)},
		{"vsock socket", socket(40, syscall.SOCK_STREAM, 0)},
		{"alg socket", socket(38, syscall.SOCK_SEQPACKET, 0)},
		{"audit netlink socket", socket(syscall.AF_NETLINK, syscall.SOCK_RAW, 9)},
		{"bluetooth socket", socket(31, syscall.SOCK_RAW, 0)},
		{"more than one interface", func() error {
			list, err := net.Interfaces()
			if err == nil && len(list) <= 1 {
				err = errors.New("only loopback")
			}
			return err
		}},
	}
}

func identityProbes() []probe {
	return []probe{
		{"become root", func() error { return syscall.Setuid(0) }},
		{"join the group root", func() error { return syscall.Setgid(0) }},
		{"set groups", func() error { return syscall.Setgroups([]int{0}) }},
		{"setuid copy is root", setuidCopy},
		{"give a file away", func() error {
			if err := os.WriteFile("/tmp/own", nil, 0o644); err != nil {
				return err
			}
			return os.Chown("/tmp/own", 0, 0)
		}},
		{"any capability", anyCapability},
	}
}

// setuidCopy succeeds only when a setuid program changes who it runs as. On a
// mount that allows running, so that it is not that which stops it.
func setuidCopy() error {
	info, err := os.Stat("/setuid-root")
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeSetuid == 0 {
		return errors.New("the image lost its setuid program: nothing was tried")
	}
	out, err := exec.Command("/setuid-root", "hello").Output()
	if err != nil {
		return err
	}
	if string(out) != "" && !containsLine(string(out), "uid 1000 1000 gid 1000") {
		return nil
	}
	return errors.New("still uid 1000")
}

// ordinary is what every program may do; a sandbox that breaks it is broken.
func ordinary() []probe {
	return []probe{
		{"ordinary: write to workspace", write("/workspace/w")},
		{"ordinary: write to tmp", write("/tmp/w")},
		{"ordinary: write to shm", write("/dev/shm/w")},
		{"ordinary: read an image file", read("/etc/passwd")},
		{"ordinary: read /dev/urandom", read("/dev/urandom")},
		{"ordinary: write /dev/null", write("/dev/null")},
		{"ordinary: start a child", func() error { return exec.Command(home, "exit", "0").Run() }},
		{"ordinary: signal a child", signalChild},
		{"ordinary: limits of oneself", func() error { var l syscall.Rlimit; return syscall.Getrlimit(7, &l) }},
		{"ordinary: make a fifo", func() error { return syscall.Mkfifo("/tmp/fifo", 0o600) }},
		{"ordinary: tcp over loopback", loopback},
		{"ordinary: unix socket", socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)},
		{"ordinary: routing netlink socket", socket(syscall.AF_NETLINK, syscall.SOCK_RAW, 0)},
		{"ordinary: read /proc/self/status", read("/proc/self/status")},
	}
}

func signalChild() error {
	cmd := exec.Command(home, "stayfor")
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Close()
		}
	}()
	c, err := net.DialTimeout("tcp", l.Addr().String(), time.Second)
	if err == nil {
		c.Close()
	}
	return err
}
