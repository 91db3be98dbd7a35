package internet

import (
	"bufio"
	"io"
	"net"
	"sync"
	"time"
)

// bounded is a connection that ends at its time and after its bytes, whatever its
// user asks for.
type bounded struct {
	net.Conn
	n    *Net
	left int64 // of the one that reads

	mu  sync.Mutex
	end time.Time
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, io.EOF
	}
	k, err := b.Conn.Read(p[:min(int64(len(p)), b.left)])
	if b.left -= int64(k); b.left <= 0 && k > 0 {
		b.n.log.lost.Add(1) // what follows is not seen
	}
	return k, err
}

// until sets a deadline with set, the end at the latest.
func (b *bounded) until(t time.Time, set func(time.Time) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.IsZero() || t.After(b.end) {
		t = b.end
	}
	return set(t)
}

// endBy moves the end forward.
func (b *bounded) endBy(t time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.Before(b.end) {
		b.end = t
		_ = b.Conn.SetDeadline(t) // it has ended
	}
}

func (b *bounded) SetDeadline(t time.Time) error      { return b.until(t, b.Conn.SetDeadline) }
func (b *bounded) SetReadDeadline(t time.Time) error  { return b.until(t, b.Conn.SetReadDeadline) }
func (b *bounded) SetWriteDeadline(t time.Time) error { return b.until(t, b.Conn.SetWriteDeadline) }

// peeker is a connection whose next bytes can be looked at.
type peeker struct {
	net.Conn
	r *bufio.Reader
}

func newPeeker(c net.Conn) *peeker { return &peeker{c, bufio.NewReaderSize(c, 4096)} }

func (p *peeker) Read(b []byte) (int, error) { return p.r.Read(b) }

// tapped is a connection whose bytes are watched as they are read.
type tapped struct {
	net.Conn
	tap *tap
}

func (t *tapped) Read(b []byte) (int, error) {
	k, err := t.Conn.Read(b)
	_, _ = t.tap.Write(b[:k]) // never fails
	return k, err
}
