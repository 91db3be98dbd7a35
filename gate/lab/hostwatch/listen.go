package hostwatch

import (
	"context"
	"fmt"
	"net"
	"os"
)

// listen opens a port for connections and one for packets on every address of this
// machine, and a socket without a file.
func (m *Monitor) listen(ctx context.Context) error {
	var config net.ListenConfig
	tcp, err := config.Listen(ctx, "tcp", ":0")
	if err != nil {
		return err
	}
	m.listeners = append(m.listeners, tcp)
	_, port, err := net.SplitHostPort(tcp.Addr().String())
	if err != nil {
		return err
	}
	udp, err := config.ListenPacket(ctx, "udp", ":"+port)
	if err != nil {
		return err
	}
	m.listeners = append(m.listeners, udp)
	m.done.Go(func() { m.accept(tcp) })
	m.done.Go(func() { m.receive(udp) })
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return err
	}
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLinkLocalUnicast() {
			at := net.JoinHostPort(ip.IP.String(), port)
			m.addresses = append(m.addresses, "tcp", at, "udp", at)
		}
	}
	name := fmt.Sprintf("@gate-attack-%d", os.Getpid())
	local, err := config.Listen(ctx, "unix", name)
	if err != nil {
		return nil //nolint:nilerr // only Linux has sockets without a file
	}
	m.listeners = append(m.listeners, local)
	m.addresses = append(m.addresses, "unix", name)
	m.done.Go(func() { m.accept(local) })
	return nil
}

func (m *Monitor) accept(l net.Listener) {
	for c, err := l.Accept(); err == nil; c, err = l.Accept() {
		m.came(fmt.Sprintf("a connection from %s came to %s", c.RemoteAddr(), l.Addr()))
		c.Close()
	}
}

func (m *Monitor) receive(l net.PacketConn) {
	buf := make([]byte, 64)
	for _, from, err := l.ReadFrom(buf); err == nil; _, from, err = l.ReadFrom(buf) {
		m.came(fmt.Sprintf("a packet from %s came to %s", from, l.LocalAddr()))
	}
}

func (m *Monitor) came(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.reached) < 100 {
		m.reached = append(m.reached, what)
	}
}
