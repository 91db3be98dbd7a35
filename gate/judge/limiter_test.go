package judge

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pretend is a server that works on some requests at a time, a second each, and
// queues the rest.
type pretend struct {
	slots   chan struct{}
	mu      sync.Mutex
	now     int
	most    int
	history []int // how many may be in flight, at the end of each
}

func (s *pretend) ask(p *limiter) {
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	begin := time.Now()
	s.slots <- struct{}{}
	<-time.After(time.Second) // the bubble's clock
	<-s.slots
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
	p.leave(time.Since(begin), time.Second)
	p.mu.Lock()
	limit := p.limit
	p.mu.Unlock()
	s.mu.Lock()
	s.history = append(s.history, limit)
	s.mu.Unlock()
}

// drive sends n requests as fast as the pace lets them go.
func drive(t *testing.T, p *limiter, n int, ask func(*limiter)) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if err := p.enter(t.Context()); err != nil {
				t.Error(err)
				return
			}
			ask(p)
		})
	}
	all.Wait()
}

func TestThePaceFollowsTheServer(t *testing.T) {
	for slots, want := range map[int][2]int{ // in flight, at least and at most, once it is found out
		1: {1, 2}, 2: {2, 4}, 4: {4, 6}, 8: {8, 13}, 64: {mostPace - 1, mostPace},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newLimiter(0)
			s := &pretend{slots: make(chan struct{}, slots)}
			drive(t, p, 400, s.ask)
			late := s.history[200:350]
			for _, n := range late {
				if n < want[0] || n > want[1] {
					t.Errorf("%d slots: a pace of %d, want %d to %d", slots, n, want[0], want[1])
					break
				}
			}
			if s.most > mostPace || p.running != 0 || len(p.waiting) != 0 {
				t.Errorf("%d slots: %d in flight, %d left running, %d waiting", slots, s.most, p.running, len(p.waiting))
			}
		})
	}
}

func TestABusyServerIsAskedLess(t *testing.T) {
	p := newLimiter(0)
	p.limit = 8
	for _, want := range []int{4, 2, 1, 1} {
		if err := p.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p.fail(); p.limit != want {
			t.Errorf("limit %d, want %d", p.limit, want)
		}
	}
}

func TestAPaceThatWasNamedIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newLimiter(3)
		s := &pretend{slots: make(chan struct{}, 64)}
		drive(t, p, 50, s.ask)
		if s.most != 3 {
			t.Errorf("%d in flight", s.most)
		}
		if err := p.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p.fail(); p.limit != 3 {
			t.Errorf("limit %d", p.limit)
		}
	})
}

func TestAServerThatDoesNotSayHowLongItWorkedIsAskedAsBefore(t *testing.T) {
	p := newLimiter(0)
	for range 20 {
		if err := p.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p.leave(time.Second, 0); p.limit != firstPace {
			t.Fatalf("limit %d", p.limit)
		}
	}
}

func TestWaitingRequestsCanGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newLimiter(1)
		if err := p.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		over := errors.New("time is up")
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := make(chan error)
		go func() { gone <- p.enter(ctx) }()
		synctest.Wait()
		next := make(chan error, 1)
		go func() { next <- p.enter(t.Context()) }()
		synctest.Wait()
		cancel(over)
		if err := <-gone; !errors.Is(err, over) {
			t.Errorf("error %v", err)
		}
		p.leave(0, 0)
		if err := <-next; err != nil || p.running != 1 || len(p.waiting) != 0 {
			t.Errorf("error %v, %d running, %d waiting", err, p.running, len(p.waiting))
		}
	})
}

func TestRepetitionsOfSeveralClientsAreSpread(t *testing.T) {
	least, most := time.Hour, time.Duration(0)
	for range 200 {
		d := jitter(time.Second)
		least, most = min(least, d), max(most, d)
	}
	if least < time.Second/2 || most >= 3*time.Second/2 || most-least < time.Second/2 {
		t.Errorf("pauses from %s to %s, want them spread over 500ms to 1.5s", least, most)
	}
}
