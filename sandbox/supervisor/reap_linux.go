package supervisor

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// reap collects every child that has ended; processes whose parents are gone are
// children of process 1 too. ok says that the program's first process was one of
// them.
func (r *run) reap() (status syscall.WaitStatus, ok bool, err error) {
	for {
		var s syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &s, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ECHILD) && ok: // the first process was the last one
			return status, true, nil
		case errors.Is(err, syscall.ECHILD):
			return 0, false, errors.New("the program's first process has vanished")
		case err != nil:
			return 0, false, fmt.Errorf("wait for the program: %w", err)
		case pid == 0: // the others still run
			return status, ok, nil
		case pid == r.child.pid:
			status, ok = s, true
		}
	}
}

// killAll ends every process but this one and waits until none is left. One
// kill reaches all of them at once, but not every kernel excludes a fork that is
// under way, so it is repeated until there is no child.
func killAll() error {
	deadline := time.Now().Add(killWithin)
	for {
		if err := unix.Kill(-1, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("end the program's processes: %w", err)
		}
		for {
			pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
			if errors.Is(err, unix.ECHILD) {
				return nil
			}
			if err != nil && !errors.Is(err, unix.EINTR) {
				return fmt.Errorf("wait for the end of the program's processes: %w", err)
			}
			if pid == 0 {
				break
			}
		}
		if time.Now().After(deadline) {
			return errors.New("processes of the program could not be ended")
		}
		time.Sleep(time.Millisecond)
	}
}
