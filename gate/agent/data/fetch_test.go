package data

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is an internet of names in front of two servers on this machine, whose real
// addresses the fetcher never learns.
type world struct {
	names   map[string]string // addresses by name
	servers map[string]string // where an address and port really is
	dialled []string
}

func (w *world) fetcher(roots *x509.CertPool, allow ...string) *Fetcher {
	l, err := ParseList(allow)
	if err != nil {
		panic(err)
	}
	return &Fetcher{
		Allow: l, roots: roots, bytes: 1 << 10,
		Public: func(a netip.Addr) bool { return !a.IsLoopback() && !a.IsPrivate() && !a.IsLinkLocalUnicast() },
		lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			var out []netip.Addr
			for a := range strings.FieldsSeq(w.names[host]) {
				out = append(out, netip.MustParseAddr(a))
			}
			return out, nil
		},
		dial: func(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
			w.dialled = append(w.dialled, at.String())
			real, ok := w.servers[at.String()]
			if !ok {
				return nil, fmt.Errorf("%s: no route", at)
			}
			var d net.Dialer
			return d.DialContext(ctx, "tcp", real)
		},
	}
}

// newWorld has a server that serves over TLS at example.com, 8.8.8.8.
func newWorld(t *testing.T) (*world, *x509.CertPool) {
	t.Helper()
	handler := http.NewServeMux()
	handler.HandleFunc("/values.csv", func(w http.ResponseWriter, r *http.Request) {
		if len(r.Cookies()) > 0 || r.Header.Get("Authorization") != "" || r.Header.Get("Referer") != "" || r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("the request says %v", r.Header)
		}
		fmt.Fprint(w, "a,b\n1,2\n")
	})
	handler.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("x"), 2<<10)) })
	handler.HandleFunc("/missing", http.NotFound)
	for path, to := range map[string]string{
		"/moved": "https://example.com/values.csv", "/elsewhere": "https://evil.example.net/values.csv", "/plain": "http://example.com/values.csv",
		"/loop": "https://example.com/loop", "/inside": "https://127.0.0.1/values.csv", "/metadata": "http://169.254.169.254/latest/", "/port": "https://example.com:22/",
	} {
		handler.Handle(path, http.RedirectHandler(to, http.StatusFound))
	}
	s := httptest.NewTLSServer(handler)
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate()) // which is that of example.com
	real := s.Listener.Addr().String()
	return &world{
		names:   map[string]string{"example.com": "8.8.8.8", "rebind.example.com": "127.0.0.1", "both.example.com": "8.8.8.8 10.0.0.1", "mapped.example.com": "::ffff:127.0.0.1", "nowhere.example.com": ""},
		servers: map[string]string{"8.8.8.8:443": real, "127.0.0.1:443": real, "10.0.0.1:443": real},
	}, roots
}

func TestFetchReturnsListedDataWithItsDigest(t *testing.T) {
	w, roots := newWorld(t)
	got, err := w.fetcher(roots, "example.com").Fetch(t.Context(), []string{"https://example.com/values.csv", "https://example.com/moved", "https://EXAMPLE.com/values.csv?x=1"})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"values.csv", "moved", "values-2.csv"} {
		d := got[i]
		if d.Name != name || string(d.Data) != "a,b\n1,2\n" || d.Bytes != 8 || d.SHA256 != "492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470" {
			t.Errorf("%+v, want %s", d, name)
		}
	}
}

func TestFetchRefusesWhatIsNotListed(t *testing.T) {
	for name, tt := range map[string]struct {
		url, want string
		refused   bool // by the list
		dialled   int
	}{
		"a host that is not listed":              {"https://evil.example.net/x", "not on the list", true, 0},
		"a port that is not listed":              {"https://example.com:8443/x", "not on the list", true, 0},
		"without TLS":                            {"http://example.com/values.csv", "not on the list", true, 0},
		"another scheme":                         {"file:///etc/passwd", "not an http or https URL", false, 0},
		"a password":                             {"https://u:p@example.com/values.csv", "without a user in it", false, 0},
		"a redirect off the list":                {"https://example.com/elsewhere", "not on the list", true, 1},
		"a redirect that gives up TLS":           {"https://example.com/plain", "not on the list", true, 1},
		"a redirect to another port":             {"https://example.com/port", "not on the list", true, 1},
		"a redirect to this machine":             {"https://example.com/inside", "not on the list", true, 1},
		"a redirect to a metadata service":       {"https://example.com/metadata", "nothing is fetched from", false, 1},
		"redirects without an end":               {"https://example.com/loop", "more than 5 redirects", false, 6},
		"too much":                               {"https://example.com/large", "more than 1024 bytes", false, 1},
		"what is not there":                      {"https://example.com/missing", "answered 404", false, 1},
		"a name that leads to this machine":      {"https://rebind.example.com/values.csv", "leads to 127.0.0.1, which is no public address", false, 0},
		"a name that leads inside as well":       {"https://both.example.com/values.csv", "leads to 10.0.0.1", false, 0},
		"an address of this machine in disguise": {"https://mapped.example.com/values.csv", "leads to 127.0.0.1", false, 0},
		"a name without an address":              {"https://nowhere.example.com/values.csv", "has no address", false, 0},
	} {
		w, roots := newWorld(t)
		f := w.fetcher(roots, "example.com", "rebind.example.com", "both.example.com", "mapped.example.com", "nowhere.example.com")
		got, err := f.Fetch(t.Context(), []string{tt.url})
		if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil || len(w.dialled) != tt.dialled {
			t.Errorf("%s: %v, %v, dialled %v; want %q", name, got, err, w.dialled, tt.want)
		}
		if _, ok := errors.AsType[*Refused](err); ok != tt.refused {
			t.Errorf("%s: refused by the list: %v", name, ok)
		}
	}
}

