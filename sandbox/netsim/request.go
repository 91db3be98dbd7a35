package netsim

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// ask is a request, as far as answers depend on it.
type httpRequest struct {
	s       *session
	method  string
	host    string // in lower case, without port; an address without brackets
	url     string // in full
	path    string // as it was sent, unescaped
	query   url.Values
	header  http.Header
	body    []byte // the head of it
	proxied bool   // the program believes that it speaks to a proxy
}

func newHTTPRequest(s *session, r *http.Request) *httpRequest {
	q := &httpRequest{s: s, method: r.Method, host: s.host, path: r.URL.Path, header: r.Header}
	q.query = r.URL.Query()
	q.proxied = r.URL.Host != "" || r.Method == http.MethodConnect
	scheme := "http"
	if s.secure {
		scheme = "https"
	}
	if r.URL.Scheme != "" {
		scheme = r.URL.Scheme
	}
	host := r.Host
	if host == "" {
		host = s.peer()
		q.host, _, _ = net.SplitHostPort(host) // of our making
	}
	q.url = scheme + "://" + host + r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		q.url += "?" + r.URL.RawQuery
	}
	if r.Method == http.MethodConnect {
		q.url = r.Host
	}
	return q
}

// kind is the kind of the event.
func (q *httpRequest) kind() string {
	if q.metadata() {
		return "metadata"
	}
	return "http"
}

// detail is what the event says.
func (q *httpRequest) detail() string {
	var notes []string
	if to, name := packageOf(q); name != "" {
		notes = append(notes, to+" package "+name)
	}
	if auth := q.header.Get("Authorization"); auth != "" {
		scheme, _, _ := strings.Cut(auth, " ")
		notes = append(notes, "authorization "+clean(scheme, 20))
	}
	for name := range q.header {
		if low := strings.ToLower(name); strings.Contains(low, "api-key") || strings.Contains(low, "token") || low == "private-key" {
			if q.metadata() {
				break // its own protocol
			}
			notes = append(notes, "credential in a header")
			break
		}
	}
	if q.header.Get("Cookie") != "" {
		notes = append(notes, "cookies")
	}
	if up := q.header.Get("Upgrade"); up != "" {
		notes = append(notes, "upgrade to "+clean(up, 20))
	}
	if q.proxied {
		notes = append(notes, "through a proxy")
	}
	// A name that the program made up for an address that it knew.
	if dst := q.s.dst; dst.IsValid() && q.s.n.names.name(dst.Addr()) != q.host && dst.Addr().String() != q.host && !q.proxied && !q.metadata() {
		notes = append(notes, "at "+dst.String())
	}
	text := q.method + " " + clean(q.url, maxDetail/2)
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

// metadata reports whether the request is to the metadata service of a cloud.
func (q *httpRequest) metadata() bool {
	switch q.host {
	case "metadata.google.internal", "metadata", "instance-data", "instance-data.ec2.internal":
		return true
	}
	a, err := netip.ParseAddr(q.host)
	if err == nil && isMetadata(a) {
		return true
	}
	return isMetadata(q.s.dst.Addr()) && !q.proxied
}

func isMetadata(a netip.Addr) bool {
	switch a {
	case metadataAddr, netip.AddrFrom4([4]byte{169, 254, 170, 2}), netip.AddrFrom4([4]byte{100, 100, 100, 200}),
		netip.MustParseAddr("fd00:ec2::254"):
		return true
	}
	return false
}

// answer is what is sent back. header is pairs of names and values.
type answer struct {
	status int
	header []string
	body   string
}

func typed(status int, contentType, body string) answer {
	return answer{status, []string{"Content-Type", contentType}, body}
}

// reply chooses the answer to a request.
func (n *Net) reply(q *httpRequest) answer {
	switch {
	case q.header.Get("Upgrade") != "" && strings.EqualFold(q.header.Get("Upgrade"), "websocket"):
		return answer{http.StatusServiceUnavailable, []string{"Connection", "close", "Content-Type", "text/plain"}, ""}
	case q.metadata():
		return n.metadata(q)
	}
	if a, ok := n.overHTTPS(q); ok {
		return a
	}
	if registry, name := packageOf(q); registry != "" {
		return noPackage(registry, name)
	}
	return defaultAnswer(q)
}
