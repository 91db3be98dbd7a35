package supervisor

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// tree is a file system with these files.
func tree(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{"proc/1/stat": {Data: []byte("1 (gate) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 9 0 0 0 5000")}}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

const mib = 1 << 20

func TestHolderOfTheLimitsIsFound(t *testing.T) {
	tests := []struct {
		name              string
		files             map[string]string
		mem, pids, inside bool
	}{
		{"control groups, second version", map[string]string{"sys/fs/cgroup/memory.max": "268435456\n", "sys/fs/cgroup/pids.max": "80\n"}, true, true, false},
		{"control groups, first version", map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n", "sys/fs/cgroup/pids/pids.max": "80\n"}, true, true, false},
		{"limits of the whole machine", map[string]string{"sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/pids.max": "max\n"}, false, false, false},
		{"limits that are too high", map[string]string{"sys/fs/cgroup/memory.max": "536870912\n", "sys/fs/cgroup/pids.max": "1000\n"}, false, false, false},
		{"the first version without a limit", map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, false, false, false},
		{"a kernel of its own", map[string]string{"proc/meminfo": "MemTotal: 262144 kB\nMemFree: 200000 kB\n"}, false, false, true},
		{"a kernel of its own with room for it", map[string]string{"proc/meminfo": "MemTotal: 393216 kB\nMemFree: 200000 kB\n"}, false, false, true},
		{"the memory of the host", map[string]string{"proc/meminfo": "MemTotal: 24682416 kB\nMemFree: 200000 kB\n"}, false, false, false},
		{"nothing to read", nil, false, false, false},
		{"nonsense", map[string]string{"sys/fs/cgroup/memory.max": "-", "proc/meminfo": "MemTotal:\n"}, false, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEvidence(tree(tt.files), ownCPU, 256*mib, 64)
			if e.kernelMem != tt.mem || e.kernelPids != tt.pids || e.sandboxMem != tt.inside || e.watching() == (tt.mem && tt.pids) {
				t.Errorf("memory %v, processes %v, inside %v", e.kernelMem, e.kernelPids, e.sandboxMem)
			}
		})
	}
}

func TestLimitsThatTheKernelDoesNotHoldAreWatched(t *testing.T) {
	big := "7 (a) b) ( c) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 3 0 100 999999 80000"            // 80000 pages
	small := "8 (x) R 1 8 8 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 999999 10"                     // one thread
	many := "9 (threads) R 1 9 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 100 0 100 999999 10"              // 100 threads
	group := map[string]string{"sys/fs/cgroup/memory.max": "1", "sys/fs/cgroup/pids.max": "1"} // all held
	tests := []struct {
		name  string
		files map[string]string
		want  wire.Cause
	}{
		{"little of everything", map[string]string{"proc/8/stat": small}, ""},
		{"a large process", map[string]string{"proc/7/stat": big, "proc/8/stat": small}, wire.CauseMemory},
		{"a process with many threads", map[string]string{"proc/9/stat": many}, wire.CausePids},
		{"a line that is cut", map[string]string{"proc/9/stat": many[:20]}, ""},
		{"what the kernel holds", group, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := newEvidence(tree(tt.files), ownCPU, 256*mib, 64).over(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	// A kernel of its own tells of all memory, files in memory included.
	fsys := tree(map[string]string{"proc/meminfo": "MemTotal: 262144 kB\nMemFree: 262000 kB\n"})
	e := newEvidence(fsys, ownCPU, 100*mib, 64)
	e.sandboxMem, e.freeAtStart = true, 262000<<10
	fsys["proc/meminfo"].Data = []byte("MemTotal: 262144 kB\nMemFree: 150000 kB\n")
	if got := e.over(); got != wire.CauseMemory || e.peakMemory != 112000<<10 {
		t.Errorf("got %q at %d bytes", got, e.peakMemory)
	}
}

func TestTheReportTellsWhatTheControlGroupsCounted(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"second version": {
			"sys/fs/cgroup/memory.peak": "1000\n", "sys/fs/cgroup/pids.peak": "7\n", "sys/fs/cgroup/cpu.stat": "usage_usec 5000\nuser_usec 1\n",
			"sys/fs/cgroup/memory.events": "low 0\noom 4\noom_kill 3\n",
		},
		"first version": {
			"sys/fs/cgroup/memory/memory.max_usage_in_bytes": "1000\n", "sys/fs/cgroup/pids/pids.peak": "7\n",
			"sys/fs/cgroup/cpuacct/cpuacct.usage": "5000000\n", "sys/fs/cgroup/memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			files["proc/self/task/1/stat"], files["proc/self/task/2/stat"] = "", "" // two threads of the supervisor
			var own time.Duration
			e := newEvidence(tree(files), func() time.Duration { return own }, mib, 1)
			e.cpuAtStart = 0
			own = 2 * time.Millisecond
			var x wire.Exit
			e.fill(&x)
			if x.Memory != 1000 || x.Pids != 5 || x.CPU.Microseconds() != 3000 /* without the supervisor's own */ || x.OOMKills != 3 {
				t.Errorf("got %+v", x)
			}
		})
	}
}
