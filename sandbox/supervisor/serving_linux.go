package supervisor

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
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
	tellWithin = time.Second // for a program to tell of itself
	restWithin = time.Second // for what we have put around it to end as well
	tellEvery  = 5 * time.Millisecond
)

// tellSignal makes the interpreters of our images say which lines ran, and end. No program
// has another use for it.
const tellSignal = unix.SIGPWR

// tell lets the processes of a program say which of their lines ran: those that catch the
// signal for it.
func tell(proc fs.FS, f family) {
	told := map[int]bool{}
	for _, p := range processes(proc) {
		if catches(proc, p.pid) && unix.Kill(p.pid, tellSignal) == nil {
			told[p.pid] = true
		}
	}
	if len(told) == 0 {
		return
	}
	end := time.Now().Add(tellWithin)
	var rest time.Time
	for time.Now().Before(end) {
		if gone, err := f.gone(); gone || err != nil {
			return
		}
		left := false
		for _, p := range processes(proc) {
			left = left || told[p.pid]
		}
		if !left && rest.IsZero() {
			rest = time.Now().Add(restWithin)
			end = rest
		}
		time.Sleep(tellEvery)
	}
}

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
