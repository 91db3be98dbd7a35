package netsim

import (
	"errors"
	"io"
)

// outside returns the way to the real host behind a session, where there is one:
// only by a name that was looked up, never by an address.
func (s *session) outside() io.ReadWriteCloser {
	if s.n.cfg.Outside == nil || s.layers > 0 || !s.dst.IsValid() {
		return nil
	}
	host := s.n.names.name(s.dst.Addr())
	if host == "" {
		return nil
	}
	return s.n.cfg.Outside(host, s.dst.Port())
}

// forward passes a connection on as it is. What the program says is searched for
// canaries like everything that it says; in TLS there is nothing to be seen.
func (s *session) forward(c *peeker, out io.ReadWriteCloser) {
	t := s.n.newTap()
	defer t.close()
	w := &tapped{c, t}
	up := make(chan struct{})
	go func() {
		defer close(up)
		_, err := io.Copy(out, w)
		if half, ok := out.(interface{ CloseWrite() error }); ok && err == nil {
			err = half.CloseWrite()
		}
		if err != nil {
			err = errors.Join(err, out.Close())
		}
		_ = err // the connection is over, and the other way says so
	}()
	_, _ = io.Copy(c.Conn, out) // until one of them has had enough
	_ = out.Close()
	_ = c.Close()
	<-up
	s.rest(t, "passed on to the real host")
}
