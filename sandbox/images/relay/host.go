package relay

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/hashicorp/yamux"
)

// Host is the side of gate: a session with the relay in a container.
type Host struct {
	session *yamux.Session
	control net.Conn
}

// settings are the same on both sides. The session has no life signs of its own: a
// container that is busy must not look like one that is gone, and one that is gone shows
// by the end of its output.
func settings() *yamux.Config {
	c := yamux.DefaultConfig()
	c.EnableKeepAlive = false
	c.ConnectionWriteTimeout = 10 * time.Minute
	c.StreamOpenTimeout = 0
	c.MaxStreamWindowSize = 4 << 20
	c.LogOutput = io.Discard
	return c
}

// Open begins a session over the standard input and output of a container, and sends what
// it works on: a tar whose files go to [Input].
func Open(ctx context.Context, conn io.ReadWriteCloser, input []byte) (*Host, error) {
	session, err := yamux.Server(conn, settings())
	if err != nil {
		return nil, fmt.Errorf("speak to the container that installs: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()
	control, err := session.Accept()
	if err == nil {
		err = send(control, input)
	}
	if err != nil {
		_ = session.Close()
		return nil, fmt.Errorf("hand the container over what it installs: %w", err)
	}
	return &Host{session: session, control: control}, nil
}

func send(w io.Writer, input []byte) error {
	if err := binary.Write(w, binary.BigEndian, uint64(len(input))); err != nil {
		return err
	}
	_, err := w.Write(input)
	return err
}

// Listener has the connections that the installers open.
func (h *Host) Listener() net.Listener { return listener{h.session} }

type listener struct{ net.Listener }

// Accept implements [net.Listener].
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return stream{c}, nil
}

// stream is a connection that can be read from again after a deadline, as those of net can.
// crypto/tls takes the error of yamux for the end of the connection, so a server would close
// it after each request, while an installer sends its next one.
type stream struct{ net.Conn }

// Read implements [io.Reader].
func (s stream) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	if errors.Is(err, yamux.ErrTimeout) {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

// Wait returns the exit code of the installers.
func (h *Host) Wait(ctx context.Context) (int, error) {
	stop := context.AfterFunc(ctx, func() { _ = h.session.Close() })
	defer stop()
	var code uint32
	if err := binary.Read(h.control, binary.BigEndian, &code); err != nil {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return 0, fmt.Errorf("the container that installs ended before its installers: %w", err)
	}
	return int(code), nil
}

// Close ends the session, and with it the container.
func (h *Host) Close() error { return h.session.Close() }
