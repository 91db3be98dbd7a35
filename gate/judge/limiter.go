package judge

import (
	"context"
	"sync"
	"time"
)

// How many requests are in flight. A server works on OLLAMA_NUM_PARALLEL of them and
// does not tell how many that are; the others wait in its queue, where their deadline
// runs. So gate starts with few, and sends more as long as the server takes less time
// over a request than it says to have worked on it.
const (
	firstPace = 2  // one that is worked on, and the next
	mostPace  = 16 // what a server with several GPUs may work on
	// A request that waited for less than a quarter of the time of its work did not
	// queue; one that waited half as long again as that had two in front of it.
	easyWait = 0.25
	longWait = 1.5
)

// pace admits requests to one server, in the order in which they come.
type limiter struct {
	fixed bool

	mu      sync.Mutex
	limit   int
	running int
	waiting []chan struct{}
	easy    int // requests in a row that did not queue
}

// newLimiter returns one that follows the server, or keeps to n where it is not 0.
func newLimiter(n int) *limiter {
	if n > 0 {
		return &limiter{limit: n, fixed: true}
	}
	return &limiter{limit: firstPace}
}

// enter waits until a request may be sent.
func (p *limiter) enter(ctx context.Context) error {
	p.mu.Lock()
	if p.running < p.limit && len(p.waiting) == 0 {
		p.running++
		p.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	p.waiting = append(p.waiting, mine)
	p.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, w := range p.waiting {
		if w == mine {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			return context.Cause(ctx)
		}
	}
	p.done() // admitted at the same moment
	return context.Cause(ctx)
}

// leave ends a request that took so long, of which the server says to have worked on
// it for so long; 0 is not known.
func (p *limiter) leave(took, worked time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fixed && worked > 0 {
		wait := float64(took-worked) / float64(worked)
		switch {
		case wait > longWait:
			p.limit, p.easy = max(p.limit-1, 1), 0
		case wait > easyWait:
			p.easy = 0
		default:
			if p.easy++; p.easy >= p.limit && p.running >= p.limit {
				p.limit, p.easy = min(p.limit+1, mostPace), 0
			}
		}
	}
	p.done()
}

// fail ends a request that the server was too busy for.
func (p *limiter) fail() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fixed {
		p.limit, p.easy = max(p.limit/2, 1), 0
	}
	p.done()
}

// done lets the next ones in.
func (p *limiter) done() {
	p.running--
	for p.running < p.limit && len(p.waiting) > 0 {
		close(p.waiting[0])
		p.waiting = p.waiting[1:]
		p.running++
	}
}
