package main

import (
	"fmt"
	"syscall"
)

// int80 makes a system call the 32-bit way, which a filter that looks at numbers
// only takes for another one.
func int80() int

// x32 makes a system call by its x32 number.
func x32() {
	const x32Bit = 0x40000000
	pid, _, errno := syscall.RawSyscall(x32Bit|syscall.SYS_GETPID, 0, 0, 0)
	fmt.Println("x32 returned", int(pid), errno)
}
