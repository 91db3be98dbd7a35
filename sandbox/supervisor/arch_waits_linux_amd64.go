package supervisor

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"
)

// canForward says that the clocks of a program can be moved on this architecture.
const canForward = true

// syscallLength is that of the instruction that makes a call, in bytes.
const syscallLength = 2

// legacyWaiters are the calls that newer architectures do not have.
func legacyWaiters(milliseconds func(int) func(*reading, func(uint64) time.Duration) (time.Duration, bool)) []waiter {
	return []waiter{
		{unix.SYS_POLL, []test{{2, opNot, 0, 0}}, milliseconds(2), endsWell},
		{unix.SYS_EPOLL_WAIT, []test{{3, opNot, 0, 0}}, milliseconds(3), endsWell},
		{unix.SYS_SELECT, []test{{4, opNonZero, 0, 0}}, func(r *reading, _ func(uint64) time.Duration) (time.Duration, bool) {
			return r.seconds(r.args[4], time.Microsecond)
		}, endsWell},
	}
}

func legacyClocks() []uint32 { return []uint32{unix.SYS_TIME} }

func legacyAlarms() []uint32 { return []uint32{unix.SYS_ALARM} }

// returnFrom makes the call with which a tracee has stopped not happen, or end, and
// return a value.
func returnFrom(pid int, value int64) error {
	var r unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &r); err != nil {
		return err
	}
	r.Orig_rax = ^uint64(0)
	r.Rax = uint64(value)
	return unix.PtraceSetRegs(pid, &r)
}

// interrupted returns the call that was interrupted to stop a tracee, and whether the
// kernel would have it fail and not go on.
func interrupted(pid int) (c call, fails, ok bool) {
	var r unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &r); err != nil || int64(r.Orig_rax) < 0 {
		return call{}, false, false
	}
	switch -int64(r.Rax) {
	case int64(unix.EINTR):
		fails = true
	case 512, 513, 514, 516: // ERESTARTSYS, -NOINTR, -NOHAND and -_RESTARTBLOCK of linux/errno.h
	default:
		return call{}, false, false
	}
	return call{pid: pid, nr: uint32(r.Orig_rax), args: [6]uint64{r.Rdi, r.Rsi, r.Rdx, r.R10, r.R8, r.R9}}, fails, true
}

// again makes a tracee repeat the call that was interrupted.
func again(pid int) error {
	var r unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &r); err != nil {
		return err
	}
	r.Rip -= syscallLength
	r.Rax = r.Orig_rax
	r.Orig_rax = ^uint64(0)
	return unix.PtraceSetRegs(pid, &r)
}

// legacyForward handles the calls that newer architectures do not have.
func (t *tracer) legacyForward(c call) (value int64, done bool) {
	switch c.nr {
	case unix.SYS_TIME:
		now := t.follow.clock(unix.CLOCK_REALTIME)
		if at := c.args[0]; at != 0 {
			raw := binary.LittleEndian.AppendUint64(nil, uint64(now/time.Second))
			if t.watcher.memory.write(c.pid, at, raw) != nil {
				return 0, false
			}
		}
		return int64(now / time.Second), true
	case unix.SYS_ALARM:
		before := t.setAlarm(c.pid, time.Duration(uint32(c.args[0]))*time.Second, 0)
		return int64((before.due + time.Second - 1) / time.Second), true
	}
	return 0, false
}

func resultsOf(nr uint32) results {
	switch nr {
	case unix.SYS_SELECT, unix.SYS_PSELECT6:
		return resultsSets
	case unix.SYS_POLL, unix.SYS_PPOLL:
		return resultsPoll
	}
	return resultsNone
}
