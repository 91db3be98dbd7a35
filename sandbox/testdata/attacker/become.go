package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// become starts this program again with an environment of its own, in the way that the first
// argument names, and lets it show what it finds.
func become(args []string) {
	argv, env := []string{home, "become", "shown"}, args[1:]
	switch args[0] {
	case "shown": // a copy of it is known by this name
		fmt.Println("found", len(os.Getenv("HOOK")) > 0)
		fmt.Println(strings.Join(os.Environ(), "|"))
		return
	case "child":
		cmd := exec.Command(home, "become", "shown")
		cmd.Env, cmd.Stdout = append([]string{}, env...), os.Stdout
		fmt.Println(cmd.Run())
		return
	case "copy": // under another name, where nothing of the image is
		data, err := os.ReadFile(home)
		if err != nil {
			panic(err)
		}
		fd, err := unix.MemfdCreate("other", 0)
		if err == nil {
			_, err = syscall.Write(fd, data)
		}
		if err != nil {
			panic(err)
		}
		fmt.Println(syscall.Exec(fmt.Sprintf("/proc/self/fd/%d", fd), argv, env))
	case "crowded":
		for i := range 16000 {
			env = append(env, fmt.Sprintf("A%d=", i))
		}
	case "failing":
		for range 3 {
			fmt.Println(syscall.Exec("/not/there", argv, env))
		}
	}
	done := make(chan error)
	go func() { // on another thread than the first
		runtime.LockOSThread()
		done <- syscall.Exec(home, argv, env)
	}()
	fmt.Println(<-done)
}
