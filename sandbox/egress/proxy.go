package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Limits bound what one run may do outside.
type Limits struct {
	Connections int           // in all
	Bytes       int64         // of all connections, both ways
	Dial        time.Duration // to resolve and connect
	Hello       time.Duration // for the first words of the program
}

// DefaultLimits are those of a Proxy that names none.
func DefaultLimits() Limits {
	return Limits{Connections: 64, Bytes: 64 << 20, Dial: 10 * time.Second, Hello: 10 * time.Second}
}

// Record is one attempt to get out.
type Record struct {
	Target  Target
	Address string // that was connected to; "" is none
	Said    string // "TLS for example.com", "HTTP GET to example.com"
	Up      int64  // bytes to the host
	Down    int64  // bytes from it
	Refused string // why nothing was passed on; "" where it was
	// Unanswered says that this is the host's or the network's doing.
	Unanswered bool
	After      time.Duration
}

// Proxy is the way out of one run. It is safe for concurrent use.
type Proxy struct {
	allow   []Target
	limits  Limits
	resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	dial    func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
	begin   time.Time
	bytes   atomic.Int64

	mu      sync.Mutex
	opened  int
	records []Record
}

// Options are what a Proxy depends on. The zero value is the machine's resolver and
// network, and [DefaultLimits].
type Options struct {
	Limits Limits
	// Resolve returns the addresses of a name.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address that was checked.
	Dial func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// New returns a Proxy for one run that reaches the targets of a list.
func New(allow []Target, o Options) *Proxy {
	p := &Proxy{allow: slices.Clone(allow), limits: o.Limits, resolve: o.Resolve, dial: o.Dial, begin: time.Now()}
	if p.limits == (Limits{}) {
		p.limits = DefaultLimits()
	}
	if p.resolve == nil {
		p.resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host+".") // no search domains
		}
	}
	if p.dial == nil {
		d := &net.Dialer{}
		p.dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			return d.DialContext(ctx, "tcp", to.String())
		}
	}
	return p
}

// maxRecords bounds the records of one run.
const maxRecords = 256

// Records are all attempts so far, in the order in which they ended.
func (p *Proxy) Records() []Record {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.records)
}

// errRefused is why nothing was passed on.
type errRefused struct {
	why        string
	unanswered bool
}

func (e *errRefused) Error() string { return e.why }

func refuse(format string, args ...any) error { return &errRefused{why: fmt.Sprintf(format, args...)} }

// unanswered is what the host or the network did not do.
func unanswered(format string, args ...any) error {
	return &errRefused{why: fmt.Sprintf(format, args...), unanswered: true}
}

// Serve passes one connection of a program on to the target that it asked for, or
// not, and closes it. What became of it is on record.
func (p *Proxy) Serve(ctx context.Context, want Target, program io.ReadWriteCloser) {
	r := Record{Target: want, After: time.Since(p.begin)}
	err := p.serve(ctx, want, program, &r)
	if err != nil {
		r.Refused = err.Error()
		if e, ok := errors.AsType[*errRefused](err); ok {
			r.Unanswered = e.unanswered
		}
	}
	_ = program.Close() // whatever it says, it is over
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.records) < maxRecords {
		p.records = append(p.records, r)
	}
}

func (p *Proxy) serve(ctx context.Context, want Target, program io.ReadWriteCloser, r *Record) error {
	if !slices.Contains(p.allow, want) {
		return refuse("the policy does not name %s", want)
	}
	if !p.admit() {
		return refuse("more than %d connections", p.limits.Connections)
	}
	stop := context.AfterFunc(ctx, func() { _ = program.Close() })
	defer stop()
	first, said, err := hello(program, want, p.limits.Hello)
	if err != nil {
		return err
	}
	r.Said = said
	remote, at, err := p.connect(ctx, want)
	if err != nil {
		return err
	}
	r.Address = at.String()
	defer remote.Close()
	stopRemote := context.AfterFunc(ctx, func() { _ = remote.Close() })
	defer stopRemote()
	return p.pass(program, remote, first, r)
}

func (p *Proxy) admit() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened++
	return p.opened <= p.limits.Connections
}

// connect resolves a name, checks all that it means, and connects to what was
// checked.
func (p *Proxy) connect(ctx context.Context, want Target) (net.Conn, netip.AddrPort, error) {
	ctx, cancel := context.WithTimeout(ctx, p.limits.Dial)
	defer cancel()
	addrs, err := p.resolve(ctx, want.Host)
	if err != nil {
		return nil, netip.AddrPort{}, unanswered("%s was not found: %v", want.Host, err)
	}
	if len(addrs) == 0 {
		return nil, netip.AddrPort{}, unanswered("%s has no address", want.Host)
	}
	for i, a := range addrs {
		addrs[i] = a.Unmap()
		if !Public(addrs[i]) {
			return nil, netip.AddrPort{}, refuse("%s leads to %s, which is no public address", want.Host, a)
		}
	}
	var last error
	for _, a := range addrs {
		at := netip.AddrPortFrom(a, want.Port)
		c, err := p.dial(ctx, at)
		if err == nil {
			return c, at, nil
		}
		last = errors.Join(last, err)
	}
	return nil, netip.AddrPort{}, unanswered("%s does not answer: %v", want, last)
}

// pass copies both ways until both have ended or the bytes are used up.
func (p *Proxy) pass(program io.ReadWriter, remote net.Conn, first []byte, r *Record) error {
	var up, down atomic.Int64
	defer func() { r.Up, r.Down = up.Load(), down.Load() }()
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.MultiWriter(&meter{p, &up}, remote), io.MultiReader(newReader(first), program))
		if half, ok := remote.(interface{ CloseWrite() error }); ok && err == nil {
			err = half.CloseWrite()
		}
		done <- err
	}()
	_, err := io.Copy(io.MultiWriter(&meter{p, &down}, program), remote)
	// The answer is complete: what the program still says no one reads.
	if c, ok := program.(io.Closer); ok {
		_ = c.Close()
	}
	_ = remote.Close()
	if uerr := <-done; errors.Is(uerr, errTooMuch) || errors.Is(err, errTooMuch) {
		return refuse("ended: more than %d bytes", p.limits.Bytes)
	}
	return nil
}

var errTooMuch = errors.New("too many bytes")

// meter counts the bytes of one way against those of the run.
type meter struct {
	p *Proxy
	n *atomic.Int64
}

func (m *meter) Write(b []byte) (int, error) {
	if m.p.bytes.Add(int64(len(b))) > m.p.limits.Bytes {
		return 0, errTooMuch
	}
	m.n.Add(int64(len(b)))
	return len(b), nil
}
