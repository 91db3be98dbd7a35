package sandbox

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/aigate/gate/sandbox/egress"
	"github.com/aigate/gate/sandbox/internal/wire"
)

// egressRelay is gate's end of the tunnels of one run: what a program sends to hosts that
// the policy opens comes as frames, and goes through a proxy or nowhere.
type egressRelay struct {
	stop  context.CancelFunc
	proxy *egress.Proxy // nil where there is no way out
	serve func(egress.Target, *line)
	work  sync.WaitGroup

	write sync.Mutex
	w     *wire.Writer

	mu   sync.Mutex
	open map[uint32]*line
	last uint32
}

// newEgressRelay returns the way out that a Spec opens; without one every tunnel is a
// violation.
func newEgressRelay(ctx context.Context, to io.Writer, o *Observe, how egress.Options) *egressRelay {
	x := &egressRelay{open: map[uint32]*line{}, w: wire.NewWriter(to)}
	ctx, x.stop = context.WithCancel(ctx)
	if o == nil || len(o.Egress) == 0 {
		return x
	}
	var allow []egress.Target
	for _, e := range o.Egress {
		targets, err := egress.Parse(e)
		if err != nil {
			return x // Observe.check has refused it
		}
		allow = append(allow, targets...)
	}
	x.proxy = egress.New(allow, how)
	x.serve = func(t egress.Target, l *line) { x.proxy.Serve(ctx, t, l) }
	return x
}

// take is for the frames of tunnels. The supervisor runs beside hostile code, so it
// is held to the protocol and to its bounds.
func (x *egressRelay) take(kind wire.Kind, payload []byte) error {
	if x.proxy == nil {
		return violation("a connection to the outside, where there is none")
	}
	if kind == wire.KindOpen {
		var o wire.Open
		if err := wire.Decode(payload, &o); err != nil {
			return violation("%w", err)
		}
		return x.begin(o)
	}
	if len(payload) < wire.TunnelHeader {
		return violation("a piece of a connection of %d bytes", len(payload))
	}
	x.mu.Lock()
	l := x.open[binary.BigEndian.Uint32(payload)]
	x.mu.Unlock()
	if l == nil {
		return nil // it has ended from our side
	}
	return l.take(payload[wire.TunnelHeader:])
}

func (x *egressRelay) begin(o wire.Open) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o.ID <= x.last || len(x.open) >= 2*wire.MaxTunnels {
		return violation("connection %d to the outside after %d, with %d open", o.ID, x.last, len(x.open))
	}
	x.last = o.ID
	// Whatever it calls itself: what is not on the list the proxy refuses.
	l := &line{x: x, id: o.ID}
	l.more.L = &l.mu
	x.open[o.ID] = l
	x.work.Go(func() { x.serve(egress.Target{Host: o.Host, Port: o.Port}, l) })
	return nil
}

// close ends all connections and returns what became of them.
func (x *egressRelay) close() []Event {
	x.stop()
	x.mu.Lock()
	for _, l := range x.open {
		l.end()
	}
	x.mu.Unlock()
	x.work.Wait()
	if x.proxy == nil {
		return nil
	}
	var out []Event
	for _, r := range x.proxy.Records() {
		became := fmt.Sprintf("%d bytes sent, %d received", r.Up, r.Down)
		if r.Refused != "" {
			became = "refused: " + r.Refused
		}
		if r.Unanswered {
			became = unansweredMark + r.Refused
		}
		object := net.JoinHostPort(r.Target.Host, strconv.Itoa(int(r.Target.Port)))
		out = append(out, Event{Action: ActionEgress, Object: object, Args: []string{r.Address, r.Said, became}, Count: 1, First: r.After, Refused: r.Refused != ""})
	}
	return out
}

// unansweredMark begins what became of an attempt that the proxy allowed.
const unansweredMark = "no answer: "

// EgressUnanswered reports whether an attempt to get out failed because the host or
// the network did not answer, and not because it was refused.
func EgressUnanswered(e Event) bool {
	return e.Action == ActionEgress && len(e.Args) == 3 && strings.HasPrefix(e.Args[2], unansweredMark)
}

func (x *egressRelay) send(id uint32, data []byte) error {
	x.write.Lock()
	defer x.write.Unlock()
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, wire.TunnelHeader+len(data)), id)
	return x.w.Write(wire.KindDown, append(frame, data...))
}

// maxLineBytes bounds what waits to be sent to a host that does not read, in bytes.
const maxLineBytes = 16 << 20

// line is one connection of the program, as the proxy sees it.
type line struct {
	x  *egressRelay
	id uint32

	mu     sync.Mutex
	more   sync.Cond
	data   []byte
	done   bool // nothing more comes
	closed bool // from our side
}

func (l *line) take(data []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.data)+len(data) > maxLineBytes {
		return violation("more than %d bytes wait for a host", maxLineBytes)
	}
	if len(data) == 0 {
		l.done = true
	} else if !l.done {
		l.data = append(l.data, data...)
	}
	l.more.Broadcast()
	return nil
}

func (l *line) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done, l.closed = true, true
	l.more.Broadcast()
}

// Read waits for what the program sends.
func (l *line) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.data) == 0 {
		if l.done {
			return 0, io.EOF
		}
		l.more.Wait()
	}
	n := copy(p, l.data)
	l.data = l.data[n:]
	return n, nil
}

// Write sends to the program.
func (l *line) Write(p []byte) (int, error) {
	for sent := 0; sent < len(p); {
		l.mu.Lock()
		closed := l.closed
		l.mu.Unlock()
		if closed {
			return sent, net.ErrClosed
		}
		n := min(len(p)-sent, wire.MaxChunk-wire.TunnelHeader)
		if err := l.x.send(l.id, p[sent:sent+n]); err != nil {
			return sent, err
		}
		sent += n
	}
	return len(p), nil
}

// Close tells the program that it is over.
func (l *line) Close() error {
	l.mu.Lock()
	first := !l.closed
	l.mu.Unlock()
	l.end()
	l.x.mu.Lock()
	delete(l.x.open, l.id)
	l.x.mu.Unlock()
	if !first {
		return nil
	}
	return l.x.send(l.id, nil)
}
