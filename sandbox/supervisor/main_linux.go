package supervisor

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// errNotInContainer is the answer to a user who calls the hidden mode by hand.
var errNotInContainer = errors.New("this mode is for the first process of a sandbox container")

// Main is the hidden mode. Frames come from stdin and go to stdout; complaints
// of the last resort go to standard error. It returns the exit code.
func Main(stdin, stdout *os.File) int {
	// A supervisor that breaks must say so on a stream of its own and end, not
	// go on with half of its promises.
	debug.SetTraceback("single")
	err := errNotInContainer
	// Killing every other process is part of the work, so being process 1 of
	// a container is not a formality: anywhere else this would end the host.
	switch {
	case unix.Getpid() == 1:
		err = supervise(stdin, stdout)
	case unix.Getppid() == 1 && isSocket(orderFD):
		err = launch()
	case len(os.Args) == 2 && os.Args[1] == SelfTestMode:
		err = selfTest(stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gate supervisor:", err)
		return 2
	}
	return 0
}

func isSocket(fd int) bool {
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return err == nil && kind == unix.SOCK_STREAM
}
