package gate

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestForEachCallsEveryIndexOnce(t *testing.T) {
	for _, limit := range []int{-1, 0, 1, 3, 100} {
		var calls [50]atomic.Int32
		if err := ForEach(t.Context(), limit, len(calls), func(_ context.Context, i int) error { calls[i].Add(1); return nil }); err != nil {
			t.Fatal(err)
		}
		for i := range calls {
			if n := calls[i].Load(); n != 1 {
				t.Errorf("limit %d: index %d was called %d times", limit, i, n)
			}
		}
	}
	if err := ForEach(t.Context(), 1, 0, nil); err != nil {
		t.Errorf("nothing to do: %v", err)
	}
}

func TestForEachKeepsToItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		err := ForEach(t.Context(), 4, 40, func(context.Context, int) error {
			n := running.Add(1)
			for {
				m := most.Load()
				if n <= m || most.CompareAndSwap(m, n) {
					break
				}
			}
			time.Sleep(time.Second) //nolint:forbidigo // the fake time of synctest
			running.Add(-1)
			return nil
		})
		if err != nil || most.Load() != 4 {
			t.Errorf("%d at a time, error %v", most.Load(), err)
		}
	})
}

func TestForEachStopsAtTheFirstErrorAndWaitsForWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		var started, finished atomic.Int32
		err := ForEach(t.Context(), 2, 100, func(ctx context.Context, i int) error {
			started.Add(1)
			defer finished.Add(1)
			if i == 3 {
				return boom
			}
			select {
			case <-ctx.Done():
				time.Sleep(time.Second) //nolint:forbidigo // the fake time of synctest: takes its time to notice
			case <-time.After(time.Duration(i+1) * time.Minute):
			}
			return nil
		})
		if !errors.Is(err, boom) {
			t.Errorf("error %v", err)
		}
		if s, f := started.Load(), finished.Load(); s != f || s > 5 {
			t.Errorf("%d started, %d finished", s, f)
		}
	})
}

func TestForEachTurnsAPanicIntoAnError(t *testing.T) {
	err := ForEach(t.Context(), 4, 10, func(_ context.Context, i int) error {
		if i == 2 {
			panic("out of range")
		}
		return nil
	})
	var p *PanicError
	if !errors.As(err, &p) || p.Value != "out of range" || len(p.Stack) == 0 {
		t.Errorf("error %v", err)
	}
}

func TestForEachReturnsTheCauseOfTheEnd(t *testing.T) {
	stop := errors.New("the user pressed a key")
	ctx, cancel := context.WithCancelCause(t.Context())
	var calls atomic.Int32
	err := ForEach(ctx, 1, 10, func(context.Context, int) error {
		calls.Add(1)
		cancel(stop)
		return nil
	})
	if !errors.Is(err, stop) || calls.Load() != 1 {
		t.Errorf("error %v after %d calls", err, calls.Load())
	}
	if err := ForEach(ctx, 1, 10, func(context.Context, int) error { t.Error("called after the end"); return nil }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

func TestUnavailableSaysHowToMendIt(t *testing.T) {
	if got := (&Unavailable{Reason: "no server", Hint: "start one"}).Error(); got != "no server (start one)" {
		t.Error(got)
	}
	if got := (&Unavailable{Reason: "no server"}).Error(); got != "no server" {
		t.Error(got)
	}
}
