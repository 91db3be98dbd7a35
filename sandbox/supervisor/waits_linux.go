package supervisor

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"
)

// The calls with which programs wait and look at the clock. In a run that is
// fast-forwarded the tracer is asked about them. Of those that take the
// time that they take, and of other clocks, it notes that the program used them.

// ends says what a waiting call returns when its time is over.
const (
	endsWell     = 0
	endsTimedOut = -int64(unix.ETIMEDOUT)
	endsAgain    = -int64(unix.EAGAIN)
)

// waiter is a call that may wait.
type waiter struct {
	call  uint32
	tests []test // it does, when all hold
	// long is how long from now on; not ok is for ever, or not at all.
	long func(r *reading, clock func(id uint64) time.Duration) (long time.Duration, ok bool)
	ends int64
}

func waiters() []waiter {
	given := func(arg uint32) []test { return []test{{arg, opNonZero, 0, 0}} }
	timespec := func(arg int) func(*reading, func(uint64) time.Duration) (time.Duration, bool) {
		return func(r *reading, _ func(uint64) time.Duration) (time.Duration, bool) {
			return r.seconds(r.args[arg], time.Nanosecond)
		}
	}
	milliseconds := func(arg int) func(*reading, func(uint64) time.Duration) (time.Duration, bool) {
		return func(r *reading, _ func(uint64) time.Duration) (time.Duration, bool) {
			ms := int32(r.args[arg])
			return time.Duration(ms) * time.Millisecond, ms > 0
		}
	}
	return append(legacyWaiters(milliseconds), []waiter{
		{unix.SYS_NANOSLEEP, nil, timespec(0), endsWell},
		{unix.SYS_CLOCK_NANOSLEEP, nil, (*reading).clockSleep, endsWell},
		{unix.SYS_PPOLL, given(2), timespec(2), endsWell},
		{unix.SYS_PSELECT6, given(4), timespec(4), endsWell},
		{unix.SYS_EPOLL_PWAIT, []test{{3, opNot, 0, 0}}, milliseconds(3), endsWell},
		{unix.SYS_EPOLL_PWAIT2, given(3), timespec(3), endsWell},
		{unix.SYS_FUTEX, given(3), (*reading).futex, endsTimedOut},
		{unix.SYS_RT_SIGTIMEDWAIT, given(2), timespec(2), endsAgain},
		{unix.SYS_SEMTIMEDOP, given(3), timespec(3), endsAgain},
	}...)
}

// seconds reads a struct timespec, or with a unit of microseconds a struct timeval.
func (r *reading) seconds(at uint64, unit time.Duration) (time.Duration, bool) {
	if at == 0 { // without an end
		return 0, false
	}
	raw := r.bytes(at, 16)
	if len(raw) < 16 {
		return 0, false
	}
	return duration(int64(binary.LittleEndian.Uint64(raw)), int64(binary.LittleEndian.Uint64(raw[8:])), unit)
}

// duration is that of a struct of the kernel; what is longer than is ever skipped is
// cut, so that it can be added to.
func duration(seconds, rest int64, unit time.Duration) (time.Duration, bool) {
	if seconds < 0 || rest < 0 || rest >= int64(time.Second/unit) {
		return 0, false // the kernel refuses it
	}
	if most := int64(1 << 32); seconds > most {
		seconds = most
	}
	return time.Duration(seconds)*time.Second + time.Duration(rest)*unit, true
}

func (r *reading) clockSleep(clock func(uint64) time.Duration) (time.Duration, bool) {
	long, ok := r.seconds(r.args[2], time.Nanosecond)
	if ok && r.args[1]&timerAbsolute != 0 {
		long -= clock(r.args[0])
	}
	return long, ok
}

// The operations of futex that wait, of linux/futex.h.
const (
	futexWait       = 0
	futexWaitBitset = 9
	futexCommand    = 0x7f
	futexRealtime   = 256
	timerAbsolute   = 1
)

func (r *reading) futex(clock func(uint64) time.Duration) (time.Duration, bool) {
	switch op := r.args[1]; op & futexCommand {
	case futexWait:
		return r.seconds(r.args[3], time.Nanosecond)
	case futexWaitBitset:
		id := uint64(unix.CLOCK_MONOTONIC)
		if op&futexRealtime != 0 {
			id = unix.CLOCK_REALTIME
		}
		until, ok := r.seconds(r.args[3], time.Nanosecond)
		return until - clock(id), ok
	}
	return 0, false
}

