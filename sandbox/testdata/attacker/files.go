package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// specials leaves things behind that are no files, where files are asked for.
func specials([]string) {
	say("symlink to a secret", os.Symlink("/etc/shadow", "/workspace/link"))
	say("symlink to a device", os.Symlink("/dev/zero", "/workspace/zero"))
	say("symlink to a folder outside", os.Symlink("/proc", "/workspace/dirlink"))
	say("fifo", syscall.Mkfifo("/workspace/fifo", 0o644))
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: "/workspace/socket"})
	}
	say("socket", err)
	say("device", syscall.Mknod("/workspace/device", syscall.S_IFCHR|0o666, 1<<8|5))
	say("sparse", sparse())
	say("unreadable", os.WriteFile("/workspace/unreadable", []byte("x"), 0))
	say("folder", os.MkdirAll("/workspace/dir/sub", 0o755))
	say("fifo in folder", syscall.Mkfifo("/workspace/dir/sub/fifo", 0o644))
	say("good", os.WriteFile("/workspace/dir/sub/good", []byte("good"), 0o644))
	say("deep", deep())
	if err := os.Mkdir("/workspace/many", 0o755); err == nil {
		for n := range 1500 {
			if err := os.WriteFile(fmt.Sprintf("/workspace/many/%04d", n), nil, 0o644); err != nil {
				say("many", err)
				break
			}
		}
	}
}

// sparse is a file that claims to be huge and uses no memory.
func sparse() error {
	f, err := os.Create("/workspace/sparse")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(60 << 20)
}

func deep() error {
	if err := os.Mkdir("/workspace/deep", 0o755); err != nil {
		return err
	}
	if err := os.Chdir("/workspace/deep"); err != nil {
		return err
	}
	for range 500 {
		if err := os.Mkdir("d", 0o755); err != nil {
			return err
		}
		if err := os.Chdir("d"); err != nil {
			return err
		}
	}
	return os.WriteFile("leaf", nil, 0o644)
}

// produce writes files for the caller to bring back: name=content.
func produce(args []string) {
	for _, a := range args {
		name, content, _ := strings.Cut(a, "=")
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// memfdExec copies this program into memory that has no name and runs it there,
// which no mount option forbids.
func memfdExec([]string) {
	name := []byte("x\x00")
	fd, _, errno := syscall.Syscall(unix.SYS_MEMFD_CREATE, uintptr(unsafe.Pointer(&name[0])), 0, 0)
	if errno != 0 {
		fmt.Println("memfd", errno)
		return
	}
	self, err := os.ReadFile(home)
	if err == nil {
		_, err = syscall.Write(int(fd), self)
	}
	if err != nil {
		fmt.Println("fill", err)
		return
	}
	cmd := exec.Command(fmt.Sprintf("/proc/self/fd/%d", fd), "probes", "write /etc/passwd", "kill -9 1", "become root", "connect tcp")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	fmt.Println("ran", cmd.Run())
}
