package supervisor

import (
	"errors"

	"golang.org/x/sys/unix"
)

const auditArch = unix.AUDIT_ARCH_AARCH64

// callOpen is the call open, which this architecture does not have.
const callOpen = 1<<32 - 1

func legacyWatches() []watch { return nil }

// callStatAt is the call that stat of a library makes.
const callStatAt = unix.SYS_FSTATAT

func legacyInputWatches() []watch { return nil }

var errNoTracing = errors.New("a runtime without user notification is not supported on this architecture")

func stoppedCall(int) (call, error) { return call{}, errNoTracing }

func skipCall(int, unix.Errno) error { return errNoTracing }

// generalRegisters is NT_PRSTATUS of linux/elf.h.
const generalRegisters = 1

// stackOf is where the stack of a tracee begins.
func stackOf(pid int) (uint64, error) {
	var r unix.PtraceRegsArm64
	err := unix.PtraceGetRegSetArm64(pid, generalRegisters, &r)
	return r.Sp, err
}

// setStack makes the stack of a tracee begin elsewhere.
func setStack(pid int, at uint64) error {
	var r unix.PtraceRegsArm64
	if err := unix.PtraceGetRegSetArm64(pid, generalRegisters, &r); err != nil {
		return err
	}
	r.Sp = at
	return unix.PtraceSetRegSetArm64(pid, generalRegisters, &r)
}
