package netsim

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// catchAll stands for all destinations beyond Limits.Peers.
var catchAll = netip.AddrPort{}

// loopback is where everything listens. The kernel chooses the port.
func loopback() net.IP { return net.IPv4(127, 0, 0, 1) }

// Peer returns the loopback address that plays dst for both TCP and UDP: anyone who
// sees a connect cannot tell of which kind the socket is. It is the same for every
// call with the same dst. Beyond Limits.Peers it is one that plays whatever it is
// asked for and does not know who it is. The address is always IPv4, also for an
// IPv6 dst; a socket of that family reaches it as ::ffff:127.0.0.1.
func (n *Net) Peer(dst netip.AddrPort) (netip.AddrPort, error) {
	dst = netip.AddrPortFrom(dst.Addr().Unmap(), dst.Port())
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return netip.AddrPort{}, ErrClosed
	}
	if local, ok := n.peers[dst]; ok {
		return local, nil
	}
	if len(n.originals) >= n.cfg.Limits.Peers {
		dst = catchAll
		if local, ok := n.peers[dst]; ok {
			return local, nil
		}
	}
	var last error
	for range 8 {
		t, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: loopback()})
		if err != nil {
			return netip.AddrPort{}, fmt.Errorf("listen on loopback for %v: %w", dst, err)
		}
		local := t.Addr().(*net.TCPAddr).AddrPort()
		u, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(local))
		if err != nil { // another process has this port for UDP
			last = errors.Join(err, t.Close())
			continue
		}
		if dst != catchAll {
			n.originals[local] = dst
		}
		n.peers[dst] = local
		n.open[t], n.open[u] = struct{}{}, struct{}{}
		n.work.Go(func() { n.accept(t, dst) })
		n.work.Go(func() { n.receive(u, dst) })
		return local, nil
	}
	return netip.AddrPort{}, fmt.Errorf("listen on loopback for %v: no port is free for both TCP and UDP: %w", dst, last)
}
