package supervisor

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sleeping is a /proc with one thread in a call. The pointers among its arguments are
// into this process, whose memory is read for it.
func sleeping(text string) fstest.MapFS {
	pid := os.Getpid()
	out := procOf(proc{pid, "S", 1})
	out[fmt.Sprintf("%d/task/%d/syscall", pid, pid)] = &fstest.MapFile{Data: []byte(text)}
	return out
}

func TestAProgramIsSettledWhenNothingEndsItsWaitsInTime(t *testing.T) {
	long, short := unix.Timespec{Sec: 600}, unix.Timespec{Sec: 5}
	at := func(ts *unix.Timespec) string { return fmt.Sprintf("%#x", uintptr(unsafe.Pointer(ts))) }
	in := func(nr int, args ...any) string {
		text := fmt.Sprint(nr)
		for i := range 6 {
			if i < len(args) {
				text += fmt.Sprintf(" %v", args[i])
			} else {
				text += " 0x0"
			}
		}
		return text + " 0x7ffe 0x7fff\n"
	}
	const ms = "0x"
	for _, tt := range []struct {
		name           string
		text           string
		ran            time.Duration
		streak, waited time.Duration
		want           bool
	}{
		{"it accepts connections", in(unix.SYS_ACCEPT4, "0x3"), 4 * time.Second, 3 * time.Second, 3 * time.Second, true},
		{"what it says is not read", in(unix.SYS_WRITE, "0x1"), 4 * time.Second, 3 * time.Second, 3 * time.Second, false},
		{"it polls for ever", in(unix.SYS_EPOLL_PWAIT, "0x4", "0x0", "0x1", ms+"ffffffff"), 4 * time.Second, 3 * time.Second, 3 * time.Second, true},
		{"it waits for another thread", in(unix.SYS_FUTEX, "0x1000", "0x189", "0x0", "0x0"), 4 * time.Second, 3 * time.Second, 3 * time.Second, true},
		{"it polls for a second", in(unix.SYS_EPOLL_PWAIT, "0x4", "0x0", "0x1", ms+"3e8"), 4 * time.Second, 3 * time.Second, 3 * time.Second, false},
		{"it sleeps for longer than it has", in(unix.SYS_NANOSLEEP, at(&long)), 4 * time.Second, 3 * time.Second, 3 * time.Second, true},
		{"it sleeps for a while", in(unix.SYS_NANOSLEEP, at(&short)), 4 * time.Second, 3 * time.Second, 3 * time.Second, false},
		{"the length is not known", in(unix.SYS_RESTART_SYSCALL), 4 * time.Second, 3 * time.Second, 3 * time.Second, false},
		{"its memory cannot be read", in(unix.SYS_NANOSLEEP, "0x10"), 4 * time.Second, 3 * time.Second, 3 * time.Second, false},
		{"it runs", "running\n", 4 * time.Second, 3 * time.Second, 3 * time.Second, false},
		{"it has just begun to wait", in(unix.SYS_ACCEPT4, "0x3"), 4 * time.Second, time.Second, time.Second, false},
		{"it looks now and then, for a third of its time", in(unix.SYS_NANOSLEEP, at(&short)), 11 * time.Second, time.Second, 10 * time.Second, true},
		{"it works for half of that", in(unix.SYS_NANOSLEEP, at(&short)), 11 * time.Second, time.Second, 5 * time.Second, false},
	} {
		i := newIdleness(sleeping(tt.text), func() int64 { return 0 })
		i.streak, i.waited = tt.streak, tt.waited
		if got := i.settled(tt.ran, 30*time.Second); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
	if newIdleness(procOf(), nil).waiting(time.Second, -1) {
		t.Error("without a process nothing waits")
	}
}

// busy is a /proc in which a process is started as soon as a call was read.
type busy struct{ fstest.MapFS }

func (b busy) ReadFile(name string) ([]byte, error) {
	if strings.HasSuffix(name, "/syscall") {
		maps.Copy(b.MapFS, procOf(proc{4_000_000, "S", 1}))
	}
	return b.MapFS.ReadFile(name)
}

func TestAProgramThatStartsProcessesIsNotSettled(t *testing.T) {
	waits := fmt.Sprintf("%d 0x0 0x0 0x0 0x0 0x0 0x0 0x7ffe 0x7fff\n", unix.SYS_WAIT4)
	if !newIdleness(sleeping(waits), nil).waiting(time.Second, -1) {
		t.Error("a shell that waits for what it started does not wait")
	}
	if newIdleness(busy{sleeping(waits)}, nil).waiting(time.Second, -1) {
		t.Error("a shell that has just started a process does nothing but wait")
	}
}

func FuzzWaitingCall(f *testing.F) {
	f.Add([]byte("running"))
	f.Add([]byte("-1 0x7ffe 0x7fff"))
	f.Add([]byte("230 0x0 0x0 0x7f 0x7f 0x0 0x0 0x7ffe 0x7fff\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if c, ok := waitingCall(2, text); ok && (c.pid != 2 || c.nr == unix.SYS_RESTART_SYSCALL) {
			t.Errorf("%+v", c)
		}
	})
}
