package relay

import (
	"io"
	"net"
	"sync"

	"github.com/hashicorp/yamux"
)

// accept carries the connections of installers until the listener ends.
func accept(session *yamux.Session, l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go carry(session, conn)
	}
}

// carry copies both ways between an installer and gate. Each way ends by itself: an
// installer may have said all that it has to say and still wait for the answer.
func carry(session *yamux.Session, conn net.Conn) {
	defer conn.Close()
	out, err := session.Open()
	if err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(out, conn) // its end, whatever it is, is passed on
		_ = out.Close()           // which still reads
	})
	both.Go(func() {
		_, _ = io.Copy(conn, out)
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	})
	both.Wait()
}
