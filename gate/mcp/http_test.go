package mcp

import (
	"context"
	"crypto/sha256"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const token = "test-token-of-32-characters-0000"

// serve serves over HTTP until the test ends, and returns the address.
func serve(t *testing.T, s *Server) string {
	t.Helper()
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.ServeHTTP(ctx, l, token) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// bearer sends a token with every request.
type bearer struct {
	token string
	next  *http.Transport
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// overHTTP is a client of the SDK.
func overHTTP(t *testing.T, address, token string) (*sdk.ClientSession, error) {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: "http://" + address + Path, HTTPClient: &http.Client{Transport: bearer{token, transport}},
	}, nil)
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

func TestClientsWithTheTokenAreServedOverHTTP(t *testing.T) {
	address := serve(t, open(t, Options{}))
	c, err := overHTTP(t, address, token)
	if err != nil {
		t.Fatal(err)
	}
	if c.ID() == "" { // the protocol of today keeps no connection
		refused(t, c, "list_directory", nil, `pass "session": "new"`)
	}
	id := works(t, c, "write_file", arguments{"path": "a.txt", "text": "x", "session": "new"}).session()
	if r := works(t, c, "read_file", arguments{"path": "a.txt", "session": id}); r.out["text"] != "x" {
		t.Error(r.text)
	}
	other, err := overHTTP(t, address, token)
	if err != nil {
		t.Fatal(err)
	}
	if r := works(t, other, "list_directory", arguments{"session": "new"}); r.out["workspace_files"] != 0.0 {
		t.Error("two clients share a workspace unasked")
	}
	if c, err := overHTTP(t, address, token+"x"); err == nil {
		_ = c.Close()
		t.Error("a wrong token is served")
	}
}

func TestRequestsThatAreNotForThisServerAreRefused(t *testing.T) {
	address := serve(t, open(t, Options{}))
	_, port, _ := net.SplitHostPort(address)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for _, tt := range []struct {
		name, method, path, host, body string
		header                         map[string]string
		code                           int
		want                           string
	}{
		{name: "with everything right", code: 200},
		{name: "localhost", host: "localhost:" + port, code: 200},
		{name: "a page of the server itself", header: map[string]string{"Origin": "http://127.0.0.1:" + port}, code: 200},
		{name: "DNS rebinding", host: "evil.example.com:" + port, code: 403, want: "DNS rebinding"},
		{name: "a name that begins like this machine", host: "127.0.0.1.example.com:" + port, code: 403, want: "DNS rebinding"},
		{name: "another port", host: "127.0.0.1:1", code: 403, want: "DNS rebinding"},
		{name: "no port", host: "127.0.0.1", code: 403, want: "DNS rebinding"},
		{name: "all addresses", host: "0.0.0.0:" + port, code: 403, want: "DNS rebinding"},
		{name: "a page of another origin", header: map[string]string{"Origin": "http://evil.example.com"}, code: 403, want: "another origin"},
		{name: "a page without an origin", header: map[string]string{"Origin": "null"}, code: 403, want: "another origin"},
		{name: "a page on another port", header: map[string]string{"Origin": "http://127.0.0.1:1"}, code: 403, want: "another origin"},
		{name: "a page of another site", header: map[string]string{"Sec-Fetch-Site": "cross-site"}, code: 403, want: "another site"},
		{name: "a token in the address", path: Path + "?token=" + token, header: map[string]string{"Authorization": ""}, code: 400, want: "never in an address"},
		{name: "a token in the address and in the header", path: Path + "?access_token=" + token, code: 400, want: "never in an address"},
		{name: "no token", header: map[string]string{"Authorization": ""}, code: 401, want: "there is no token"},
		{name: "an empty token", header: map[string]string{"Authorization": "Bearer "}, code: 401, want: "the token is wrong"},
		{name: "a wrong token", header: map[string]string{"Authorization": "Bearer wrong"}, code: 401, want: "the token is wrong"},
		{name: "another scheme", header: map[string]string{"Authorization": "Basic " + token}, code: 401, want: "the token is wrong"},
		{name: "another path", path: "/", code: 404, want: "the server is at /mcp"},
		{name: "a path that climbs", path: "/mcp/../etc/passwd", code: 404},
		{name: "what a browser asks first", method: http.MethodOptions, code: 405, want: "expected is POST"},
		{name: "a forged connection", header: map[string]string{"Mcp-Session-Id": "forged"}, code: 404},
		{name: "a body that is too large", body: strings.Repeat(" ", maxMessage+1), code: 413, want: "more than 16 MiB"},
		{name: "a body that is no JSON", body: "{", code: 400},
		{name: "a body that is deep", body: strings.Repeat("[", 100_000), code: 400},
		{name: "a header that is too large", header: map[string]string{"X-Large": strings.Repeat("a", 64<<10)}, code: 431},
	} {
		t.Run(tt.name, func(t *testing.T) {
			method, path, body := tt.method, tt.path, tt.body
			if method == "" {
				method = http.MethodPost
			}
			if path == "" {
				path = Path
			}
			if body == "" {
				body = initialize
			}
			r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Host = tt.host
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Authorization", "Bearer "+token)
			for k, v := range tt.header {
				if r.Header.Set(k, v); v == "" {
					r.Header.Del(k)
				}
			}
			res, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
			if res.StatusCode != tt.code || !strings.Contains(string(text), tt.want) || strings.Contains(string(text), token) || res.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%d %s, want %d %q", res.StatusCode, text, tt.code, tt.want)
			}
		})
	}
}

func TestServerListensOnThisMachineOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80", "example.com:80", "127.0.0.1", "7777", ""} {
		if l, err := Listen(t.Context(), address); err == nil {
			_ = l.Close()
			t.Errorf("%q is listened on", address)
		} else if !strings.Contains(err.Error(), "--http") {
			t.Error(err)
		}
	}
}

