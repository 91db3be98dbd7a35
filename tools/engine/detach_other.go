//go:build !unix

package main

import (
	"errors"
	"os/exec"
)

// Here no daemon is ever started: [machine.plan] sees no Debian.

func detach(*exec.Cmd) {}

func reload(int) error { return errors.New("no daemon is configured from here on this system") }
