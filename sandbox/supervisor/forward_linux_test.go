package supervisor

import (
	"io/fs"
	"net/netip"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestTheClockGoesToTheFirstThatWantsToWakeUp(t *testing.T) {
	f := newForward()
	f.waitsFor(call{pid: 7}, f.at(0), time.Hour)
	f.waitsFor(call{pid: 8}, f.at(0), time.Minute)
	if due := f.due(f.at(0)); len(due) != 0 {
		t.Fatalf("due at once: %v", due)
	}
	if !f.skip(f.at(0)) || f.skipped != time.Minute {
		t.Fatalf("skipped %s, want a minute", f.skipped)
	}
	if due := f.due(f.at(0)); !slices.Equal(due, []int{8}) {
		t.Fatalf("due after a minute: %v", due)
	}
	if !f.skip(f.at(0)) || f.skipped != time.Hour {
		t.Fatalf("skipped %s, want an hour", f.skipped)
	}
	if due := f.due(f.at(0)); !slices.Equal(due, []int{7}) {
		t.Fatalf("due after an hour: %v", due)
	}
	if f.skip(f.at(0)) {
		t.Error("time was skipped with no one waiting for it")
	}
}

func TestTimeThatPassesIsNotSkipped(t *testing.T) {
	f := newForward()
	f.waitsFor(call{pid: 7}, f.at(0), time.Second)
	if !f.skip(f.at(2*time.Second)) || f.skipped != 0 || f.skips != 0 {
		t.Errorf("skipped %s in %d skips", f.skipped, f.skips)
	}
	if due := f.due(f.at(2 * time.Second)); !slices.Equal(due, []int{7}) {
		t.Errorf("due: %v", due)
	}
}

func TestAThreadThatDoesSomethingElseWaitsNoMore(t *testing.T) {
	f := newForward()
	f.waitsFor(call{pid: 7}, 0, time.Second)
	f.left(7)
	if f.skip(0) || len(f.due(time.Hour)) > 0 {
		t.Error("it is still waited for")
	}
}

func TestALoopOfSleepsReachesTheBoundInFewSkips(t *testing.T) {
	f := newForward()
	for n := 0; ; n++ {
		f.waitsFor(call{pid: 7}, f.at(0), 500*time.Millisecond)
		if !f.skip(f.at(0)) {
			if f.skipped != maxSkipped || n > 400 {
				t.Errorf("%d skips, %s", n, f.skipped)
			}
			return
		}
		f.due(f.at(0))
	}
}

func TestOnlyTheInternetIsWaitedForLongerThanForTheProgram(t *testing.T) {
	address := func(text string) netip.AddrPort { return netip.MustParseAddrPort(text) }
	begin := time.Now()
	for _, tt := range []struct {
		name    string
		reached []netip.AddrPort
		after   time.Duration
		awaited bool
	}{
		{"nothing was reached", nil, 0, false},
		{"a name server was asked just now", []netip.AddrPort{address("127.0.0.11:53")}, namesWithin / 2, true},
		{"it was asked some time ago, as a server does at its start", []netip.AddrPort{address("127.0.0.11:53")}, namesWithin, false},
		{"another server was reached", []netip.AddrPort{address("192.0.2.1:443")}, time.Hour, true},
		{"both were", []netip.AddrPort{address("127.0.0.11:53"), address("192.0.2.1:443")}, time.Hour, true},
	} {
		s := &simulation{}
		for _, a := range tt.reached {
			s.reached(a, begin)
		}
		if got := s.awaited(begin.Add(tt.after)); got != tt.awaited {
			t.Errorf("%s: awaited is %v", tt.name, got)
		}
	}
	if (*simulation)(nil).awaited(begin) {
		t.Error("an internet that there is not is waited for")
	}
}

func TestOneThreadThatWaitsNeedsNoPatience(t *testing.T) {
	two := procOf(proc{7, "S", 5})
	two["7/task/8/stat"] = two["7/task/7/stat"]
	for _, tt := range []struct {
		name   string
		proc   fs.FS
		waits  []int
		skips  int
		online bool
		want   bool
	}{
		{"it sleeps", procOf(proc{7, "S", 5}), []int{7}, soonAfter + 1, false, true},
		{"it runs", procOf(proc{7, "R", 5}), []int{7}, soonAfter + 1, false, false},
		{"it has just started", procOf(proc{7, "S", 5}), []int{7}, soonAfter, false, false},
		{"it sleeps in another call", procOf(proc{7, "S", 5}), nil, soonAfter + 1, false, false},
		{"another process is there", procOf(proc{7, "S", 5}, proc{9, "S", 5}), []int{7}, soonAfter + 1, false, false},
		{"another thread is there", two, []int{7}, soonAfter + 1, false, false},
		{"two threads wait", two, []int{7, 8}, soonAfter + 1, false, false},
		{"the simulated internet may answer", procOf(proc{7, "S", 5}), []int{7}, soonAfter + 1, true, false},
	} {
		f := &follower{forward: newForward(), proc: tt.proc, online: func(time.Time) bool { return tt.online }}
		f.skips = tt.skips
		for _, thread := range tt.waits {
			f.waitsFor(call{pid: thread}, 0, time.Hour)
		}
		if got := f.alone(); got != tt.want {
			t.Errorf("%s: alone is %v", tt.name, got)
		}
	}
}

func TestALongerSkipPassesNoOtherWaiterBy(t *testing.T) {
	f := newForward()
	f.skips = 1000
	f.waitsFor(call{pid: 7}, 0, time.Second)
	f.waitsFor(call{pid: 8}, 0, time.Hour)
	f.skip(0)
	if f.skipped != time.Hour {
		t.Errorf("skipped %s, want an hour", f.skipped)
	}
}

func TestWaitsOfAnyLengthAreSkippedWithinTheBound(t *testing.T) {
	for _, long := range []time.Duration{-time.Hour, 0, 1, time.Second << 32, maxSkipped + 1} {
		for _, skips := range []int{0, patientSkips, 1 << 20} {
			f := newForward()
			f.skips = skips
			f.waitsFor(call{pid: 7}, 0, long)
			f.skip(0)
			if f.skipped < 0 || f.skipped > maxSkipped {
				t.Errorf("%s after %d skips: skipped %s", long, skips, f.skipped)
			}
		}
	}
}

func TestAnAlarmRingsAndComesAgainWhereItWasAskedTo(t *testing.T) {
	f := newForward()
	f.alarms[7], f.alarms[8] = alarm{due: time.Minute}, alarm{due: time.Minute, every: time.Hour}
	f.skip(0)
	if rung := f.ring(f.at(0)); !slices.Equal(rung, []int{7, 8}) {
		t.Fatalf("rung: %v", rung)
	}
	f.skip(f.at(0))
	if rung := f.ring(f.at(0)); !slices.Equal(rung, []int{8}) || f.skipped != time.Minute+time.Hour {
		t.Errorf("rung: %v after %s", rung, f.skipped)
	}
}

func TestAnEndedProcessHasNoAlarm(t *testing.T) {
	f := newForward()
	f.alarms[7] = alarm{due: time.Minute}
	f.ended(7)
	if f.skip(0) {
		t.Error("its alarm is waited for")
	}
}

func TestTimesOfTheKernelAreBounded(t *testing.T) {
	for _, c := range []struct {
		seconds, rest int64
		unit          time.Duration
		want          time.Duration
		ok            bool
	}{
		{1, 5, time.Nanosecond, time.Second + 5, true},
		{1, 5, time.Microsecond, time.Second + 5*time.Microsecond, true},
		{0, 1e9 - 1, time.Nanosecond, time.Second - 1, true},
		{0, 1e9, time.Nanosecond, 0, false},
		{0, 1e6, time.Microsecond, 0, false},
		{-1, 0, time.Nanosecond, 0, false},
		{0, -1, time.Nanosecond, 0, false},
		{1<<63 - 1, 0, time.Nanosecond, time.Second << 32, true},
	} {
		got, ok := duration(c.seconds, c.rest, c.unit)
		if got != c.want || ok != c.ok {
			t.Errorf("%d s and %d of %s: %s %t, want %s %t", c.seconds, c.rest, c.unit, got, ok, c.want, c.ok)
		}
	}
}

func TestTheVDSOIsFoundBehindArgumentsAndEnvironment(t *testing.T) {
	for _, c := range []struct {
		name  string
		stack []uint64
		want  int
		bad   bool
	}{
		{"one", []uint64{2, 11, 12, 0, 21, 0, 6, 4096, auxVDSO, 0x7f00, auxEnd, 0}, 8, false},
		{"no environment", []uint64{0, 0, 0, auxVDSO, 0x7f00, auxEnd, 0}, 3, false},
		{"none", []uint64{1, 11, 0, 0, 6, 4096, auxEnd, 0}, -1, false},
		{"hidden already", []uint64{1, 11, 0, 0, auxIgnore, 0x7f00, auxEnd, 0}, -1, false},
		{"a stack that ends", []uint64{1, 11, 0, 21}, -1, true},
		{"no end of the vector", append([]uint64{1, 11, 0, 0}, slices.Repeat([]uint64{6, 1}, 100)...), -1, true},
		{"more arguments than there can be", []uint64{1 << 40}, -1, true},
		{"nothing", nil, -1, true},
	} {
		got, err := vdsoEntry(func(i int) (uint64, bool) {
			if i >= len(c.stack) {
				return 0, false
			}
			return c.stack[i], true
		})
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%s: %d, %v; want %d", c.name, got, err, c.want)
		}
	}
}

func TestAProcessIsFoundByItsThread(t *testing.T) {
	if got := threadGroup([]byte("Name:\tsh\nTgid:\t12\nPid:\t15\n"), 15); got != 12 {
		t.Errorf("got %d", got)
	}
	if got := threadGroup([]byte("Name:\tTgid: x\n"), 15); got != 15 {
		t.Errorf("without the field: %d", got)
	}
}

func TestWaitsAreAskedAboutOnlyInFastForwardedRuns(t *testing.T) {
	for _, more := range [][]rule{nil, forwardRules()} {
		prog := filter(modeTrace, 20, more...)
		if len(prog) > unix.BPF_MAXINSNS {
			t.Errorf("a filter of %d instructions", len(prog))
		}
		asked := slices.ContainsFunc(prog, func(f unix.SockFilter) bool {
			return f.Code == unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K && f.K == unix.SYS_NANOSLEEP
		})
		if asked != (more != nil) {
			t.Errorf("with %d further rules it is asked about sleeps: %t", len(more), asked)
		}
	}
}
