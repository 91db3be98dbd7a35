package sandbox

import (
	"context"
	"sync"
)

// pool keeps started containers whose supervisors wait for a job. A container is
// still for one run: what it saves is the waiting for the engine, which starts
// the next one while programs run and takes the used ones away afterwards.
type pool struct {
	engine *engine
	depth  int             // containers that wait, of each kind, at most
	ctx    context.Context //nolint:containedctx // of the pool's own work, which outlives every call
	stop   context.CancelFunc

	mu      sync.Mutex
	shelves map[kind]*shelf
	work    sync.WaitGroup
}

// kind is what has to be equal for a container to serve a Spec.
type kind struct {
	image, runtime string
	limits         Limits
	exceptions     Exceptions
}

func kindOf(s Spec) kind {
	k := kind{image: s.Image, runtime: s.Runtime, limits: s.Limits, exceptions: s.Exceptions}
	// These are the supervisor's to hold; the container knows nothing of them.
	k.limits.Timeout, k.limits.Stdout, k.limits.Output = 0, 0, 0
	return k
}

// shelf holds the containers of one kind, the oldest first.
type shelf struct {
	spec    Spec
	wanted  int // runs that were announced and have not taken a container
	waiting []<-chan opened
}

// opened is a container that waits, or why there is none.
type opened struct {
	box *instance
	id  string // of its image
	err error
}

func newPool(e *engine, depth int) *pool {
	ctx, stop := context.WithCancel(context.Background())
	return &pool{engine: e, depth: depth, ctx: ctx, stop: stop, shelves: map[kind]*shelf{}}
}

// Expect announces that n runs like spec will follow, so that containers can be
// started for them. It returns at once. Without a pool, and for a Spec that is
// not valid, it does nothing: the run itself will say so.
func (d *Docker) Expect(spec Spec, n int) {
	spec, err := d.engine.normal(spec)
	if err != nil || d.pool.depth == 0 {
		return
	}
	d.pool.expect(spec, n)
}

func (p *pool) expect(spec Spec, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := kindOf(spec)
	s := p.shelves[k]
	if s == nil {
		s = &shelf{spec: Spec{Image: spec.Image, Runtime: spec.Runtime, Limits: spec.Limits, Exceptions: spec.Exceptions}}
		p.shelves[k] = s
	}
	s.wanted += n
	p.fill(s)
}

// fill starts containers until as many wait as are wanted and allowed.
func (p *pool) fill(s *shelf) {
	for len(s.waiting) < min(s.wanted, p.depth) && p.ctx.Err() == nil {
		ready := make(chan opened, 1)
		s.waiting = append(s.waiting, ready)
		p.work.Go(func() {
			b, id, err := p.engine.instanceFor(p.ctx, s.spec)
			ready <- opened{b, id, err}
		})
	}
}

// take returns a container for a Spec; nil is none, and the caller makes one.
func (p *pool) take(ctx context.Context, spec Spec) (*instance, string) {
	p.mu.Lock()
	s := p.shelves[kindOf(spec)]
	if s == nil || len(s.waiting) == 0 {
		p.mu.Unlock()
		return nil, ""
	}
	ready := s.waiting[0]
	s.waiting = s.waiting[1:]
	s.wanted--
	p.fill(s)
	p.mu.Unlock()
	select {
	case o := <-ready:
		if o.err != nil {
			return nil, "" // a run of its own says what is wrong
		}
		return o.box, o.id
	case <-ctx.Done():
		p.discard(ready)
		return nil, ""
	}
}

// discard removes a container that no one wants any more, once it is there.
func (p *pool) discard(ready <-chan opened) {
	p.work.Go(func() {
		if o := <-ready; o.err == nil {
			p.remove(o.box)
		}
	})
}

// retire removes a used container, in the background where there is a pool.
func (p *pool) retire(b *instance) {
	if p.depth == 0 {
		p.remove(b)
		return
	}
	p.work.Go(func() { p.remove(b) })
}

func (p *pool) remove(b *instance) {
	if err := b.close(context.WithoutCancel(p.ctx)); err != nil {
		// The result holds; the next sweep tries again.
		p.engine.log.Warn("a container was left behind", "container", b.id, "error", err)
	}
}

// close removes all containers and returns when they are gone.
func (p *pool) close() {
	p.stop()
	p.mu.Lock()
	for _, s := range p.shelves {
		for _, ready := range s.waiting {
			p.discard(ready)
		}
		s.waiting, s.wanted = nil, 0
	}
	p.mu.Unlock()
	p.work.Wait()
}
