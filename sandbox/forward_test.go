package sandbox

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestARunThatIsFastForwardedDoesNotWait(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "waits")
		s.FastForward = true
		s.Limits.Timeout = time.Minute
		r := mustRun(t, d, s)
		const timedOut, again = 110, 11
		want := ""
		for _, w := range []struct {
			name  string
			errno int
		}{
			{"nanosleep", 0}, {"clock_nanosleep", 0}, {"poll", 0}, {"ppoll", 0}, {"select", 0}, {"pselect6", 0}, {"epoll_wait", 0},
			{"futex", timedOut}, {"futex_bitset", timedOut}, {"rt_sigtimedwait", again}, {"alarm", 0}, {"setitimer", 0}, {"time.Sleep", 0},
		} {
			n := "0"
			if w.errno != 0 {
				n = "18446744073709551615"
			}
			want += fmt.Sprintf("%s %s %d%s\n", w.name, n, w.errno, strings.Repeat(" 60", 7))
		}
		want += "ready 0 false\n"
		if got := string(r.Stdout.Data); got != want || r.Status != Exited || r.Clock != "" {
			t.Errorf("%s (%s), clock %q\ngot:\n%s\nwant:\n%s", r.Status, r.Reason, r.Clock, got, want)
		}
		if r.Skipped < 13*time.Hour-time.Minute || r.Skipped > 14*time.Hour || r.Duration > 50*time.Second {
			t.Errorf("skipped %s in %s", r.Skipped, r.Duration)
		}
	})
}
