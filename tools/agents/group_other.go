//go:build !unix

package main

import "os/exec"

// together is for systems with process groups.
func together(*exec.Cmd) (end func()) { return func() {} }
