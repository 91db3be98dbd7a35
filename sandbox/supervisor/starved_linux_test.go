package supervisor

import (
	"testing"
	"testing/fstest"
	"time"
)

func TestAProgramStarvesWhereItWantsAProcessorAndOthersHaveIt(t *testing.T) {
	const ms = time.Millisecond
	type look struct {
		wants bool
		used  time.Duration // since the last look, a second ago
	}
	repeat := func(n int, l ...look) []look {
		var out []look
		for range n {
			out = append(out, l...)
		}
		return out
	}
	for _, tt := range []struct {
		name  string
		share float64
		looks []look
		want  time.Duration
	}{
		{"a loop that has a processor does not", 1, repeat(10, look{true, 1000 * ms}), 0},
		{"a loop beside three others does", 1, repeat(10, look{true, 250 * ms}), 7500 * ms},
		{"one that waits by itself does not", 1, repeat(10, look{false, 0}), 0},
		{"one that works half of the time does not", 1, repeat(5, look{true, 500 * ms}, look{false, 500 * ms}), 0},
		{"one that wants a processor half of the time does by what it did not get", 1, repeat(5, look{true, 200 * ms}, look{false, 0}), 4 * time.Second},
		{"threads that use two processors do not", 1, repeat(10, look{true, 2000 * ms}), 0},
		{"threads that wait for each other do not", 1, repeat(10, look{true, 1010 * ms}), 0},
		{"a loop that uses up its share of a processor does not", 0.5, repeat(10, look{true, 500 * ms}), 0},
		{"a loop that gets half of its share does", 0.5, repeat(10, look{true, 250 * ms}), 2500 * ms},
		{"no one does where no one tells what it used", 1, repeat(10, look{true, -1}), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			used := time.Second // before the first look
			s := starvation{share: tt.share, cpu: func() time.Duration { return used }}
			now := time.Unix(1000, 0)
			s.look(now, true)
			for _, l := range tt.looks {
				if now = now.Add(time.Second); l.used < 0 {
					used = 0
				} else {
					used += l.used
				}
				s.look(now, l.wants)
			}
			if got := s.held(); got != tt.want {
				t.Errorf("held for %s, want %s", got, tt.want)
			}
		})
	}
}

func TestALimitIsLongerByTheTimeInLine(t *testing.T) {
	const second = time.Second
	for _, tt := range []struct {
		name      string
		ran, held time.Duration
		want      time.Duration
	}{
		{"at the start all of it is left", 0, 0, 30 * second},
		{"it is over when its time is", 30 * second, 0, 0},
		{"the time in line is added", 30 * second, 20 * second, 20 * second},
		{"it is over when it had its time besides", 90 * second, 60 * second, 0},
		{"it is over after four times the limit whatever it got", 120 * second, 119 * second, 0},
		{"short of that, no more than up to there is left", 110 * second, 109 * second, 10 * second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := remaining(30*second, tt.ran, tt.held); got != tt.want {
				t.Errorf("%s left, want %s", got, tt.want)
			}
		})
	}
}

func TestAThreadThatRunsCountsBesideOneThatWaitsForADisk(t *testing.T) {
	i := newIdleness(procOf(proc{2, "D", 5}), func() int64 { return 0 })
	i.look(time.Unix(1000, 0))
	if i.wants || i.slept {
		t.Errorf("with a thread that waits for a disk: wants a processor %t, sleeps %t", i.wants, i.slept)
	}
	beside := procOf(proc{2, "D", 5})
	beside["2/task/3/stat"] = &fstest.MapFile{Data: []byte("3 (b) R 1 1 1 0 -1 0 0 0 0 0 5 1 0 0 20 0 1 0 0 0 0")}
	i.proc = beside
	i.look(time.Unix(1001, 0))
	if !i.wants {
		t.Error("with a thread that runs beside it, it wants no processor")
	}
}

func TestTheSupervisorAnswersWhereAnotherOfItsThreadsRuns(t *testing.T) {
	thread := func(state string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("7 (gate) " + state + " 1 1 1 0 -1 0 0 0 0 0 5 1 0 0 20 0 1 0 0 0 0")}
	}
	for state, want := range map[string]bool{"R": true, "S": false, "D": false} {
		s := starvation{own: fstest.MapFS{"0/stat": thread(state)}}
		if got := s.answers(); got != want {
			t.Errorf("a thread in state %s: %t", state, got)
		}
	}
}
