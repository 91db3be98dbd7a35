package supervisor

import (
	"crypto/rand"
	"encoding/binary"
	"io"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
	"github.com/aigate/gate/sandbox/netsim"
)

// redirect lets a call reach the simulated internet: the address in the memory of
// the process becomes the one behind which its peer is played. A process that
// changes it back in time reaches what there is without us, which is nothing.
func (w *watcher) redirect(r *reading, e *wire.Event) {
	if w.net == nil || !r.peer.addr.IsValid() || e.Action == "bind" {
		return
	}
	if !elsewhere(r.peer.addr) {
		if original, ok := w.net.original(r.peer.addr); ok {
			// The program uses an address again that was replaced before.
			e.Object = original.String()
			w.net.reached(original, time.Now())
		}
		return
	}
	w.net.reached(r.peer.addr, time.Now())
	local, err := w.net.get().Peer(r.peer.addr)
	if err == nil {
		err = w.memory.write(r.pid, r.peer.at, sockaddr(r.peer.raw, local))
	}
	if err != nil {
		w.log.missed() // it will fail as it does without any network, and that is not what we promised
	}
}

// nameServer is the port of DNS.
const nameServer = 53

// elsewhere reports whether an address is one that the simulated internet plays.
// Loopback belongs to the program, but for the name server that the container's
// resolver is told to use.
func elsewhere(a netip.AddrPort) bool {
	switch ip := a.Addr(); {
	case a.Port() == nameServer:
		return true
	case a.Port() == 0, ip.IsUnspecified(), ip.IsLoopback():
		return false
	default:
		return true
	}
}

// sockaddr is raw with another address and port, in the family of raw.
func sockaddr(raw []byte, to netip.AddrPort) []byte {
	out := append([]byte(nil), raw...)
	binary.BigEndian.PutUint16(out[2:], to.Port())
	if binary.LittleEndian.Uint16(raw) == unix.AF_INET6 {
		v6 := netip.AddrFrom16(to.Addr().As16()).As16() // ::ffff:127.0.0.1
		copy(out[8:24], v6[:])
		return out
	}
	v4 := to.Addr().As4()
	copy(out[4:8], v4[:])
	return out
}

// simulation is the simulated internet of a run. Most programs never ask for it,
// so it begins with the first that does.
type simulation struct {
	begin func() *netsim.Net

	mu    sync.Mutex
	net   *netsim.Net // nil before
	since time.Time   // when it began
	named time.Time   // when a name server was reached last
	other bool        // something else was
}

func (s *simulation) get() *netsim.Net {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.net == nil {
		s.net, s.since = s.begin(), time.Now()
	}
	return s.net
}

// namesWithin is how long after the program has reached a name server an answer may be on its
// way.
const namesWithin = time.Second

// reached notes that the program has reached an address at a time.
func (s *simulation) reached(a netip.AddrPort, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.Port() == nameServer {
		s.named = now
		return
	}
	s.other = true
}

// awaited reports whether the program may wait for the simulated internet at a time. What it
// connects to may answer later; a name is answered at once, and a server that listens only
// looks up its own.
func (s *simulation) awaited(now time.Time) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.other || !s.named.IsZero() && now.Sub(s.named) < namesWithin
}

// original is the address behind a local one, "not ok" for none.
func (s *simulation) original(local netip.AddrPort) (netip.AddrPort, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.net == nil {
		return netip.AddrPort{}, false
	}
	return s.net.Original(local)
}

// online prepares the simulated internet of a run and returns what its program
// needs in its environment to trust it.
func (r *run) online() ([]string, error) {
	ca, err := netsim.NewAuthority(rand.Reader, r.seen.log.start)
	if err != nil {
		return nil, err
	}
	trusted := ca.PEM()
	var outside func(string, uint16) io.ReadWriteCloser
	if len(r.job.Observe.Egress) > 0 {
		r.tunnels.allow, outside = r.job.Observe.Egress, r.tunnels.dial
		trusted = slices.Concat(trusted, []byte("\n"), roots())
	}
	if err := plant(wire.Plant{Path: authorityFile, Data: trusted}); err != nil {
		return nil, err
	}
	r.seen.tunnels = r.tunnels
	r.seen.net = &simulation{begin: func() *netsim.Net {
		return netsim.New(netsim.Config{CA: ca, Canaries: r.seen.canaries(), MetadataSecret: r.job.Observe.Metadata, Outside: outside, Reserved: r.job.Observe.Bait})
	}}
	return netsim.Env(authorityFile), nil
}

// authorityFile is where the program finds the certificate of the authority that
// all servers of the simulated internet have theirs from.
const authorityFile = "/tmp/.ca-certificates.crt"

// actions are how the kinds of events of the simulated internet are recorded.
func actions() map[string]string {
	return map[string]string{
		"dns": "resolve", "http": "request", "smtp": "mail", "metadata": "metadata",
		"tls": "traffic", "tcp": "traffic", "udp": "traffic",
	}
}

// offline ends the simulated internet and records what it saw.
func (o *observation) offline() {
	if o.net == nil {
		return
	}
	o.net.mu.Lock()
	defer o.net.mu.Unlock()
	net := o.net.net
	if net == nil {
		return
	}
	o.tunnels.close()
	_ = net.Close() // never fails
	names, after := actions(), o.net.since.Sub(o.log.start)
	for _, e := range net.Events() {
		object, args := e.Detail, []string{e.Peer}
		if object == "" || names[e.Kind] == "traffic" {
			object, args = e.Peer, []string{e.Kind, e.Detail}
		}
		o.log.add(wire.Event{
			Action: names[e.Kind], Object: object, Args: args,
			Count: int64(e.Count), First: max(after+e.First, 1), Data: e.Head, Canaries: e.Canaries,
		})
	}
	o.log.missedMany(net.Lost())
}
