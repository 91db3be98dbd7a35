package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// registry is a server that answers with what it was asked.
func registry(t *testing.T, h http.HandlerFunc) (s *httptest.Server, host string) {
	t.Helper()
	s = httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return s, u.Host
}

func certificate(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// installer is a client whose only way out is a proxy with these options.
func installer(t *testing.T, o Options) (*http.Client, *Proxy) {
	t.Helper()
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var served sync.WaitGroup
	served.Go(func() {
		if err := p.Serve(ctx, l); err != nil {
			t.Error(err)
		}
	})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.Authority())
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr().String()}), TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(func() { transport.CloseIdleConnections(); cancel(); served.Wait() })
	return &http.Client{Transport: transport}, p
}

func ask(t *testing.T, c *http.Client, method, address string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer of-the-container")
	req.Header.Set("Cookie", "of=the-container")
	res, err := c.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return res.StatusCode, err.Error()
	}
	return res.StatusCode, string(data)
}

func TestRegistriesAloneAreAskedAndOnlyToRead(t *testing.T) {
	s, host := registry(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Method+" "+r.URL.Path) })
	other, otherHost := registry(t, func(http.ResponseWriter, *http.Request) { t.Error("a host that is no registry was asked") })
	_ = other
	c, p := installer(t, Options{Hosts: []string{host}, CA: certificate(s), Scopes: map[string]string{"@acme": "npm.acme.example"}})
	for name, tt := range map[string]struct {
		method, address string
		status          int
		says            string
	}{
		"a package":                 {"GET", s.URL + "/left-pad", 200, "GET /left-pad"},
		"its head":                  {"HEAD", s.URL + "/left-pad", 200, ""},
		"a path that is encoded":    {"GET", s.URL + "/@other%2fpad", 200, "GET /@other/pad"},
		"what git fetches":          {"POST", s.URL + "/a.git/git-upload-pack", 200, "POST /a.git/git-upload-pack"},
		"what git pushes":           {"POST", s.URL + "/a.git/git-receive-pack", 403, "only reading"},
		"a package that is put":     {"PUT", s.URL + "/left-pad", 403, "only reading"},
		"another host":              {"GET", "https://" + otherHost + "/x", 0, "Forbidden"},
		"another host without TLS":  {"GET", "http://" + otherHost + "/x", 403, "not among the registries"},
		"a scope of another":        {"GET", s.URL + "/@acme/secret", 403, "belongs to npm.acme.example"},
		"the same scope, encoded":   {"GET", s.URL + "/@acme%2fsecret", 403, "belongs to npm.acme.example"},
		"the metadata of a machine": {"GET", "http://169.254.169.254/latest", 403, "not among the registries"},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := ask(t, c, tt.method, tt.address)
			if status != tt.status || !strings.Contains(body, tt.says) {
				t.Errorf("%d %q, want %d %q", status, body, tt.status, tt.says)
			}
		})
	}
	if len(p.Refused()) < 6 {
		t.Errorf("on record: %q", p.Refused())
	}
}

func TestCredentialsReachThePlaceThatTheyAreForAndNoOther(t *testing.T) {
	said := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("Authorization")+"|"+r.Header.Get("Cookie"))
	}
	other, otherHost := registry(t, said)
	s, host := registry(t, func(w http.ResponseWriter, r *http.Request) {
		if to, ok := strings.CutPrefix(r.URL.Path, "/private/leads-to/"); ok {
			http.Redirect(w, r, "https://"+to+"/x", http.StatusFound)
			return
		}
		said(w, r)
	})
	c, _ := installer(t, Options{Hosts: []string{host}, CA: slices.Concat(certificate(s), certificate(other)), Credentials: []Credential{
		{Host: host, Authorization: "Bearer whole"}, {Host: host, Prefix: "/private/", Authorization: "Bearer private"},
	}})
	for path, want := range map[string]string{
		"/public":                          "Bearer whole|",
		"/private/pkg":                     "Bearer private|",
		"/privateer":                       "Bearer whole|",
		"/private/leads-to/" + otherHost:   "|",
		"/private/leads-to/" + host:        "Bearer whole|",
		"/private/%2e%2e/public-after-all": "|",
	} {
		if _, got := ask(t, c, "GET", s.URL+path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestAnAnswerThatIsTooLargeDoesNotLookLikeAWholeOne(t *testing.T) {
	s, host := registry(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) })
	c, _ := installer(t, Options{Hosts: []string{host}, CA: certificate(s), MaxBytes: 1 << 18})
	if status, body := ask(t, c, "GET", s.URL+"/large"); status != 504 || !strings.Contains(body, "more than 262144 bytes were fetched") {
		t.Errorf("%d, %d bytes: %.100q", status, len(body), body)
	}
	if status, body := ask(t, c, "GET", s.URL+"/more"); status != 403 || !strings.Contains(body, "bytes were fetched") {
		t.Errorf("%d %q", status, body)
	}
}

func TestAnAnswerThatBreaksIsAskedForAgain(t *testing.T) {
	var asked atomic.Int32
	s, host := registry(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		if asked.Add(1) < 3 {
			_, _ = w.Write(make([]byte, 10)) // and ends
			return
		}
		_, _ = w.Write(make([]byte, 1000))
	})
	c, _ := installer(t, Options{Hosts: []string{host}, CA: certificate(s)})
	if status, body := ask(t, c, "GET", s.URL+"/pkg.tgz"); status != 200 || len(body) != 1000 || asked.Load() != 3 {
		t.Errorf("%d with %d bytes after %d tries", status, len(body), asked.Load())
	}
}

func TestLinkLocalAddressesAreNotConnectedTo(t *testing.T) {
	for address, ok := range map[string]bool{
		"169.254.169.254:80": false, "[fe80::1]:443": false, "[::ffff:169.254.169.254]:80": false, "0.0.0.0:80": false, "224.0.0.1:80": false,
		"127.0.0.1:443": true, "10.0.0.7:443": true, "192.0.2.1:443": true,
	} {
		if err := notLinkLocal("tcp", address, nil); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}
