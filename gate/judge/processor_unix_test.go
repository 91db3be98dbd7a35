//go:build unix

package judge_test

import (
	"syscall"
	"testing"
	"time"
)

// processor is the time that this process has spent on processors.
func processor(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
