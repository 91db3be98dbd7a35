package supervisor

import (
	"maps"
	"math"
	"slices"
	"time"
)

// A run that is fast-forwarded does not wait: when all threads of the program sleep,
// the clocks that it sees go forward to the first time at which one of them wants to
// wake up, and that one does. Time that the program works with passes as ever.

const (
	// maxSkipped bounds what is skipped in one run.
	maxSkipped = 30 * 24 * time.Hour
	// patientSkips is after how many skips the next ones become longer: a program that
	// counts the hours in steps of a second is not to use up its time with them. A
	// sleep may take longer than was asked for, on every system.
	patientSkips = 50
	doubledEvery = 10
	maxDoublings = 24
)

// forward is the clock of a run that is fast-forwarded, and what waits for it. Times
// are since some moment before the start, with everything that was skipped.
type forward struct {
	skipped time.Duration
	skips   int
	missed  string        // why the program may see another clock, "" where it does not
	waits   map[int]wait  // by thread
	alarms  map[int]alarm // by process
	ending  map[int]wait  // those whose call is being ended
	over    bool          // nothing will happen any more
}

// wait is a thread in a call that ends by itself at a time.
type wait struct {
	due  time.Duration
	call call
}

// alarm is a signal that a process has asked for.
type alarm struct {
	due   time.Duration
	every time.Duration // 0: once
}

func newForward() *forward {
	return &forward{waits: map[int]wait{}, alarms: map[int]alarm{}, ending: map[int]wait{}}
}

// at is the time on the program's clock when it is real without us.
func (f *forward) at(real time.Duration) time.Duration { return real + f.skipped }

// waitsFor notes that a thread waits for so long from now on.
func (f *forward) waitsFor(c call, now, long time.Duration) {
	f.waits[c.pid] = wait{due: now + max(long, 0), call: c}
}

// left forgets a thread that has ended, or does something else by now.
func (f *forward) left(thread int) {
	delete(f.waits, thread)
	delete(f.ending, thread)
}

// ended forgets a process that has ended.
func (f *forward) ended(process int) {
	f.left(process)
	delete(f.alarms, process)
}

// due returns the threads whose time has come, the first one first. Each is returned
// once.
func (f *forward) due(now time.Duration) []int {
	var out []int
	for thread, w := range f.waits {
		if w.due <= now {
			out = append(out, thread)
		}
	}
	slices.SortFunc(out, func(a, b int) int {
		if d := f.waits[a].due - f.waits[b].due; d != 0 {
			return int(max(min(d, 1), -1))
		}
		return a - b
	})
	for _, thread := range out {
		f.ending[thread] = f.waits[thread]
		delete(f.waits, thread)
	}
	return out
}

// ring returns the processes whose alarm has come.
func (f *forward) ring(now time.Duration) []int {
	var out []int
	for _, process := range slices.Sorted(maps.Keys(f.alarms)) {
		a := f.alarms[process]
		if a.due > now {
			continue
		}
		out = append(out, process)
		if a.every > 0 {
			f.alarms[process] = alarm{due: now + a.every, every: a.every}
		} else {
			delete(f.alarms, process)
		}
	}
	return out
}

// next is the first time at which something is due, and the one after it.
func (f *forward) next() (at, after time.Duration, ok bool) {
	var all []time.Duration
	for _, w := range f.waits {
		all = append(all, w.due)
	}
	for _, a := range f.alarms {
		all = append(all, a.due)
	}
	if len(all) == 0 {
		return 0, 0, false
	}
	slices.Sort(all)
	if len(all) == 1 {
		return all[0], math.MaxInt64, true
	}
	return all[0], all[1], true
}

// skip moves the clock to the next time at which something is due. It reports whether
// there is one within what may be skipped.
func (f *forward) skip(now time.Duration) bool {
	at, after, ok := f.next()
	if !ok || f.skipped >= maxSkipped {
		return false
	}
	if by := at - now; by > 0 {
		// Not past the next one: that is to happen at its time.
		by = max(by, min(stretched(by, f.skips), after-now))
		f.skipped += min(by, maxSkipped-f.skipped)
		f.skips++
	}
	return true
}

// stretched is how much is skipped for a wait after so many others.
func stretched(by time.Duration, skips int) time.Duration {
	doublings := min(max(skips-patientSkips, 0)/doubledEvery, maxDoublings)
	if by > maxSkipped>>doublings {
		return max(by, maxSkipped)
	}
	return by << doublings
}
