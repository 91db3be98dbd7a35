//go:build linux && !amd64 && !arm64

package supervisor

import (
	"errors"

	"golang.org/x/sys/unix"
)

// auditArch of zero makes the launch stage refuse: the filter's table is not
// written for this architecture.
const auditArch = 0

const callOpen = 1<<32 - 1

func legacyWatches() []watch { return nil }

// callStatAt is the call that stat of a library makes.
const callStatAt = callOpen - 1

func legacyInputWatches() []watch { return nil }

var errNoTracing = errors.New("a runtime without user notification is not supported on this architecture")

func stoppedCall(int) (call, error) { return call{}, errNoTracing }

func skipCall(int, unix.Errno) error { return errNoTracing }

func stackOf(int) (uint64, error) { return 0, errNoTracing }

func setStack(int, uint64) error { return errNoTracing }
