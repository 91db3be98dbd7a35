package egress

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// Target is a host that may be reached, by its name in lower case, on one port.
type Target struct {
	Host string
	Port uint16
}

func (t Target) String() string { return net.JoinHostPort(t.Host, strconv.Itoa(int(t.Port))) }

var hostName = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// Parse reads "host:port", or "host" for the ports of HTTPS and HTTP. Addresses, wildcards
// and names of one word are refused.
func Parse(s string) ([]Target, error) {
	host, port, one := strings.Cut(strings.ToLower(strings.TrimSpace(s)), ":")
	if len(host) > 253 || !hostName.MatchString(host) {
		return nil, fmt.Errorf("%q is not a host name such as api.example.com or api.example.com:8443 (no addresses, no wildcards)", s)
	}
	if !one {
		return []Target{{host, 443}, {host, 80}}, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return nil, fmt.Errorf("%q has no port from 1 to 65535", s)
	}
	return []Target{{host, uint16(n)}}, nil
}

// special are the networks that are not public, besides those that
// netip knows.
var special = func() []netip.Prefix {
	var out []netip.Prefix
	for _, s := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}()

// Public reports whether an address is one that anybody on the internet may have.
// Addresses that carry another one inside are none.
func Public(a netip.Addr) bool {
	if a.Is4In6() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
