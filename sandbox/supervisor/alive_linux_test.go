package supervisor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// proc is a /proc with processes in it: pid, state, ticks.
type proc struct {
	pid   int
	state string
	ticks int
}

func procOf(all ...proc) fstest.MapFS {
	out := fstest.MapFS{"1/stat": {Data: []byte("1 (gate) R 0 1 1 0 -1 0 0 0 0 0 900 900 0 0 20 0 1 0 0 0 0")}, "meminfo": {}}
	for _, p := range all {
		stat := fmt.Sprintf("%d (a (b) R) %s 1 1 1 0 -1 0 0 0 0 0 %d 1 0 0 20 0 1 0 0 0 0", p.pid, p.state, p.ticks)
		out[fmt.Sprintf("%d/stat", p.pid)] = &fstest.MapFile{Data: []byte(stat)}
		out[fmt.Sprintf("%d/task/%d/stat", p.pid, p.pid)] = &fstest.MapFile{Data: []byte(stat)}
		out[fmt.Sprintf("%d/cmdline", p.pid)] = &fstest.MapFile{Data: []byte("sh\x00-c\x00sleep 9\x00")}
	}
	return out
}

func TestWaitingProcessesSleepThroughout(t *testing.T) {
	const second = time.Second
	for _, c := range []struct {
		name  string
		looks []fstest.MapFS // a second apart
		calls []int64
		want  time.Duration
		now   bool
	}{
		{"a sleeper", []fstest.MapFS{procOf(proc{2, "S", 5}), procOf(proc{2, "S", 5}), procOf(proc{2, "S", 5})}, []int64{7, 7, 7}, 2 * second, true},
		{"one that looks at the clock now and then", []fstest.MapFS{procOf(proc{2, "S", 5}), procOf(proc{2, "S", 6})}, []int64{7, 7}, second, true},
		{"a worker", []fstest.MapFS{procOf(proc{2, "R", 5}), procOf(proc{2, "R", 95})}, []int64{7, 7}, 0, false},
		{"one that waits for a processor", []fstest.MapFS{procOf(proc{2, "R", 5}), procOf(proc{2, "R", 5})}, []int64{7, 7}, 0, false},
		{"one that waits for a disk", []fstest.MapFS{procOf(proc{2, "D", 5}), procOf(proc{2, "D", 5})}, []int64{7, 7}, 0, false},
		{"one that worked in between", []fstest.MapFS{procOf(proc{2, "S", 5}), procOf(proc{2, "S", 25})}, []int64{7, 7}, 0, false},
		{"one that opened a file in between", []fstest.MapFS{procOf(proc{2, "S", 5}), procOf(proc{2, "S", 5})}, []int64{7, 8}, 0, false},
		{"a sleeper beside a worker", []fstest.MapFS{procOf(proc{2, "S", 5}, proc{3, "R", 5}), procOf(proc{2, "S", 5}, proc{3, "R", 5})}, []int64{7, 7}, 0, false},
		{"one that woke up at last", []fstest.MapFS{procOf(proc{2, "S", 5}), procOf(proc{2, "S", 5}), procOf(proc{2, "R", 5})}, []int64{7, 7, 7}, second, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var calls int64
			i := newIdleness(nil, func() int64 { return calls })
			start := time.Unix(1000, 0)
			for n, fsys := range c.looks {
				i.proc, calls = fsys, c.calls[n]
				i.look(start.Add(time.Duration(n) * second))
			}
			if i.waited != c.want || i.now() != c.now {
				t.Errorf("waited %s, now %t; want %s, %t", i.waited, i.now(), c.want, c.now)
			}
		})
	}
}

func TestAProcessThatHasEndedIsNotLeft(t *testing.T) {
	commands, more := left(procOf(proc{2, "S", 1}, proc{3, "Z", 1}, proc{4, "R", 1}))
	if want := []string{"sh -c sleep 9", "sh -c sleep 9"}; !slices.Equal(commands, want) || more != 0 {
		t.Errorf("left %q and %d more, want %q", commands, more, want)
	}
}

func TestLeftProcessesAreBounded(t *testing.T) {
	var all []proc
	for pid := 2; pid < 100; pid++ {
		all = append(all, proc{pid, "S", 1})
	}
	fsys := procOf(all...)
	fsys["2/cmdline"] = &fstest.MapFile{Data: []byte(strings.Repeat("a\xff", 5000))}
	commands, more := left(fsys)
	if len(commands) != wire.MaxLeft || more != 98-wire.MaxLeft {
		t.Errorf("left %d and %d more", len(commands), more)
	}
	for _, c := range commands {
		if len(c) > wire.MaxCommand {
			t.Errorf("a command of %d bytes", len(c))
		}
	}
}
