package supervisor

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
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
			w := newWatcher(20, newJournal(), newCaptures(), nil, nil)
			err := w.answer(call{nr: unix.SYS_PRCTL, args: [6]uint64{unix.PR_SET_DUMPABLE, 0}}, func(verdict) (bool, error) { return made.made, made.err })
			if events, _ := w.log.all(nil); len(events) != 0 || !errors.Is(err, made.err) {
				t.Errorf("%v, %v", events, err)
			}
		})
	}
}
