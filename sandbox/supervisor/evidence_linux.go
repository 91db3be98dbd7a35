package supervisor

import (
	"bytes"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// evidence is what the container can tell about its own use of resources. Who
// holds the limits differs by runtime, so it is found out, not assumed: a control
// group whose limit is the one of the job is held by the kernel; otherwise the
// supervisor has to watch.
type evidence struct {
	fsys        fs.FS                // the file system of the container, from its root
	ownCPU      func() time.Duration // what the supervisor itself has used
	memory      int64                // limits
	pids        int64
	kernelMem   bool // the kernel holds the limit of memory
	kernelPids  bool
	sandboxMem  bool // /proc/meminfo speaks of this container alone
	freeAtStart int64
	cpuAtStart  time.Duration // of the control group without the supervisor
	peakMemory  int64         // as watched
	peakPids    int64
}

// pageSlack is how much above the job's a limit may be and still count as set
// for this container: kernels round to pages, runtimes to kilobytes.
const pageSlack = 1 << 20

func newEvidence(fsys fs.FS, own func() time.Duration, memory, pids int64) *evidence {
	e := &evidence{fsys: fsys, ownCPU: own, memory: memory, pids: pids}
	limit, ok := e.number("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes")
	e.kernelMem = ok && limit <= memory+pageSlack
	// The engine is asked for a few more processes than the job, for the supervisor.
	limit, ok = e.number("sys/fs/cgroup/pids.max", "sys/fs/cgroup/pids/pids.max")
	e.kernelPids = ok && limit <= pids+wire.SupervisorPids
	if total, free := e.meminfo(); !e.kernelMem && total > 0 && total <= memory+wire.KernelMemory+pageSlack {
		e.sandboxMem, e.freeAtStart = true, free
	}
	e.cpuAtStart = e.groupCPU() - own()
	return e
}

// watching reports whether a limit is left to the supervisor.
func (e *evidence) watching() bool { return !e.kernelMem || !e.kernelPids }

// over looks once and says which limit that the kernel does not hold is passed;
// "" is none.
func (e *evidence) over() wire.Cause {
	processes, resident := e.processes()
	if e.sandboxMem {
		_, free := e.meminfo()
		resident = e.freeAtStart - free
	}
	if !e.kernelMem {
		e.peakMemory = max(e.peakMemory, resident)
		if resident > e.memory {
			return wire.CauseMemory
		}
	}
	if !e.kernelPids {
		e.peakPids = max(e.peakPids, processes)
		if processes > e.pids {
			return wire.CausePids
		}
	}
	return ""
}

// fill adds what was used to the report. Zero stays where nothing tells.
func (e *evidence) fill(x *wire.Exit) {
	x.Memory, _ = e.number("sys/fs/cgroup/memory.peak", "sys/fs/cgroup/memory/memory.max_usage_in_bytes")
	x.Pids, _ = e.number("sys/fs/cgroup/pids.peak", "sys/fs/cgroup/pids/pids.peak")
	// The control group counts the supervisor's threads as well.
	if own, err := fs.ReadDir(e.fsys, "proc/self/task"); err == nil {
		x.Pids = max(x.Pids-int64(len(own)), 0)
	}
	x.Memory, x.Pids = max(x.Memory, e.peakMemory), max(x.Pids, e.peakPids)
	x.OOMKills = max(e.field("sys/fs/cgroup/memory.events", "oom_kill"),
		e.field("sys/fs/cgroup/memory/memory.oom_control", "oom_kill"))
	x.Full = full("/tmp", Workspace, OutputFolder, "/dev/shm")
	// The supervisor's own time is not the program's: where it has to watch, it is
	// a fifth of a processor on a busy machine.
	x.CPU = e.groupCPU() - e.ownCPU() - e.cpuAtStart
	// Without control groups, what the processes themselves were charged with: for
	// memory that of the largest one, which is the least that it can have been.
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &used); err != nil {
		return
	}
	if x.CPU <= 0 {
		x.CPU = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	if x.Memory <= 0 {
		x.Memory = used.Maxrss << 10
	}
}

// full returns the folders in which no space, or room for no other file, is left.
func full(folders ...string) []string {
	var out []string
	for _, f := range folders {
		var s unix.Statfs_t
		if err := unix.Statfs(f, &s); err == nil && s.Blocks > 0 && (s.Bavail == 0 || s.Files > 0 && s.Ffree == 0) {
			out = append(out, f)
		}
	}
	return out
}

// ownCPU is the processor time that the supervisor itself has used.
func ownCPU() time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func (e *evidence) groupCPU() time.Duration {
	if usec := e.field("sys/fs/cgroup/cpu.stat", "usage_usec"); usec > 0 {
		return time.Duration(usec) * time.Microsecond
	}
	nsec, _ := e.number("sys/fs/cgroup/cpuacct/cpuacct.usage")
	return time.Duration(nsec)
}

// meminfo returns the memory in all and what is free of it, in bytes.
func (e *evidence) meminfo() (total, free int64) {
	return e.field("proc/meminfo", "MemTotal:") << 10, e.field("proc/meminfo", "MemFree:") << 10
}

// processes counts the processes and threads besides the supervisor, and their
// resident memory in bytes. Memory that processes share counts for each.
func (e *evidence) processes() (n, resident int64) {
	entries, err := fs.ReadDir(e.fsys, "proc")
	if err != nil {
		return 0, 0
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == 1 {
			continue
		}
		stat, err := fs.ReadFile(e.fsys, "proc/"+entry.Name()+"/stat")
		if err != nil {
			continue // it has ended
		}
		threads, pages := parseStat(stat)
		n += max(threads, 1)
		resident += pages * int64(os.Getpagesize())
	}
	return n, resident
}

// parseStat returns the fields num_threads and rss of proc_pid_stat(5), 0 where
// they are not there. The second field is the program's name, which may contain
// anything, so the fields are counted from the last parenthesis.
func parseStat(stat []byte) (threads, pages int64) {
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // from field 3 on
	if len(f) < 22 {
		return 0, 0
	}
	threads, _ = strconv.ParseInt(string(f[20-3]), 10, 64)
	pages, _ = strconv.ParseInt(string(f[24-3]), 10, 64)
	return threads, pages
}

// number reads the first of the files that holds a number. "max" is none.
func (e *evidence) number(paths ...string) (int64, bool) {
	for _, p := range paths {
		data, err := fs.ReadFile(e.fsys, p)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64); err == nil {
			return n, true
		}
	}
	return 0, false
}

// field reads the number behind a name in a file of lines; 0 where there is none.
func (e *evidence) field(path, name string) int64 {
	data, err := fs.ReadFile(e.fsys, path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}
