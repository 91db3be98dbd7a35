package fetch

import (
	"io"
	"net"
	"sync"
)

// single is a listener that has one connection and ends with it.
type single struct {
	mu   sync.Mutex
	conn net.Conn      // nil when it was handed out
	done chan struct{} // closed with the connection
	addr net.Addr
}

func newSingle(c net.Conn) *single {
	s := &single{done: make(chan struct{}), addr: c.LocalAddr()}
	s.conn = &closing{Conn: c, closed: sync.OnceFunc(func() { close(s.done) })}
	return s
}

// Accept implements [net.Listener].
func (s *single) Accept() (net.Conn, error) {
	s.mu.Lock()
	c := s.conn
	s.conn = nil
	s.mu.Unlock()
	if c != nil {
		return c, nil
	}
	<-s.done
	return nil, io.EOF
}

// Close implements [net.Listener].
func (s *single) Close() error {
	s.mu.Lock()
	c := s.conn
	s.conn = nil
	s.mu.Unlock()
	if c != nil {
		return c.Close()
	}
	return nil
}

// Addr implements [net.Listener].
func (s *single) Addr() net.Addr { return s.addr }

// closing says when a connection is closed.
type closing struct {
	net.Conn
	closed func()
}

// Close implements [net.Conn].
func (c *closing) Close() error {
	defer c.closed()
	return c.Conn.Close()
}
