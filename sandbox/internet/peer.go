package internet

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// Peer returns the loopback address that plays dst for both TCP and UDP: whoever
// sees a connect cannot tell of which kind the socket is. It is otherwise as
// [Net.TCP] and [Net.UDP] are.
func (n *Net) Peer(dst netip.AddrPort) (netip.AddrPort, error) {
	dst = netip.AddrPortFrom(dst.Addr().Unmap(), dst.Port())
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return netip.AddrPort{}, ErrClosed
	}
	if local, ok := n.tcp[dst]; ok {
		return local, nil
	}
	if len(n.originals) >= n.cfg.Limits.Peers {
		dst = catchAll
		if local, ok := n.tcp[dst]; ok {
			return local, nil
		}
	}
	var last error
	for range 8 {
		t, local, serveTCP, err := n.listenTCP(dst)
		if err != nil {
			return netip.AddrPort{}, fmt.Errorf("listen on loopback for %v: %w", dst, err)
		}
		u, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(local))
		if err != nil { // somebody has this port for UDP
			last = errors.Join(err, t.Close())
			continue
		}
		if dst != catchAll {
			n.originals[local] = dst
		}
		n.tcp[dst], n.udp[dst] = local, local
		n.open[t], n.open[u] = struct{}{}, struct{}{}
		n.work.Go(serveTCP)
		n.work.Go(func() { n.receive(u, dst) })
		return local, nil
	}
	return netip.AddrPort{}, fmt.Errorf("listen on loopback for %v: no port is free for both TCP and UDP: %w", dst, last)
}
