package netsim

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"time"

	"github.com/aigate/gate/sandbox/internal/canary"
)

// Config is what a [Net] is made of. The zero value plays everything but TLS and
// looks for no canaries.
type Config struct {
	CA             *Authority       // signs the certificates; nil: TLS is recorded and not answered
	Canaries       *canary.Matcher  // what is looked for in all that arrives; nil: nothing
	MetadataSecret string           // a canary: the secret in the credentials of the metadata service
	Clock          func() time.Time // what NTP, HTTP and certificates say; nil: time.Now
	Limits         Limits
	Reserved       bool // the names that are reserved for examples have addresses too
	// Outside connects to a real host on a port, by the name under which the program
	// looked it up; nil, and a nil connection, is simulated.
	Outside func(host string, port uint16) io.ReadWriteCloser
}

// Limits bound what one run can cost. Zero fields have the default.
type Limits struct {
	Peers       int           // addresses with a listener of their own; 256
	Connections int           // at once; 64
	Bytes       int64         // received on one connection; 64 MiB
	Events      int           // distinct ones; 4096
	Quiet       time.Duration // how long a client may be silent before a server speaks first; 150 ms
	Silent      time.Duration // how long a client may be silent before it gets an order, on ports of no known protocol; 1 s
	Idle        time.Duration // between two pieces of a request; 10 s
	Life        time.Duration // of a connection; 2 min
	Drain       time.Duration // how long Close looks at what has arrived; 10 s
}

func (l Limits) withDefaults() Limits {
	set := func(v *int, to int) {
		if *v <= 0 {
			*v = to
		}
	}
	wait := func(v *time.Duration, to time.Duration) {
		if *v <= 0 {
			*v = to
		}
	}
	set(&l.Peers, 256)
	set(&l.Connections, 64)
	set(&l.Events, 4096)
	if l.Bytes <= 0 {
		l.Bytes = 64 << 20
	}
	wait(&l.Quiet, 150*time.Millisecond)
	wait(&l.Silent, time.Second)
	wait(&l.Idle, 10*time.Second)
	wait(&l.Life, 2*time.Minute)
	wait(&l.Drain, 10*time.Second)
	return l
}

// ErrClosed is the answer of a Net that was closed.
var ErrClosed = errors.New("the simulated internet is closed")

// Net is one simulated internet. It is safe for use by several goroutines.
type Net struct {
	cfg   Config
	start time.Time
	log   *log
	names *names
	dns   *dnsServer
	web   *web
	slots chan struct{} // one for each connection

	mu        sync.Mutex
	closed    bool
	ending    chan struct{}                     // closed when Close is called
	peers     map[netip.AddrPort]netip.AddrPort // destination → local
	originals map[netip.AddrPort]netip.AddrPort // local → destination
	open      map[closer]struct{}               // listeners, sockets, connections
	work      sync.WaitGroup
}

type closer interface{ Close() error }

// New returns a Net. It has to be closed.
func New(cfg Config) *Net {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	cfg.Limits = cfg.Limits.withDefaults()
	n := &Net{
		cfg:       cfg,
		start:     time.Now(),
		names:     newNames(cfg.Reserved),
		slots:     make(chan struct{}, cfg.Limits.Connections),
		peers:     map[netip.AddrPort]netip.AddrPort{},
		originals: map[netip.AddrPort]netip.AddrPort{},
		open:      map[closer]struct{}{},
		ending:    make(chan struct{}),
	}
	n.log = newLog(cfg.Limits.Events, n.start)
	n.dns = newDNS(n)
	n.web = newWeb(n)
	return n
}

// Original returns what local plays, for the supervisor to put into the answers
// of getpeername and recvfrom. It is not known for the address that is shared
// by those beyond Limits.Peers.
func (n *Net) Original(local netip.AddrPort) (dst netip.AddrPort, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	dst, ok = n.originals[local]
	return dst, ok
}

// Events returns what happened, in the order in which it began. What is still
// going on may be missing until [Net.Close] has returned.
func (n *Net) Events() []Event { return n.log.all() }

// Lost returns how much of what happened is not in the events, or was not
// searched to its end. Anything but 0 means that there may be more to know.
func (n *Net) Lost() int64 { return n.log.lost.Load() }

// The time that Close gives. What a program has sent before it ended is there
// already and needs none of it.
const (
	grace     = 100 * time.Millisecond // for programs that still live
	lastWait  = 5 * time.Millisecond   // for the kernel to hand over what has arrived
	lastTries = 100
)

// Close takes what has arrived, ends all connections, and returns when everything
// is recorded and no goroutine is left. The programs should have ended before:
// then it takes some milliseconds, otherwise a tenth of a second, and longer where much
// has arrived. The error is
// always nil.
func (n *Net) Close() error {
	n.mu.Lock()
	first := !n.closed
	n.closed = true
	if first {
		close(n.ending)
	}
	end := time.Now().Add(grace)
	for c := range n.open {
		switch c := c.(type) {
		case *bounded:
			c.endBy(end)
		case interface{ SetDeadline(time.Time) error }: // listeners and sockets
			_ = c.SetDeadline(time.Now()) // it is closed
		}
	}
	n.mu.Unlock()
	// Nothing gets this far that keeps to its deadlines.
	insist := time.AfterFunc(n.cfg.Limits.Drain+10*grace, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		for c := range n.open {
			c.Close() // there is nothing to be done about it
		}
	})
	defer insist.Stop()
	n.work.Wait()
	if first {
		n.web.close()
		n.dns.close()
	}
	return nil
}

// begin runs f for a connection that was just accepted, under recover, and closes
// it at the end.
func (n *Net) begin(b *bounded, f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.open[b] = struct{}{}
	if n.closed {
		b.endBy(time.Now().Add(grace))
	}
	n.work.Go(func() { // anyone who accepts is part of the work, so no one has waited it out
		defer func() {
			n.mu.Lock()
			delete(n.open, b)
			n.mu.Unlock()
			b.Close()
		}()
		n.guard(f)
	})
}

// guard runs f. A panic is a gap in the evidence and nothing worse.
func (n *Net) guard(f func()) {
	defer func() {
		if v := recover(); v != nil {
			n.log.lost.Add(1)
			n.log.add(Event{Kind: "tcp", Peer: "unknown", Detail: clean(fmt.Sprint("the simulated internet broke: ", v), maxDetail)})
		}
	}()
	f()
}
