package supervisor

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// sparePool is how many threads exist before the program runs. Making one later
// can fail when the program has used up the container's processes, and the Go
// runtime takes that as fatal. It never gives one back, so these stay.
const sparePool = 6

// heapSoftLimit makes the collector work harder before the supervisor takes
// memory that the program was promised. In bytes.
const heapSoftLimit = 24 << 20

// harden makes this process one that the program can neither trace nor end. It
// returns the channel that tells of children that ended.
func harden() (chan os.Signal, error) {
	// Not dumpable: no one without privileges may trace this process, read its
	// memory or open its descriptors through /proc.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("forbid tracing of the supervisor: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("give up new privileges: %w", err)
	}
	runtime.GOMAXPROCS(2)
	debug.SetMemoryLimit(heapSoftLimit)
	spareThreads(sparePool)
	return catchSignals(), nil
}

// catchSignals takes every signal that a process may send to this one, because
// the Go runtime ends on some of them by default. Handlers, unlike ignored
// signals, are not inherited by the program.
func catchSignals() chan os.Signal {
	ended := make(chan os.Signal, 1) // one is enough: each makes the loop look for all
	signal.Notify(ended, unix.SIGCHLD)
	var rest []os.Signal
	for n := 1; n <= 64; n++ {
		// The runtime interrupts its own threads with SIGURG all the time.
		if s := syscall.Signal(n); s != unix.SIGCHLD && s != unix.SIGURG {
			rest = append(rest, s)
		}
	}
	signal.Notify(make(chan os.Signal, 1), rest...) // no one listens: they vanish
	return ended
}

// spareThreads makes the runtime create n threads and park them.
func spareThreads(n int) {
	var ready, done sync.WaitGroup
	release := make(chan struct{})
	ready.Add(n)
	for range n {
		done.Go(func() {
			runtime.LockOSThread() // a locked goroutine has a thread for itself
			defer runtime.UnlockOSThread()
			ready.Done()
			<-release
		})
	}
	ready.Wait()
	close(release)
	done.Wait()
}

// newestThread returns the highest thread id of this process.
func newestThread() (int, error) {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0, fmt.Errorf("list the supervisor's threads: %w", err)
	}
	ids := []int{unix.Getpid()}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			return 0, fmt.Errorf("list the supervisor's threads: %w", err)
		}
		ids = append(ids, id)
	}
	return slices.Max(ids), nil
}
