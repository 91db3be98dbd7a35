package supervisor

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// family is the processes of the program. Process 1 has to collect those that
// have ended, and it can be only one: process 1 itself, or the tracer.
type family interface {
	// exited says how the program's first process ended, once it has.
	exited() (syscall.WaitStatus, bool, error)
	// gone reports whether no process is left.
	gone() (bool, error)
}

// children is a family that no one traces. Processes whose parents are gone are
// children of process 1 too.
type children struct {
	first int
	hooks *hooks // which stop processes; nil where nothing does

	mu     sync.Mutex
	status syscall.WaitStatus
	ended  bool
}

// note takes how a process has ended.
func (c *children) note(pid int, status syscall.WaitStatus) {
	if pid != c.first {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status, c.ended = status, true
}

func (c *children) exited() (syscall.WaitStatus, bool, error) {
	empty, err := c.gone()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && empty && !c.ended {
		err = errors.New("the program's first process has vanished")
	}
	return c.status, c.ended, err
}

func (c *children) gone() (bool, error) {
	if c.hooks != nil {
		c.hooks.stopped.Lock()
		defer c.hooks.stopped.Unlock()
	}
	for {
		var s syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &s, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ECHILD):
			return true, nil
		case err != nil:
			return false, fmt.Errorf("wait for the program: %w", err)
		case pid == 0: // the others still run
			return false, nil
		default:
			c.note(pid, s)
		}
	}
}

// killAll ends every process but this one and waits until none is left. One
// kill reaches all of them at once, but not every kernel excludes a fork that is
// under way, so it is repeated until there is no child.
func killAll(f family) error {
	deadline := time.Now().Add(killWithin)
	for {
		if err := unix.Kill(-1, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("end the program's processes: %w", err)
		}
		if empty, err := f.gone(); err != nil || empty {
			return err
		}
		if time.Now().After(deadline) {
			return errors.New("processes of the program could not be ended")
		}
		time.Sleep(time.Millisecond)
	}
}
