package netsim

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxLayers bounds proxies in TLS in proxies.
const maxLayers = 4

// session is one connection to a server, or what is inside of it.
type session struct {
	n      *Net
	dst    netip.AddrPort // zero: one of those that share a listener
	host   string         // as the client called it: in TLS, to a proxy; "" if it did not
	port   uint16         // that the client asked a proxy for; 0: dst's
	secure bool           // inside TLS
	layers int
}

// peer names the server for an event.
func (s *session) peer() string {
	host := s.n.names.name(s.dst.Addr())
	if s.host != "" {
		host = s.host
	}
	if host == "" {
		if !s.dst.IsValid() {
			return "unknown"
		}
		host = s.dst.Addr().String()
	}
	return net.JoinHostPort(host, strconv.Itoa(int(s.toPort())))
}

// address is what the program really connected to.
func (s *session) address() string {
	if !s.dst.IsValid() {
		return ""
	}
	return s.dst.String()
}

func (s *session) toPort() uint16 {
	if s.port != 0 {
		return s.port
	}
	return s.dst.Port()
}

// event starts an event about the session.
func (s *session) event(kind, detail string) Event {
	return Event{Kind: kind, Peer: s.peer(), Address: s.address(), Detail: detail}
}

// accept plays dst on l.
func (n *Net) accept(l *net.TCPListener, dst netip.AddrPort) {
	for {
		c, err := l.Accept()
		switch {
		case err == nil:
			n.accepted(c, dst)
		case errors.Is(err, net.ErrClosed):
			return
		case errors.Is(err, os.ErrDeadlineExceeded): // the Net ends; take what waits
			if c, err := lastly(l.SetDeadline, l.Accept); err == nil {
				n.accepted(c, dst)
				continue
			}
			l.Close()
			return
		default:
			n.log.lost.Add(1) // no descriptors: anyone who connects now is not seen
			select {
			case <-n.ending:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
}

// lastly tries once more what a deadline has ended: what is there already is to be
// taken, and a deadline in the past does not let it.
func lastly[T any](set func(time.Time) error, try func() (T, error)) (T, error) {
	for range lastTries {
		end := time.Now().Add(lastWait)
		if err := set(end); err != nil {
			var none T
			return none, err
		}
		if time.Until(end) > lastWait/2 {
			break
		} // a busy machine let it wait until the deadline was over again, or nearly
	}
	v, err := try()
	if err := set(time.Now()); err != nil {
		return v, err
	}
	return v, err
}

func (n *Net) accepted(c net.Conn, dst netip.AddrPort) {
	s := &session{n: n, dst: dst}
	select {
	case n.slots <- struct{}{}:
	default:
		n.log.lost.Add(1)
		n.log.add(s.event("tcp", "one connection too many at once, closed"))
		c.Close()
		return
	}
	b := &bounded{Conn: c, n: n, end: time.Now().Add(n.cfg.Limits.Life), left: n.cfg.Limits.Bytes}
	n.begin(b, func() {
		defer func() { <-n.slots }()
		s.play(newPeeker(b))
	})
}

// deadline gives the client Limits.Idle for what comes next.
func (s *session) deadline(c net.Conn) error {
	return c.SetDeadline(time.Now().Add(s.n.cfg.Limits.Idle))
}

// first waits until the first bytes tell what they are. Where servers speak first
// they may never come, and it does not wait for long.
func (s *session) first(c *peeker) protocol {
	wait := s.n.cfg.Limits.Life
	switch port := s.toPort(); {
	case slices.Contains(securePorts, port) && !s.secure:
		wait = s.n.cfg.Limits.Idle // a greeting would break the handshake of a slow client
	case speaksFirst(port):
		wait = s.n.cfg.Limits.Quiet
	case !slices.Contains(webPorts, port):
		wait = s.n.cfg.Limits.Silent // what only listens takes orders
	}
	for size := 1; ; size++ {
		if err := c.SetDeadline(time.Now().Add(wait)); err != nil {
			return unknown
		}
		b, err := c.r.Peek(size)
		p, more := sniff(b)
		if err != nil || !more {
			if c.SetDeadline(time.Time{}) != nil {
				return unknown
			}
			return p
		}
		wait = s.n.cfg.Limits.Idle
	}
}

// play is a connection from its start to its end.
func (s *session) play(c *peeker) {
	if out := s.outside(); out != nil {
		s.forward(c, out)
		return
	}
	p := s.first(c)
	port := s.toPort()
	if p == hello && s.n.cfg.CA != nil && s.layers < maxLayers {
		s.tls(c)
		return
	}
	t := s.n.newTap()
	defer t.close()
	w := &tapped{c, t}
	switch talk := dialogueFor(port); {
	case p == request && s.layers < maxLayers:
		s.serve(w, w.tap)
	case p == hello || p == request:
		s.raw(w, false)
	case slices.Contains(dnsPorts, port):
		s.dns(w)
	case slices.Contains(mailPorts, port):
		s.mail(w)
	case talk != nil:
		s.talk(w, talk)
	default:
		s.raw(w, true)
	}
}

// raw reads until the client has had enough. With orders, a client that has nothing more to say
// gets one line that a shell runs: where it does, the client handed its shell to the server.
func (s *session) raw(w *tapped, orders bool) {
	buf := make([]byte, 4096)
	for {
		wait := s.n.cfg.Limits.Life
		if orders {
			wait = 2 * s.n.cfg.Limits.Quiet
		}
		err := w.SetReadDeadline(time.Now().Add(wait))
		if err == nil {
			_, err = w.Read(buf)
		}
		if orders && errors.Is(err, os.ErrDeadlineExceeded) {
			orders = false
			if err = w.SetDeadline(time.Now().Add(s.n.cfg.Limits.Idle)); err == nil {
				_, err = io.WriteString(w, order)
			}
		}
		if err != nil {
			break
		}
	}
	s.rest(w.tap, "")
}

// rest records a connection that is no protocol with events of its own.
func (s *session) rest(t *tap, detail string) {
	t.close()
	kind := "tcp"
	if s.secure {
		kind = "tls"
	}
	e := s.event(kind, detail)
	t.fill(&e)
	if e.Detail == "" {
		e.Detail = "data"
		if e.Bytes == 0 {
			e.Detail = "connected, sent nothing"
		}
	}
	s.n.log.add(e)
}

// tls shakes hands and plays what is inside.
func (s *session) tls(c net.Conn) {
	inner, t, err := s.handshake(c)
	if err != nil {
		s.failed(err)
		return
	}
	defer t.Close()
	if t.ConnectionState().NegotiatedProtocol == "h2" {
		inner.serve(t, nil)
		return
	}
	inner.play(newPeeker(t))
}

// failed records a handshake that came to nothing: mostly a client that trusts
// only whom it knows.
func (s *session) failed(err error) {
	why := err.Error()
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op != "remote error" {
		why = "the connection ended" // the rest differs from run to run
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		why = "the client went away"
	}
	e := s.event("tls", "handshake failed: "+why)
	e.Canaries = s.n.find([]byte(s.host))
	s.n.log.add(e)
}

// handshake makes c secure and returns the session inside.
func (s *session) handshake(c net.Conn) (*session, *tls.Conn, error) {
	inner := *s
	inner.secure, inner.layers = true, s.layers+1
	cfg := &tls.Config{
		MinVersion: tls.VersionTLS10, // an old client is evidence like any other
		NextProtos: []string{"h2", "http/1.1"},
		Time:       s.n.cfg.Clock,
	}
	var name string
	cfg.GetConfigForClient = func(ch *tls.ClientHelloInfo) (*tls.Config, error) {
		name = strings.ToLower(ch.ServerName)
		own := cfg.Clone()
		own.GetConfigForClient = nil
		// What is not HTTP gets its way and is read as it comes.
		if len(ch.SupportedProtos) > 0 && !slices.ContainsFunc(ch.SupportedProtos, func(p string) bool { return slices.Contains(cfg.NextProtos, p) }) {
			own.NextProtos = ch.SupportedProtos[:1]
		}
		return own, nil
	}
	cfg.GetCertificate = func(ch *tls.ClientHelloInfo) (*tls.Certificate, error) {
		host := name
		if host == "" {
			host = s.host
		}
		if host == "" {
			host = s.n.names.name(s.dst.Addr())
		}
		if _, err := netip.ParseAddr(host); err == nil {
			host = "" // to a proxy; the certificate is for the address
		}
		return s.n.cfg.CA.leaf(host, s.dst.Addr())
	}
	t := tls.Server(c, cfg)
	if err := s.deadline(c); err != nil {
		return nil, nil, err
	}
	if err := t.HandshakeContext(context.Background()); err != nil { // the connection has its deadlines
		if name != "" {
			s.host = name
		}
		return nil, nil, err
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		return nil, nil, err
	}
	if name != "" {
		inner.host = name
	}
	return &inner, t, nil
}
