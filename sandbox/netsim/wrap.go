package netsim

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// bounded is a connection that ends at its time and after its bytes, whatever its
// user asks for.
type bounded struct {
	net.Conn
	n    *Net
	left int64 // of the one that reads

	mu   sync.Mutex
	end  time.Time
	last time.Time // once the Net ends: until when what is still coming moves the end
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, io.EOF
	}
	k, err := b.Conn.Read(p[:min(int64(len(p)), b.left)])
	// What is looked at takes time, and on a busy machine all that there was. What has
	// arrived meanwhile is there at once.
	for try := 0; try < lastReads && k == 0 && errors.Is(err, os.ErrDeadlineExceeded) && b.goOn(); try++ {
		k, err = b.Conn.Read(p[:min(int64(len(p)), b.left)])
	}
	if b.left -= int64(k); b.left <= 0 && k > 0 {
		b.n.log.lost.Add(1) // what follows is not seen
	}
	if k > 0 {
		b.goOn()
	}
	return k, err
}

// goOn moves the end of a connection that is still read while the Net ends: looking
// at what has arrived takes longer than taking it. It reports whether it did.
func (b *bounded) goOn() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last.IsZero() {
		return false
	}
	end := time.Now().Add(grace)
	if end.After(b.last) {
		b.n.log.lost.Add(1) // what follows is not seen
		return false
	}
	b.end = end
	return b.Conn.SetDeadline(end) == nil
}

// lastReads is how often a read is tried again.
const lastReads = 2

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
	b.last = time.Now().Add(b.n.cfg.Limits.Drain)
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
