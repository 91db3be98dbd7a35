package netsim

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/aigate/gate/sandbox/internal/canary"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret is planted in the tests.
const secret = "q7Zt0RmXk2Vb9LpYw4Hd6NsJc8Ge1UfA"

// today is what the clock says in the tests, another year than anybody's.
var today = time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)

// lab is a simulated internet, and a supervisor's part of it: programs connect to
// where they want and get where it says.
type lab struct {
	*Net
	t    *testing.T
	pool *x509.CertPool
}

func newLab(t *testing.T, limits Limits) *lab {
	t.Helper()
	ca, err := NewAuthority(nil, today)
	if err != nil {
		t.Fatal(err)
	}
	if limits.Quiet == 0 {
		limits.Quiet = 20 * time.Millisecond
	}
	n := New(Config{
		CA:             ca,
		Canaries:       canary.NewMatcher([]canary.Token{{ID: "aws-key", Value: secret}}),
		MetadataSecret: "Mt4KqZ8wLx2PvBn6RsTy",
		Clock:          func() time.Time { return today },
		Limits:         limits,
	})
	t.Cleanup(func() { n.Close() })
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca.PEM()) {
		t.Fatal("the authority's certificate is none")
	}
	return &lab{n, t, pool}
}

// dial connects as a program in the sandbox does.
func (l *lab) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err != nil {
		addrs, err := l.resolver("udp").LookupHost(ctx, host)
		if err != nil {
			return nil, err
		}
		host = addrs[0]
	}
	dst, err := netip.ParseAddrPort(net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	local, err := l.Peer(dst)
	if err != nil {
		return nil, err
	}
	if original, ok := l.Original(local); ok && original != dst {
		l.t.Errorf("%v is known as %v", dst, original)
	}
	return new(net.Dialer).DialContext(ctx, network, local.String())
}

// connect dials and fails the test where that fails.
func (l *lab) connect(network, address string) net.Conn {
	l.t.Helper()
	c, err := l.dial(l.t.Context(), network, address)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		l.t.Fatal(err)
	}
	return c
}

func (l *lab) resolver(network string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return l.dial(ctx, network, "192.0.2.53:53")
	}}
}

func (l *lab) trust() *tls.Config {
	return &tls.Config{RootCAs: l.pool, Time: func() time.Time { return today }}
}

// client is a web client that trusts the run's authority.
func (l *lab) client(change func(*http.Transport)) *http.Client {
	tr := &http.Transport{DialContext: l.dial, TLSClientConfig: l.trust()}
	if change != nil {
		change(tr)
	}
	l.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 2 * time.Minute}
}

// get sends a request and returns the answer.
func (l *lab) do(c *http.Client, method, url string, body io.Reader, header ...string) (*http.Response, string) {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.t.Context(), method, url, body)
	if err != nil {
		l.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return resp, string(text)
}

// end closes the internet and returns the events of a kind.
func (l *lab) end(kind string) []Event {
	l.t.Helper()
	l.Close()
	return slices.DeleteFunc(l.Events(), func(e Event) bool { return e.Kind != kind })
}

// only returns the one event of a kind, and that nothing was lost.
func (l *lab) only(kind string) Event {
	l.t.Helper()
	found := l.end(kind)
	if len(found) != 1 {
		l.t.Fatalf("%d events of kind %s: %+v\nall: %+v", len(found), kind, found, l.Events())
	}
	if l.Lost() != 0 {
		l.t.Errorf("%d lost", l.Lost())
	}
	return found[0]
}
