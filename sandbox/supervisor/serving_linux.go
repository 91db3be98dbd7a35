package supervisor

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// When a program that waits for others is asked, and how it is ended then.

const (
	// askAfter is for how long a program that listens does nothing before it is asked.
	askAfter = 500 * time.Millisecond
	// servedFor is for how long it does nothing afterwards before it is ended.
	servedFor = time.Second
	// servedAtLast is the same where a thread waits for longer and not for ever, or the
	// kernel does not tell.
	servedAtLast = 5 * time.Second
)

// asking is the one time that a program is asked.
type asking struct {
	job    *wire.Ask // nil asks nothing
	begin  func(context.Context) wire.Asked
	cancel context.CancelFunc
	done   chan wire.Asked // there from the beginning of the questions on
	asked  *wire.Asked     // what became of them
}

// turn looks whether it is time to ask, and whether that is over. A program that listens
// and never rests is asked when half of its time is over.
func (a *asking) turn(i *idleness, listens bool, ran, limit time.Duration) {
	switch {
	case a.job == nil || a.asked != nil:
	case a.done != nil:
		select {
		case asked := <-a.done:
			a.asked, i.streak = &asked, 0
		default:
		}
	case listens && (i.streak >= askAfter || ran >= limit/3 && i.streak > 0 || ran >= limit/2):
		ctx, cancel := context.WithCancel(context.Background())
		a.cancel, a.done = cancel, make(chan wire.Asked, 1)
		go func() { a.done <- a.begin(ctx) }()
	}
}

// busy reports whether questions are under way.
func (a *asking) busy() bool { return a.done != nil && a.asked == nil }

// stop ends the questions and returns what became of them, nil where there were none.
func (a *asking) stop() *wire.Asked {
	if a.busy() {
		a.cancel()
		asked := <-a.done
		a.asked = &asked
	}
	if a.cancel != nil {
		a.cancel()
	}
	return a.asked
}

// served reports whether a program that was asked does nothing any more but wait. A wait
// that comes round in less than half of the time in which nothing happened is that of a
// loop; behind a longer one something may come, and does not always get the time for it.
func (i *idleness) served(rest time.Duration) bool {
	if i.streak < servedFor {
		return false
	}
	return i.streak >= servedAtLast || i.waiting(rest, i.streak/2)
}

// asker is what the program of this run is asked.
func (r *run) asker() *asking {
	a := &asking{}
	if !r.job.Forward { // there it was asked before
		a.job = r.job.Ask
	}
	a.begin = func(ctx context.Context) wire.Asked {
		one := &asker{
			questions: r.job.Ask.Questions,
			doors:     doors(os.DirFS("/proc"), ownSockets(), r.seen.watcher.ports(), path.Join(Workspace, r.job.Dir)),
			seen: func(answer []byte, to string) {
				if m := r.seen.canaries(); m != nil && len(answer) > 0 {
					if hits := m.Find(answer); len(hits) > 0 {
						r.seen.log.add(wire.Event{Action: "leak", Object: answerTo, Args: []string{to}, Canaries: names(hits)})
					}
				}
			},
		}
		return one.run(ctx)
	}
	return a
}

// answerTo is how an answer of the program is called in the record.
const answerTo = "an answer"

const (
	tellWithin = time.Second     // for a program to tell of itself
	tellBusy   = 5 * time.Second // the same where others keep the processor from it
	restWithin = time.Second     // for what we have put around it to end as well
	tellEvery  = 5 * time.Millisecond
)

// tellSignal makes the interpreters of our images say which lines ran, and end. No program
// has another use for it.
const tellSignal = unix.SIGPWR

// tell lets the processes of a program say which of their lines ran: those that catch the
// signal for it.
func tell(proc fs.FS, f family) {
	told := map[int]int64{} // how much processor time a process had before
	for _, p := range processes(proc) {
		if catches(proc, p.pid) && unix.Kill(p.pid, tellSignal) == nil {
			told[p.pid] = p.ticks
		}
	}
	if len(told) == 0 {
		return
	}
	began := time.Now()
	end := began.Add(tellWithin)
	for resting := false; time.Now().Before(end); time.Sleep(tellEvery) {
		if gone, err := f.gone(); gone || err != nil {
			return
		}
		left := slices.DeleteFunc(processes(proc), func(p process) bool { _, ok := told[p.pid]; return !ok })
		switch took := time.Since(began); {
		case len(left) == 0 && !resting:
			resting, end = true, time.Now().Add(restWithin)
		case starved(took, told, left) && took < tellBusy:
			end = time.Now().Add(tellWithin)
		}
	}
}

// starved reports whether a process that was told runs, and all of them together had less
// than half of a processor in some time.
func starved(took time.Duration, before map[int]int64, now []process) bool {
	ticks, running := int64(0), false
	for _, p := range now {
		ticks, running = ticks+p.ticks-before[p.pid], running || runs(p.state)
	}
	return running && time.Duration(ticks)*tick < took/2
}

// tick is the unit of processor time in /proc (USER_HZ).
const tick = 10 * time.Millisecond

// catches reports whether a process has a handler for the signal, or nothing says.
func catches(proc fs.FS, pid int) bool {
	status, err := fs.ReadFile(proc, strconv.Itoa(pid)+"/status")
	if err != nil {
		return false
	}
	_, rest, ok := bytes.Cut(status, []byte("\nSigCgt:"))
	if !ok {
		return true
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	mask, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 64)
	return err == nil && mask&(1<<(tellSignal-1)) != 0
}
