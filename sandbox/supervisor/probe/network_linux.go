package probe

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// answerWithin is how long a peer is waited for; what is refused is refused at once.
const answerWithin = time.Second

func dial(network, address string) func() error {
	return func() error {
		c, err := (&net.Dialer{Timeout: answerWithin}).DialContext(context.Background(), network, address)
		if err != nil {
			return err
		}
		defer c.Close()
		if _, err = c.Write([]byte("x")); err != nil || network != "udp" {
			return err
		}
		// A packet can always be written; where no one waits for it, the kernel says
		// so afterwards.
		if err := c.SetReadDeadline(time.Now().Add(answerWithin / 5)); err != nil {
			return err
		}
		if _, err = c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		return err
	}
}

// Reach returns a probe for each address, which come as pairs of network and
// address.
func Reach(pairs []string) []Probe {
	var out []Probe
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, Probe{Name: "reach " + pairs[i] + " " + pairs[i+1], Category: Network, Try: dial(pairs[i], pairs[i+1])})
	}
	return out
}

// networkProbes look for a way out.
func networkProbes() []Probe {
	out := []Probe{
		{Name: "connect tcp", Category: Network, Try: dial("tcp", "192.0.2.1:80")},
		{Name: "connect udp", Category: Network, Try: dial("udp", "198.51.100.1:53")},
		{Name: "connect tcp6", Category: Network, Try: dial("tcp", "[2001:db8::1]:443")},
		{Name: "connect metadata", Category: Network, Try: dial("tcp", "169.254.169.254:80")},
		{Name: "connect metadata of containers", Category: Network, Try: dial("tcp", "169.254.170.2:80")},
		{Name: "connect metadata over IPv6", Category: Network, Try: dial("tcp", "[fd00:ec2::254]:80")},
		{Name: "connect metadata of another cloud", Category: Network, Try: dial("tcp", "100.100.100.200:80")},
		{Name: "connect docker bridge", Category: Network, Try: dial("tcp", "172.17.0.1:22")},
		{Name: "connect kubernetes", Category: Network, Try: dial("tcp", "10.96.0.1:443")},
		{Name: "connect the engine over tcp", Category: Network, Try: dial("tcp", "172.17.0.1:2375")},
		{Name: "resolve a name", Category: Network, Try: func() error { _, err := (&net.Resolver{}).LookupHost(context.Background(), "example.com"); return err }},
		{Name: "more than one interface", Category: Network, Try: func() error {
			list, err := net.Interfaces()
			if err == nil && len(list) <= 1 {
				err = errors.New("only loopback")
			}
			return err
		}},
		{Name: "a route", Category: Network, Try: func() error {
			text, err := os.ReadFile("/proc/net/route")
			if err == nil && strings.Count(string(text), "\n") <= 1 {
				err = errors.New("none")
			}
			return err
		}},
		{Name: "a resolver that is not this container", Category: Network, Try: func() error {
			text, err := os.ReadFile("/etc/resolv.conf")
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(text)) {
				if f := strings.Fields(line); len(f) == 2 && f[0] == "nameserver" && !strings.HasPrefix(f[1], "127.") {
					return nil
				}
			}
			return errors.New("none")
		}},
	}
	for _, s := range []struct {
		name                string
		family, kind, proto int
	}{
		{"raw socket", syscall.AF_INET, syscall.SOCK_RAW, syscall.IPPROTO_ICMP},
		{"raw IPv6 socket", syscall.AF_INET6, syscall.SOCK_RAW, syscall.IPPROTO_ICMPV6},
		{"packet socket", syscall.AF_PACKET, syscall.SOCK_RAW, 0},
		{"vsock socket", 40, syscall.SOCK_STREAM, 0},
		{"alg socket", 38, syscall.SOCK_SEQPACKET, 0},
		{"bluetooth socket", 31, syscall.SOCK_RAW, 0},
		{"key socket", 15, syscall.SOCK_RAW, 2},
		{"can socket", 29, syscall.SOCK_RAW, 1},
		{"tipc socket", 30, syscall.SOCK_RDM, 0},
		{"rds socket", 21, syscall.SOCK_SEQPACKET, 0},
		{"xdp socket", 44, syscall.SOCK_RAW, 0},
		{"smc socket", 43, syscall.SOCK_STREAM, 0},
		{"nfc socket", 39, syscall.SOCK_SEQPACKET, 1},
		{"qipcrtr socket", 42, syscall.SOCK_DGRAM, 0},
		{"x25 socket", 9, syscall.SOCK_SEQPACKET, 0},
		{"appletalk socket", 5, syscall.SOCK_DGRAM, 0},
		{"sctp socket", syscall.AF_INET, syscall.SOCK_STREAM, 132},
		{"audit netlink socket", syscall.AF_NETLINK, syscall.SOCK_RAW, 9},
		{"netfilter netlink socket", syscall.AF_NETLINK, syscall.SOCK_RAW, 12},
		{"xfrm netlink socket", syscall.AF_NETLINK, syscall.SOCK_RAW, 6},
		{"generic netlink socket", syscall.AF_NETLINK, syscall.SOCK_RAW, 16},
	} {
		out = append(out, Probe{Name: s.name, Category: Network, Try: socket(s.family, s.kind, s.proto)})
	}
	return out
}

// socketProbes look for services of the host.
func socketProbes() []Probe {
	var out []Probe
	for _, p := range []string{
		"/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/var/run/crio/crio.sock", "/run/podman/podman.sock", "/run/buildkit/buildkitd.sock",
		"/var/run/dockershim.sock", "/run/systemd/private", "/run/dbus/system_bus_socket", "/run/snapd.socket", "/run/libvirt/libvirt-sock", "/tmp/.X11-unix/X0",
		"/run/udev/control", "/run/systemd/journal/socket", "/var/run/nscd/socket", "@/org/kernel/linux/storage/multipathd", "@/containerd-shim", "@/tmp/.X11-unix/X0",
	} {
		out = append(out, Probe{Name: "connect " + p, Category: Sockets, Try: dial("unix", p)})
	}
	return append(out, Probe{Name: "a socket without a file that another process has", Category: Sockets, Try: func() error {
		text, err := os.ReadFile("/proc/net/unix")
		if err == nil && !strings.Contains(string(text), " @") {
			err = errors.New("none")
		}
		return err
	}})
}
