package supervisor

import (
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

func TestASocketAddressIsReadAsTheKernelReadsIt(t *testing.T) {
	v6 := append([]byte{unix.AF_INET6, 0, 0x01, 0xbb, 0, 0, 0, 0}, netip.MustParseAddr("2001:db8::1").AsSlice()...)
	mapped := append([]byte{unix.AF_INET6, 0, 0, 80, 0, 0, 0, 0}, netip.MustParseAddr("::ffff:192.0.2.1").AsSlice()...)
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"IPv4":                {[]byte{unix.AF_INET, 0, 0x1f, 0x90, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0}, "192.0.2.1:8080"},
		"IPv4, cut short":     {[]byte{unix.AF_INET, 0, 0x1f, 0x90, 192}, "an address of family 2"},
		"IPv6":                {append(v6, 0, 0, 0, 0), "[2001:db8::1]:443"},
		"IPv4 in IPv6":        {append(mapped, 0, 0, 0, 0), "192.0.2.1:80"},
		"a local socket":      {append([]byte{unix.AF_UNIX, 0}, "/run/x.sock\x00rest"...), "unix:/run/x.sock"},
		"an abstract socket":  {append([]byte{unix.AF_UNIX, 0}, "\x00name"...), "unix:@name"},
		"no address":          {[]byte{unix.AF_UNSPEC, 0}, "none"},
		"a family of its own": {[]byte{99, 0, 1, 2}, "an address of family 99"},
		"nothing":             {nil, "an address that could not be read"},
	} {
		if _, got := address(c.raw); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestProgramsOwnConnectionsAreNotPlayed(t *testing.T) {
	for addr, want := range map[string]bool{
		"192.0.2.1:80": true, "[2001:db8::1]:443": true, "169.254.169.254:80": true, "10.0.0.1:22": true,
		"127.0.0.1:8000": false, "[::1]:8000": false, "0.0.0.0:80": false, "192.0.2.1:0": false,
		"127.0.0.1:53": true, "[::1]:53": true, // the resolver that the container is told to use
	} {
		if got := elsewhere(netip.MustParseAddrPort(addr)); got != want {
			t.Errorf("%s: %t, want %t", addr, got, want)
		}
	}
}

func TestAnAddressIsReplacedInItsOwnFamily(t *testing.T) {
	to := netip.MustParseAddrPort("127.0.0.1:4000")
	v4 := []byte{unix.AF_INET, 0, 0, 80, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0}
	v6 := append(append([]byte{unix.AF_INET6, 0, 0, 80, 0, 0, 0, 0}, netip.MustParseAddr("2001:db8::1").AsSlice()...), 7, 0, 0, 0)
	for _, raw := range [][]byte{v4, v6} {
		out := sockaddr(raw, to)
		if got, _ := address(out); got != to || len(out) != len(raw) || out[0] != raw[0] {
			t.Errorf("%v became %v (%v)", raw, out, got)
		}
	}
}
