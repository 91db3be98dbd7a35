package main

import (
	"fmt"
	"net"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"github.com/aigate/gate/sandbox/supervisor/probe"
)

// self is this program for the probes.
var self = probe.Program{Path: home, Quit: []string{"exit", "0"}}

// probes runs the named probes, or all of them, and says what came of each.
func probes(names []string) {
	for _, p := range probe.All(self) {
		if len(names) == 0 || slices.Contains(names, p.Name) {
			fmt.Print(p.Line(p.Try()))
		}
	}
}

// confinement runs the probes that are not about process 1.
func confinement([]string) {
	for _, p := range probe.Confinement(self) {
		fmt.Print(p.Line(p.Try()))
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
