package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/tools/testenv"
)

// A row is a program that uses up one thing, and how its run has to end.
func TestResourceLimitsEndOnlyTheProgramThatReachesThem(t *testing.T) {
	tests := []struct {
		name   string
		args   []string
		limits Limits
		want   Status
		code   int    // for Exited
		out    string // part of what it wrote
		reason string // part of the reason
		check  func(t *testing.T, r Result)
	}{
		{name: "an endless loop", args: []string{"loop"}, limits: Limits{Timeout: time.Second}, want: Timeout, reason: "still running"},
		{name: "a program that closes its streams and sleeps", args: []string{"quiet"}, limits: Limits{Timeout: time.Second}, want: Timeout},
		{name: "a fork bomb", args: []string{"forkbomb"}, limits: Limits{Timeout: 3 * time.Second}, want: Timeout},
		{name: "2 GiB of memory", args: []string{"memory", "2048"}, want: OOM, reason: "memory ran out", check: func(t *testing.T, r Result) {
			if r.Resources.Memory < 128<<20 {
				t.Errorf("a peak of %d bytes", r.Resources.Memory)
			}
		}},
		{name: "memory in many small processes", args: []string{"manysmall"}, limits: Limits{Pids: 1000}, want: OOM, reason: "memory ran out"},
		{name: "a full workspace", args: []string{"disk", "/workspace"}, want: Exited, out: "full after MiB"},
		{name: "a full /tmp", args: []string{"disk", "/tmp"}, want: Exited, out: "full after MiB"},
		{name: "a full /dev/shm", args: []string{"disk", "/dev/shm"}, want: Exited, out: "full after MiB"},
		{name: "128 MiB of output", args: []string{"output", "128"}, limits: Limits{Timeout: 5 * time.Minute}, want: Exited, check: func(t *testing.T, r Result) {
			if r.Stdout.Bytes != 128<<20 || !r.Stdout.Truncated || len(r.Stdout.Data) != 1<<20 {
				t.Errorf("stdout: %d of %d bytes kept, truncated %v", len(r.Stdout.Data), r.Stdout.Bytes, r.Stdout.Truncated)
			}
			if r.Stderr.Bytes != 128 || r.Stderr.Truncated {
				t.Errorf("stderr: %d bytes, truncated %v", r.Stderr.Bytes, r.Stderr.Truncated)
			}
			if !strings.HasPrefix(string(r.Stdout.Data), "0123456789abcde\n0123456789abcde\n") {
				t.Error("it is not the head that was kept")
			}
		}},
		{name: "output without an end", args: []string{"output", "100000000"}, limits: Limits{Timeout: time.Second}, want: Timeout},
		{name: "all descriptors closed", args: []string{"closeall"}, want: Exited, code: 7},
		{name: "an exit code", args: []string{"exit", "42"}, want: Exited, code: 42},
		{name: "a signal of its own", args: []string{"signal", "9"}, want: Exited, code: 137, reason: "SIGKILL"},
	}
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				s := attack(runtime, tt.args...)
				if tt.limits.Timeout > 0 {
					s.Limits.Timeout = tt.limits.Timeout
				}
				if tt.limits.Pids > 0 {
					s.Limits.Pids = tt.limits.Pids
				}
				want := []Status{tt.want}
				if tt.args[0] == "quiet" {
					// The time that others kept it from a processor is not its own, so on a
					// busy machine it can be idle for long enough to count as waiting.
					want = []Status{Timeout, Waiting}
				}
				if runtime == "runsc" && tt.args[0] == "forkbomb" {
					// The supervisor counts processes there, what each costs gVisor
					// itself counts as memory, and starting one under a tracer takes
					// its time: who is first is chance.
					want = []Status{Killed, OOM, Timeout}
				}
				r := mustRun(t, d, s)
				if !slices.Contains(want, r.Status) {
					t.Fatalf("got %s (%s), want %s", r.Status, r.Reason, want)
				}
				if tt.want == Exited && r.ExitCode != tt.code {
					t.Errorf("exit code %d, want %d", r.ExitCode, tt.code)
				}
				if !strings.Contains(string(r.Stdout.Data), tt.out) || !strings.Contains(r.Reason, tt.reason) {
					t.Errorf("output %q, reason %q", clip(r.Stdout.Data), r.Reason)
				}
				// That it ends at all: on a busy machine a fork bomb keeps the supervisor,
				// which shares gVisor's kernel with it, from looking at the clock.
				if r.Duration > s.Limits.Timeout+time.Minute {
					t.Errorf("it went on for %s", r.Duration)
				}
				if tt.check != nil {
					tt.check(t, r)
				}
			})
		}
	})
}

func TestInodesRunOut(t *testing.T) {
	testenv.Needs(t, testenv.InodeLimit)
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "inodes", "/workspace")
		s.Limits.Inodes = 1000
		if runtime == "runsc" {
			// gVisor of 2022 does not count files; its memory and the time are the
			// limits that are left.
			s.Limits.Timeout = 2 * time.Second
			r := mustRun(t, d, s)
			if r.Status == Failed || r.Status == "" {
				t.Errorf("got %s (%s)", r.Status, r.Reason)
			}
			return
		}
		r := mustRun(t, d, s)
		if want := "full after files 999 "; r.Status != Exited || !strings.Contains(string(r.Stdout.Data), want) {
			t.Errorf("got %s, %q, want %q", r.Status, clip(r.Stdout.Data), want)
		}
	})
}

func TestProcessorTimeIsWhatTheWallClockAllows(t *testing.T) {
	s := attack("runc", "loop")
	s.Image, s.Limits.Timeout = "any", 20*time.Second
	spec, err := s.normal()
	if err != nil {
		t.Fatal(err)
	}
	if got := spec.job(nil).CPUSeconds; got != 21 {
		t.Errorf("%d seconds of processor time for %s on one core, want 21", got, spec.Limits.Timeout)
	}
}
