package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxHello bounds the first words of a program, in bytes.
const maxHello = 64 << 10

func newReader(b []byte) io.Reader { return bytes.NewReader(b) }

// hello reads the first words of a program and checks that they are for the host
// that it asked for. It returns what was read, which still has to be passed on.
func hello(program io.ReadWriteCloser, want Target, within time.Duration) (first []byte, said string, err error) {
	late := time.AfterFunc(within, func() { _ = program.Close() })
	defer late.Stop()
	heard := &recorder{from: io.LimitReader(program, maxHello)}
	b := bufio.NewReaderSize(heard, 4096)
	head, err := b.Peek(1)
	if err != nil {
		return nil, "", refuse("it said nothing")
	}
	var name string
	if head[0] == 0x16 { // a handshake of TLS
		name, err = serverName(b)
		said = "TLS for " + name
	} else {
		var req *http.Request
		if req, err = http.ReadRequest(b); err == nil {
			name = req.Host
			said = "HTTP " + req.Method + " to " + name
			if h, port, serr := net.SplitHostPort(name); serr == nil {
				if port != strconv.Itoa(int(want.Port)) {
					return nil, said, refuse("it is for %s", name)
				}
				name = h
			}
			if req.Method == http.MethodConnect {
				return nil, said, refuse("it asks for a tunnel")
			}
		}
	}
	if err != nil {
		return nil, "", refuse("it is neither TLS nor HTTP: %v", err)
	}
	if !strings.EqualFold(strings.TrimSuffix(name, "."), want.Host) {
		return nil, said, refuse("it is for %q", name)
	}
	return heard.said, said, nil
}

// recorder keeps what is read through it.
type recorder struct {
	from io.Reader
	said []byte
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.said = append(r.said, p[:n]...)
	return n, err
}

// errRead ends a handshake that is only to be read.
var errRead = errors.New("read")

// serverName reads the name that the first message of TLS is for.
func serverName(r io.Reader) (string, error) {
	var name string
	found := false
	server := tls.Server(silent{r}, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		name, found = h.ServerName, true
		return nil, errRead
	}})
	if err := server.HandshakeContext(context.Background()); !found {
		return "", err
	}
	return name, nil
}

// silent is a connection that only reads.
type silent struct{ io.Reader }

func (silent) Write(p []byte) (int, error)      { return len(p), nil }
func (silent) Close() error                     { return nil }
func (silent) LocalAddr() net.Addr              { return nil }
func (silent) RemoteAddr() net.Addr             { return nil }
func (silent) SetDeadline(time.Time) error      { return nil }
func (silent) SetReadDeadline(time.Time) error  { return nil }
func (silent) SetWriteDeadline(time.Time) error { return nil }