func TestTheTokenIsMadeOnceAndForTheUserAlone(t *testing.T) {
	state := filepath.Join(t.TempDir(), "mcp")
	first, file, err := Token(state)
	if err != nil || CheckToken(first) != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if second, _, err := Token(state); err != nil || second != first {
		t.Errorf("%q, %v", second, err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Token(state); err == nil || !strings.Contains(err.Error(), "open to others") {
		t.Error(err)
	}
	for _, bad := range []string{"", "short", strings.Repeat("a", 600), "with space and more chars", "with\nline and more characters"} {
		if CheckToken(bad) == nil {
			t.Errorf("%q is a token", bad)
		}
	}
}

func TestRequestsAtATimeAreBounded(t *testing.T) {
	g := newGuard("127.0.0.1:1", sha256.Sum256([]byte(token)), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	ask := func() int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:1"+Path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w.Code
	}
	if code := ask(); code != http.StatusNoContent {
		t.Fatal(code)
	}
	for range maxRequests {
		g.slots <- struct{}{}
	}
	if code := ask(); code != http.StatusServiceUnavailable {
		t.Error(code)
	}
}

func TestABodyHasToComeInTimeAndACallMayTakeLonger(t *testing.T) {
	const within = 50 * time.Millisecond
	g := newGuard("127.0.0.1:1", sha256.Sum256([]byte(token)), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
			w.WriteHeader(http.StatusGone)
		case <-time.After(4 * within):
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	g.within = within
	server := httptest.NewServer(g)
	defer server.Close()
	g.hosts[strings.TrimPrefix(server.URL, "http://")] = true
	ask := func(body io.Reader) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+Path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	if code := ask(strings.NewReader("{}")); code != http.StatusNoContent {
		t.Errorf("a call that takes its time: %d", code)
	}
	never, end := io.Pipe()
	defer end.Close()
	if code := ask(never); code != http.StatusBadRequest {
		t.Errorf("a body that does not come: %d", code)
	}
}
