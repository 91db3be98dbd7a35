//go:build !unix

package browsertest

import "os/exec"

func own(*exec.Cmd) {}

func end(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
