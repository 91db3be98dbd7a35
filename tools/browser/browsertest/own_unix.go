//go:build unix

package browsertest

import (
	"os/exec"
	"syscall"
)

// own gives the browser a group of its own: it starts many processes.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end ends the browser with all of its processes.
func end(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
