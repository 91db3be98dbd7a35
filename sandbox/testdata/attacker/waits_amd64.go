package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// waits waits for an hour in every way that it knows, and says for each how many
// minutes went by on every clock and what the call returned.
func waits([]string) {
	const hour = 3600
	var times []*unix.Timespec // that calls point to
	defer func() { runtime.KeepAlive(times) }()
	spec := func(seconds int64) uintptr {
		times = append(times, &unix.Timespec{Sec: seconds})
		return uintptr(unsafe.Pointer(times[len(times)-1]))
	}
	until := func(clock int32) uintptr {
		var ts unix.Timespec
		_ = unix.ClockGettime(clock, &ts)
		return spec(ts.Sec + hour)
	}
	epoll, _ := unix.EpollCreate1(0)
	var word int32
	fds := []unix.PollFd{{Fd: int32(epoll), Events: unix.POLLIN, Revents: 7}}
	set := &unix.FdSet{}
	set.Set(epoll)
	sigs := [1]uint64{1 << (unix.SIGUSR1 - 1)}
	for _, w := range []struct {
		name string
		call func() (uintptr, unix.Errno)
	}{
		{"nanosleep", raw(unix.SYS_NANOSLEEP, spec(hour))},
		{"clock_nanosleep", func() (uintptr, unix.Errno) {
			return raw(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_REALTIME, 1, until(unix.CLOCK_REALTIME))()
		}},
		{"poll", raw(unix.SYS_POLL, uintptr(unsafe.Pointer(&fds[0])), 1, hour*1000)},
		{"ppoll", raw(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), 1, spec(hour))},
		{"select", raw(unix.SYS_SELECT, uintptr(epoll+1), uintptr(unsafe.Pointer(set)), 0, 0, spec(hour))},
		{"pselect6", raw(unix.SYS_PSELECT6, uintptr(epoll+1), uintptr(unsafe.Pointer(set)), 0, 0, spec(hour))},
		{"epoll_wait", raw(unix.SYS_EPOLL_WAIT, uintptr(epoll), uintptr(unsafe.Pointer(&unix.EpollEvent{})), 1, hour*1000)},
		{"futex", raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&word)), 0, 0, spec(hour))},
		{"futex_bitset", func() (uintptr, unix.Errno) {
			return raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&word)), 9, 0, until(unix.CLOCK_MONOTONIC), 0, 1)()
		}},
		{"rt_sigtimedwait", raw(unix.SYS_RT_SIGTIMEDWAIT, uintptr(unsafe.Pointer(&sigs)), 0, spec(hour), 8)},
		{"alarm", func() (uintptr, unix.Errno) {
			rung := make(chan os.Signal, 1)
			signal.Notify(rung, unix.SIGALRM)
			_, _, errno := unix.Syscall(unix.SYS_ALARM, hour, 0, 0)
			<-rung
			return 0, errno
		}},
		{"setitimer", func() (uintptr, unix.Errno) {
			rung := make(chan os.Signal, 1)
			signal.Notify(rung, unix.SIGALRM)
			var before unix.Itimerval
			_, errno := unix.Setitimer(unix.ITIMER_REAL, unix.Itimerval{Value: unix.Timeval{Sec: 2 * hour}})
			timer := unix.Itimerval{Value: unix.Timeval{Sec: hour}}
			_, _, e := unix.Syscall(unix.SYS_SETITIMER, uintptr(unix.ITIMER_REAL), uintptr(unsafe.Pointer(&timer)), uintptr(unsafe.Pointer(&before)))
			<-rung
			if errno != nil || before.Value.Sec < 2*hour-60 {
				return uintptr(before.Value.Sec), e
			}
			return 0, e
		}},
		{"time.Sleep", func() (uintptr, unix.Errno) { time.Sleep(hour * time.Second); return 0, 0 }},
	} {
		before := clocks()
		n, errno := w.call()
		after := clocks()
		fmt.Printf("%s %d %d", w.name, n, errno)
		for i := range after {
			fmt.Printf(" %d", int(after[i].Sub(before[i]).Round(time.Minute).Minutes()))
		}
		fmt.Println()
	}
	fmt.Println("ready", fds[0].Revents, set.IsSet(epoll))
}

func raw(call uintptr, args ...uintptr) func() (uintptr, unix.Errno) {
	return func() (uintptr, unix.Errno) {
		var a [6]uintptr
		copy(a[:], args)
		n, _, errno := unix.Syscall6(call, a[0], a[1], a[2], a[3], a[4], a[5])
		return n, errno
	}
}

// clocks are what the clocks show, read in the ways in which programs do.
func clocks() []time.Time {
	var out []time.Time
	for _, id := range []int32{unix.CLOCK_REALTIME, unix.CLOCK_MONOTONIC, unix.CLOCK_BOOTTIME} {
		var ts unix.Timespec
		_ = unix.ClockGettime(id, &ts)
		out = append(out, time.Unix(ts.Sec, ts.Nsec))
	}
	var tv unix.Timeval
	_ = unix.Gettimeofday(&tv)
	now, _, _ := unix.Syscall(unix.SYS_TIME, 0, 0, 0)
	var info unix.Sysinfo_t
	_ = unix.Sysinfo(&info)
	out = append(out, time.Unix(info.Uptime, 0))
	return append(out, time.Unix(tv.Sec, tv.Usec*1000), time.Unix(int64(now), 0), time.Now().Round(0)) // the last through the vDSO, where there is one
}
