package relay

import (
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/aigate/gate/sandbox/images/fetch"
)

// session is both ends of one over a pipe, as the engine's connection is.
func session(t *testing.T) (host, container *yamux.Session) {
	t.Helper()
	a, b := net.Pipe()
	host, err := yamux.Server(a, settings())
	if err != nil {
		t.Fatal(err)
	}
	container, err = yamux.Client(b, settings())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close(); container.Close() })
	return host, container
}

func TestManyConnectionsAreCarriedWhole(t *testing.T) {
	body := make([]byte, 70_000)
	if _, err := rand.Read(body); err != nil {
		t.Fatal(err)
	}
	registry := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	defer registry.Close()
	certificate := pemOf(registry)
	address, err := url.Parse(registry.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := fetch.New(fetch.Options{Hosts: []string{address.Host}, CA: certificate})
	if err != nil {
		t.Fatal(err)
	}
	host, container := session(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go accept(container, l)
	var served sync.WaitGroup
	served.Go(func() { _ = proxy.Serve(t.Context(), (&Host{session: host}).Listener()) })
	defer served.Wait()
	defer host.Close()

	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(proxy.Authority())
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for n := range 20 {
				transport := &http.Transport{
					Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr().String()}),
					TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: n%2 == 0,
				}
				got, err := get(&http.Client{Transport: transport}, fmt.Sprintf("%s/package-%d.tgz", registry.URL, n))
				transport.CloseIdleConnections()
				if err != nil || !bytes.Equal(got, body) {
					t.Errorf("%d bytes of %d: %v", len(got), len(body), err)
				}
			}
		})
	}
	all.Wait()
}

func TestAConnectionIsReadFromAfterADeadline(t *testing.T) {
	host, container := session(t)
	l := (&Host{session: host}).Listener()
	out, err := container.Open()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	// crypto/tls goes on after errors that say so, and after no other.
	var passing interface{ Temporary() bool }
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &passing) || !passing.Temporary() {
		t.Errorf("a read after its deadline: %v", err)
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("%d bytes after that: %v", n, err)
	}
}

func get(c *http.Client, address string) ([]byte, error) {
	res, err := c.Get(address)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}