func TestAnAddressInsideIsReachedWhereItIsListedItself(t *testing.T) {
	w, roots := newWorld(t)
	c, err := w.fetcher(roots, "rebind.example.com", "127.0.0.1").connect(t.Context(), "tcp", "rebind.example.com:443")
	if err != nil {
		t.Fatalf("listed: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := w.fetcher(roots, "rebind.example.com", "127.0.0.1:8443").connect(t.Context(), "tcp", "rebind.example.com:443"); err == nil {
		t.Error("another port of it was listed")
	}
}

func TestAListThatIsEmptyAllowsNothing(t *testing.T) {
	f := &Fetcher{}
	if _, err := f.Fetch(t.Context(), []string{"https://example.com/"}); err == nil || !strings.Contains(err.Error(), "agent.data") {
		t.Errorf("%v", err)
	}
	if _, err := f.connect(t.Context(), "tcp", "8.8.8.8:443"); err == nil {
		t.Error("without a view on what is public, an address was dialled")
	}
}

func TestOrigins(t *testing.T) {
	for in, want := range map[string]string{
		"data.example.com": "https://data.example.com:443", "data.example.com:8443": "https://data.example.com:8443", "https://data.example.com": "https://data.example.com:443",
		"http://127.0.0.1:8000": "http://127.0.0.1:8000", "10.1.2.3": "https://10.1.2.3:443", "http://[::1]:80": "http://[::1]:80", "2001:db8::1": "https://[2001:db8::1]:443",
		"http://data.example.com": "http://data.example.com:80",
	} {
		if o, err := ParseOrigin(in); err != nil || o.String() != want {
			t.Errorf("%s: %s, %v; want %s", in, o, err, want)
		}
	}
	for _, in := range []string{
		"", "localhost", "*.example.com", "example.com/x", "Example.com", "u@example.com", "example.com:0", "example.com:99999", "example.com:", "ftp://example.com", "https://",
		"169.254.169.254", "http://169.254.169.254", "[fe80::1]", "fe80::1%eth0", "0.0.0.0", "224.0.0.1", "100.100.100.200", "[fd00:ec2::254]:80", "http://http://example.com", "example.com#x", "::ffff:169.254.169.254",
	} {
		if o, err := ParseOrigin(in); err == nil {
			t.Errorf("%q is taken for %s", in, o)
		}
	}
}

func TestNamesOfFilesArePlain(t *testing.T) {
	taken := map[string]bool{}
	for _, tt := range []struct{ url, want string }{
		{"https://example.com/a/b/values.csv?x=/../../y", "values.csv"}, {"https://example.com/", "data"}, {"https://example.com", "data-2"},
		{"https://example.com/..", "data-3"}, {"https://example.com/%2e%2e%2f%2e%2e%2fetc", "etc"}, {"https://example.com/.env", "env"},
		{"https://example.com/--flag", "flag"}, {"https://example.com/test_program.py", "test_program.py.txt"}, {"https://example.com/a b\u202e.csv", "a_b_.csv"},
		{"https://example.com/VALUES.csv", "VALUES-2.csv"}, {"https://example.com/" + strings.Repeat("_", 300), "data-4"},
	} {
		if got := nameOf(tt.url, taken); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.url, got, tt.want)
		}
	}
}

func FuzzOrigins(f *testing.F) {
	for _, s := range []string{"example.com:443", "http://[::1]:80", "2001:db8::1", "a..b", "http://"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, err := ParseOrigin(s)
		if err != nil {
			return
		}
		again, err := ParseOrigin(o.String())
		if err != nil || again != o {
			t.Errorf("%q is %s, which is %v (%v)", s, o, again, err)
		}
	})
}
