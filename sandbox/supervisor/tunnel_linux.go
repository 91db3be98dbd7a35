package supervisor

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// A container has no network, also where the policy opens a way out: connections
// to hosts that it names go as frames to gate, which has a proxy for them. Whether
// they get anywhere is decided there; what is decided here keeps only the others
// from troubling it.

// tunnels are the connections of a program that lead outside.
type tunnels struct {
	out   *sender
	allow []string // "host:port"

	mu   sync.Mutex
	next uint32
	open map[uint32]*tunnel
	over bool
}

func newTunnels(out *sender) *tunnels { return &tunnels{out: out, open: map[uint32]*tunnel{}} }

// maxTunnelBytes bounds what waits for a program that does not read, in bytes.
const maxTunnelBytes = 16 << 20

// dial starts a connection to a host, or returns nil for one that no policy names.
func (t *tunnels) dial(host string, port uint16) io.ReadWriteCloser {
	if !slices.Contains(t.allow, net.JoinHostPort(host, strconv.Itoa(int(port)))) {
		return nil
	}
	t.mu.Lock()
	if t.over || len(t.open) >= wire.MaxTunnels {
		t.mu.Unlock()
		return nil
	}
	t.next++
	one := &tunnel{all: t, id: t.next}
	one.more.L = &one.mu
	t.open[one.id] = one
	t.mu.Unlock()
	if t.out.message(wire.KindOpen, wire.Open{ID: one.id, Host: host, Port: port}) != nil {
		one.end()
	}
	return one
}

// deliver takes a frame of the host: the number of a connection and data for it, or
// none at its end.
func (t *tunnels) deliver(payload []byte) error {
	if len(payload) < wire.TunnelHeader {
		return fmt.Errorf("a piece of a connection of %d bytes", len(payload))
	}
	t.mu.Lock()
	one := t.open[binary.BigEndian.Uint32(payload)]
	t.mu.Unlock()
	if one != nil { // or the program has closed it meanwhile
		one.take(payload[wire.TunnelHeader:])
	}
	return nil
}

// close ends all of them.
func (t *tunnels) close() {
	t.mu.Lock()
	t.over = true
	all := make([]*tunnel, 0, len(t.open))
	for _, one := range t.open {
		all = append(all, one)
	}
	t.mu.Unlock()
	for _, one := range all {
		one.end()
	}
}

// tunnel is one connection.
type tunnel struct {
	all *tunnels
	id  uint32

	mu   sync.Mutex
	more sync.Cond
	data []byte
	done bool // nothing more comes
}

func (t *tunnel) take(data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(data) == 0 || len(t.data)+len(data) > maxTunnelBytes {
		t.done = true
	} else if !t.done {
		t.data = append(t.data, data...)
	}
	t.more.Broadcast()
}

// end is the end from our side.
func (t *tunnel) end() { t.take(nil) }

// Read waits for what the host sends.
func (t *tunnel) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.data) == 0 {
		if t.done {
			return 0, io.EOF
		}
		t.more.Wait()
	}
	n := copy(p, t.data)
	t.data = t.data[n:]
	return n, nil
}

// Write sends to the host.
func (t *tunnel) Write(p []byte) (int, error) {
	for sent := 0; sent < len(p); {
		n := min(len(p)-sent, wire.MaxChunk-wire.TunnelHeader)
		if err := t.send(p[sent : sent+n]); err != nil {
			return sent, err
		}
		sent += n
	}
	return len(p), nil
}

// CloseWrite tells the host that the program says no more.
func (t *tunnel) CloseWrite() error { return t.send(nil) }

func (t *tunnel) send(data []byte) error {
	t.mu.Lock()
	done := t.done
	t.mu.Unlock()
	if done && len(data) > 0 {
		return os.ErrClosed
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, wire.TunnelHeader+len(data)), t.id)
	return t.all.out.send(wire.KindUp, append(frame, data...))
}

// Close ends the connection and forgets it.
func (t *tunnel) Close() error {
	t.end()
	t.all.mu.Lock()
	_, known := t.all.open[t.id]
	delete(t.all.open, t.id)
	t.all.mu.Unlock()
	if !known {
		return nil
	}
	return t.send(nil)
}

// roots are the authorities of the image, for hosts that are real. The program
// trusts them besides the one of the simulated internet.
func roots() []byte {
	for _, name := range []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"} {
		if f, err := os.Open(name); err == nil {
			defer f.Close()
			if data, err := io.ReadAll(io.LimitReader(f, 1<<20)); err == nil {
				return data
			}
		}
	}
	return nil
}
