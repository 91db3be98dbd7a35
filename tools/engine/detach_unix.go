//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// detach makes cmd survive the terminal and the process group that it was
// started from.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// reload tells a daemon to read its configuration again.
func reload(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Signal(syscall.SIGHUP)
}