// clockCalls are those that look at a clock.
func clockCalls() []rule {
	rules := []rule{{unix.SYS_CLOCK_GETTIME, unix.EPERM, nil}, {unix.SYS_GETTIMEOFDAY, unix.EPERM, nil}, {unix.SYS_SYSINFO, unix.EPERM, nil}}
	for _, nr := range legacyClocks() {
		rules = append(rules, rule{nr, unix.EPERM, nil})
	}
	return rules
}

// alarmCalls are those that ask for a signal.
func alarmCalls() []rule {
	rules := []rule{{unix.SYS_SETITIMER, unix.EPERM, []test{{0, opEqual, unix.ITIMER_REAL, 0}}}}
	for _, nr := range legacyAlarms() {
		rules = append(rules, rule{nr, unix.EPERM, nil})
	}
	return rules
}

// otherClock is a call by which a program may see, or wait for, a clock that is not moved.
type otherClock struct {
	call  uint32
	tests []test
	says  string
	set   func(r *reading) bool // whether it does so; nil is always
}

// otherClocks are those calls. A timeout or timer of less than a second is waited for as
// it is.
func otherClocks() []otherClock {
	option := func(name uint32) []test {
		return []test{{1, opEqual, unix.SOL_SOCKET, 0}, {2, opEqual, name, 0}}
	}
	timer := func(r *reading) bool { return r.longFrom(r.args[2]+16, time.Nanosecond) }
	timeout := func(r *reading) bool { return r.longFrom(r.args[3], time.Microsecond) }
	out := []otherClock{
		{unix.SYS_TIMER_SETTIME, nil, "a POSIX timer takes real time", timer},
		{unix.SYS_TIMERFD_SETTIME, nil, "a timer that is read from a descriptor takes real time", timer},
		{unix.SYS_TIMES, nil, "times shows real time", nil},
		{unix.SYS_ADJTIMEX, nil, "adjtimex shows real time", nil},
		{unix.SYS_CLOCK_ADJTIME, nil, "clock_adjtime shows real time", nil},
	}
	for _, name := range []uint32{unix.SO_RCVTIMEO, unix.SO_SNDTIMEO, unix.SO_RCVTIMEO_NEW, unix.SO_SNDTIMEO_NEW} {
		out = append(out, otherClock{unix.SYS_SETSOCKOPT, option(name), "the timeout of a socket takes real time", timeout})
	}
	for _, name := range []uint32{unix.SO_TIMESTAMP, unix.SO_TIMESTAMPNS, unix.SO_TIMESTAMPING, unix.SO_TIMESTAMP_NEW, unix.SO_TIMESTAMPNS_NEW, unix.SO_TIMESTAMPING_NEW} {
		out = append(out, otherClock{unix.SYS_SETSOCKOPT, option(name), "times of packets show real time", nil})
	}
	return out
}

// longFrom reports whether a time in the memory of a program is a second or more, or
// cannot be read.
func (r *reading) longFrom(at uint64, unit time.Duration) bool {
	long, ok := r.seconds(at, unit)
	return long >= time.Second || !ok
}

// matches reports whether the arguments of a call are those that are meant.
func (o otherClock) matches(r *reading) bool {
	return o.call == r.nr && rule{call: o.call, tests: o.tests}.matches(r.nr, r.args) && (o.set == nil || o.set(r))
}

// uptimeFile shows since when the machine runs.
const uptimeFile = "/proc/uptime"

// forwardRules single out what a run that is fast-forwarded is asked about besides
// what is watched.
func forwardRules() []rule {
	rules := append(clockCalls(), alarmCalls()...)
	for _, o := range otherClocks() {
		rules = append(rules, rule{o.call, unix.EPERM, o.tests})
	}
	for _, w := range waiters() {
		rules = append(rules, rule{w.call, unix.EPERM, w.tests})
	}
	return rules
}

// wallClock reports whether a clock goes on while a program does nothing.
func wallClock(id uint64) bool {
	switch id {
	case unix.CLOCK_REALTIME, unix.CLOCK_MONOTONIC, unix.CLOCK_MONOTONIC_RAW, unix.CLOCK_REALTIME_COARSE,
		unix.CLOCK_MONOTONIC_COARSE, unix.CLOCK_BOOTTIME, unix.CLOCK_REALTIME_ALARM, unix.CLOCK_BOOTTIME_ALARM, unix.CLOCK_TAI:
		return true
	}
	return false
}

// realClock is what a clock shows without us.
func realClock(id uint64) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(id), &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
