package data

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Origin is one entry of the allow-list.
type Origin struct {
	Scheme string // "https" or "http"
	Host   string // a name in lower case, or an address
	Port   uint16
}

var hostName = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// metadata are the addresses at which clouds hand out the keys of a machine.
var metadata = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("192.0.0.192"), netip.MustParseAddr("168.63.129.16"), netip.MustParseAddr("fd00:ec2::254"),
}

// never reports whether an address is reached by no means.
func never(a netip.Addr) bool {
	return a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() || a.Zone() != "" || slices.Contains(metadata, a)
}

// ParseOrigin reads "host", "host:port", "address", "[address]:port", and each with
// "http://" in front; without a port it is that of the scheme. Wildcards, paths and
// names of one word are refused.
func ParseOrigin(s string) (Origin, error) {
	o := Origin{Scheme: "https", Port: 443}
	rest, plain := strings.CutPrefix(s, "http://")
	if plain {
		o.Scheme, o.Port = "http", 80
	} else {
		rest = strings.TrimPrefix(rest, "https://")
	}
	wrong := fmt.Errorf("%.200q is not a host such as data.example.com, data.example.com:8443 or http://127.0.0.1:8000 (lower case, no path, no wildcards)", s)
	o.Host = rest
	if a, err := netip.ParseAddr(rest); err != nil || a.Is4() { // else an address of colons alone
		if host, port, ok := cutPort(rest); ok {
			n, err := strconv.ParseUint(port, 10, 16)
			if err != nil || n == 0 {
				return Origin{}, wrong
			}
			o.Host, o.Port = host, uint16(n)
		}
	}
	if a, err := netip.ParseAddr(strings.Trim(o.Host, "[]")); err == nil {
		if never(a.Unmap()) {
			return Origin{}, fmt.Errorf("%.200q is an address that nothing is fetched from, whatever is listed", s)
		}
		o.Host = a.Unmap().String()
		return o, nil
	}
	if len(o.Host) > 253 || !hostName.MatchString(o.Host) {
		return Origin{}, wrong
	}
	return o, nil
}

// cutPort splits at the last colon that is not inside of brackets.
func cutPort(s string) (host, port string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || strings.HasSuffix(s, "]") {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// originOf is the origin of a URL, which must be one that can be on a list.
func originOf(u *url.URL) (Origin, error) {
	if u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "" || u.User != nil {
		return Origin{}, fmt.Errorf("%.200s is not an http or https URL without a user in it", u.Redacted())
	}
	return ParseOrigin(u.Scheme + "://" + strings.ToLower(u.Host))
}

func (o Origin) String() string {
	host := o.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return fmt.Sprintf("%s://%s:%d", o.Scheme, host, o.Port)
}

// List is an allow-list. Its zero value allows nothing.
type List []Origin

// ParseList reads all entries.
func ParseList(entries []string) (List, error) {
	var l List
	for _, s := range entries {
		o, err := ParseOrigin(s)
		if err != nil {
			return nil, err
		}
		l = append(l, o)
	}
	return l, nil
}

// allows returns why a URL is not fetched, nil where it is.
func (l List) allows(u *url.URL) error {
	o, err := originOf(u)
	switch {
	case err != nil:
		return err
	case !slices.Contains(l, o):
		return &Refused{o}
	}
	return nil
}

// reaches reports whether the list names an address itself.
func (l List) reaches(a netip.Addr, port uint16) bool {
	return !never(a) && slices.ContainsFunc(l, func(o Origin) bool { return o.Host == a.String() && o.Port == port })
}

// Refused is a URL whose origin is not on the list.
type Refused struct{ Origin Origin }

func (r *Refused) Error() string {
	return fmt.Sprintf("%s is not on the list of hosts that data is fetched from (agent.data)", r.Origin)
}
