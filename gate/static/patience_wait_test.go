package static

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestAReaderIsWaitedForAsLongAsItMayTake(t *testing.T) {
	failed := errors.New("failed")
	ended, end := context.WithCancel(t.Context())
	end()
	hangs := func() error { <-t.Context().Done(); return nil }
	p := newPatience(0, time.Millisecond)
	for name, tc := range map[string]struct {
		over bool // the run is
		most time.Duration
		read func() error
		want error
	}{
		"one that ends":                            {false, time.Hour, func() error { return nil }, nil},
		"one that fails":                           {false, time.Hour, func() error { return failed }, failed},
		"one that hangs":                           {false, time.Millisecond, hangs, errLate},
		"one that hangs when the run is over":      {true, time.Hour, hangs, errLate},
		"one that hangs without a time of its own": {true, 0, hangs, errLate},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if tc.over {
				ctx = ended
			}
			if err := p.wait(ctx, tc.most, tc.read); !errors.Is(err, tc.want) {
				t.Errorf("%v, not %v", err, tc.want)
			}
		})
	}
	if got := newPatience(time.Second, 0).reason(t.Context()); got != "reading it took longer than 1s" {
		t.Errorf("the reason is %q", got)
	}
}
