package main

import "github.com/aigate/gate/gate/exit"

// The exit codes that tests look for, by names that no local variable hides.
const (
	exitPass       = exit.Pass
	exitBlocked    = exit.Blocked
	exitUsage      = exit.Usage
	exitIncomplete = exit.Incomplete
)
