//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// together starts a command so that what it starts ends with it: a hook that hangs, too.
// The result ends what is left.
func together(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end = func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
	}
	cmd.Cancel = func() error { end(); return nil }
	return end
}
