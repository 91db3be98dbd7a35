package supervisor

import (
	"errors"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// The program may end as soon as its last call is answered, and the report is made then.
func TestTheReportWaitsForTheRecordOfACallThatWasAnswered(t *testing.T) {
	w := newWatcher(20, newJournal(), newCaptures(), nil, nil)
	hide := call{nr: unix.SYS_PRCTL, args: [6]uint64{unix.PR_SET_DUMPABLE, 0}}
	settled := make(chan int, 1)
	err := w.answer(hide, func(verdict) (bool, error) {
		if w.answering.TryLock() {
			t.Error("a report that is made now lacks the call")
			w.answering.Unlock()
		}
		go func() {
			w.settle()
			events, _ := w.log.all(nil)
			settled <- len(events)
		}()
		return true, nil
	})
	if n := <-settled; err != nil || n != 1 {
		t.Errorf("%d events after it settled, want 1: %v", n, err)
	}
}

func TestACallThatWasNotMadeIsNotRecorded(t *testing.T) {
	for name, made := range map[string]struct {
		made bool
		err  error
	}{"ended before the answer": {}, "the answer failed": {made: true, err: errors.New("broken")}} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []call{{nr: unix.SYS_PRCTL, args: [6]uint64{unix.PR_SET_DUMPABLE, 0}}, opensUnreadable()} {
				w := newWatcher(20, newJournal(), newCaptures(), nil, nil)
				err := w.answer(c, func(verdict) (bool, error) { return made.made, made.err })
				if events, _ := w.log.all(nil); len(events) != 0 || !errors.Is(err, made.err) {
					t.Errorf("call %d: %v, %v", c.nr, events, err)
				}
			}
		})
	}
}

func TestMemoryThatCannotBeReadIsRecordedAsHiding(t *testing.T) {
	w := newWatcher(20, newJournal(), newCaptures(), nil, nil)
	if err := w.answer(opensUnreadable(), func(verdict) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	events, _ := w.log.all(nil)
	if !slices.ContainsFunc(events, func(e wire.Event) bool { return e.Action == "hide" }) {
		t.Errorf("%v", events)
	}
}

// opensUnreadable is a call of this process whose path lies where it has no memory.
func opensUnreadable() call {
	return call{pid: os.Getpid(), nr: unix.SYS_OPENAT, args: [6]uint64{0, 16}}
}
