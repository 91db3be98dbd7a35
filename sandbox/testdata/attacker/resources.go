package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

func number(args []string, i int) int {
	n, err := strconv.Atoi(args[i])
	if err != nil {
		panic(err)
	}
	return n
}

func exit(args []string) { os.Exit(number(args, 0)) }

func signalSelf(args []string) {
	_ = syscall.Kill(os.Getpid(), syscall.Signal(number(args, 0)))
	time.Sleep(10 * time.Second)
}

func echo([]string) {
	data, err := io.ReadAll(os.Stdin)
	fmt.Printf("%d %v %.20s\n", len(data), err, data)
}

func loop([]string) {
	for i := 0; ; i++ {
		_ = i
	}
}

// threads makes many threads in one process.
func threads([]string) {
	for range 500 {
		cmd := exec.Command(home, "stayfor")
		if err := cmd.Start(); err != nil {
			fmt.Println("refused", err)
			return
		}
	}
}

// forkBomb doubles itself for ever. It forks without starting a program, so that
// nothing but the number of processes stops it.
func forkBomb([]string) {
	for {
		syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	}
}

// memory takes and touches so many MiB.
func memory(args []string) {
	var held [][]byte
	for range number(args, 0) {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		held = append(held, block)
	}
	fmt.Println("got all", len(held))
	switch {
	case len(args) > 1 && args[1] == "hold":
		time.Sleep(5 * time.Second)
	case len(args) > 1: // until no one is left who could want it
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// manySmall takes the memory in many processes, each of them small, which hold it
// until the last one has its own or one of them has died.
func manySmall([]string) {
	hold, held, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	var children []*exec.Cmd
	for range 60 {
		cmd := exec.Command(home, "memory", "16", "until the end")
		cmd.Stdin = hold
		out, err := cmd.StdoutPipe()
		if err != nil || cmd.Start() != nil {
			continue
		}
		children = append(children, cmd)
		if n, _ := out.Read(make([]byte, 1)); n == 0 {
			break
		}
	}
	held.Close()
	for _, cmd := range children {
		fmt.Println(cmd.Wait())
	}
}

// disk fills a folder.
func disk(args []string) {
	f, err := os.Create(args[0] + "/full")
	if err != nil {
		fmt.Println("create", err)
		return
	}
	block := bytes.Repeat([]byte("x"), 1<<20)
	for n := 0; ; n++ {
		if _, err := f.Write(block); err != nil {
			fmt.Println("full after MiB", n, err)
			return
		}
		if n > 4096 {
			fmt.Println("never full")
			return
		}
	}
}

// inodes fills a folder with empty files.
func inodes(args []string) {
	for n := range 2_000_000 {
		f, err := os.Create(fmt.Sprintf("%s/f%d", args[0], n))
		if err != nil {
			fmt.Println("full after files", n, err)
			return
		}
		f.Close()
	}
	fmt.Println("never full")
}

// output writes so many MiB to standard output and as much to standard error.
func output(args []string) {
	block := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	for range number(args, 0) {
		os.Stdout.Write(block)
		os.Stderr.Write(block[:1])
	}
}

// quiet never reads, never writes and never ends.
func quiet([]string) {
	os.Stdin.Close()
	os.Stdout.Close()
	os.Stderr.Close()
	time.Sleep(time.Hour)
}

// daemon leaves a process behind that has left the session and closed everything,
// twice removed, and ends.
func daemon(args []string) {
	if len(args) > 0 && args[0] == "second" {
		if err := start("daemon", "third"); err != nil {
			fmt.Println("third", err)
		}
		return
	}
	if len(args) > 0 && args[0] == "third" {
		for n := 0; ; n++ {
			_ = os.WriteFile("/tmp/alive", []byte(strconv.Itoa(n)), 0o644)
			time.Sleep(10 * time.Millisecond)
		}
	}
	if err := start("daemon", "second"); err != nil {
		fmt.Println("second", err)
	}
	for range 6000 { // a minute, on a busy machine
		if _, err := os.Stat("/tmp/alive"); err == nil {
			fmt.Println("it lives")
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println("it never lived")
}

// later leaves a child behind that acts when the program has ended.
func later(args []string) {
	if len(args) > 1 {
		wait, err := time.ParseDuration(args[0])
		if err != nil {
			os.Exit(96)
		}
		time.Sleep(wait)
		_, _ = os.ReadFile("/etc/shadow")
		return
	}
	if err := start("later", args[0], "child"); err != nil {
		fmt.Println("child", err)
	}
}

// serve waits for others to connect.
func serve([]string) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = l.Accept()
}

func start(args ...string) error {
	cmd := exec.Command(home, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if args[1] == "second" {
		return cmd.Run()
	}
	return cmd.Start()
}

// closeAll closes every descriptor but those of the Go runtime's poller, without
// which the runtime ends the program, and goes on.
func closeAll([]string) {
	path := []byte("/workspace/after\x00")
	var fds []uintptr
	for fd := range uintptr(64) {
		link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err == nil && !strings.HasPrefix(link, "anon_inode:") {
			fds = append(fds, fd)
		}
	}
	for _, fd := range fds {
		syscall.RawSyscall(syscall.SYS_CLOSE, fd, 0, 0)
	}
	cwd := -100 // AT_FDCWD
	fd, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(cwd), uintptr(unsafe.Pointer(&path[0])), syscall.O_CREAT|syscall.O_WRONLY, 0o644, 0, 0)
	code := uintptr(7)
	if errno != 0 || fd != 0 {
		code = 8
	}
	syscall.RawSyscall(syscall.SYS_EXIT_GROUP, code, 0, 0)
}

// descriptors lists what it inherited.
func descriptors([]string) {
	entries, err := os.ReadDir("/proc/self/fd")
	fmt.Println("error", err)
	for _, e := range entries {
		link, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil {
			fmt.Println("fd", e.Name(), link)
		}
	}
}
