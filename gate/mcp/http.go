package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/exit"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Path is where the server is below its address.
const Path = "/mcp"

// The bounds of what is served over HTTP.
const (
	maxHeader     = 16 << 10
	maxRequests   = 64 // at a time, those that wait for messages among them
	headerWithin  = 10 * time.Second
	bodyWithin    = 2 * time.Minute
	idleHTTP      = 2 * time.Minute
	quietSessions = 30 * time.Minute // until a connection of the protocol is forgotten
)

// goodToken is what a token has to look like: too long to be guessed.
var goodToken = regexp.MustCompile(`^[A-Za-z0-9._~+/=-]{16,512}$`)

// CheckToken says why a token cannot be used.
func CheckToken(token string) error {
	if !goodToken.MatchString(token) {
		return errors.New("the token has to have 16 to 512 characters, letters, digits and . _ ~ + / = - only")
	}
	return nil
}

// Token returns the token that is kept in gate's own folder, which is made when it is first
// needed, and the file that it is in.
func Token(state string) (token, file string, err error) {
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", "", fmt.Errorf("make the folder of the token: %w", err)
	}
	root, err := os.OpenRoot(state)
	if err != nil {
		return "", "", err
	}
	defer root.Close()
	const name = "token"
	file = filepath.Join(state, name)
	data, err := bounded.ReadRoot(root, name, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		token = rand.Text()
		f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return "", "", fmt.Errorf("keep the token: %w", err)
		}
		_, err = f.WriteString(token + "\n")
		return token, file, errors.Join(err, f.Close())
	}
	if err != nil {
		return "", "", fmt.Errorf("read the token: %w", err)
	}
	if info, err := root.Lstat(name); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		return "", "", fmt.Errorf("%s is open to others; chmod 600 it, or remove it and a new one is made", file)
	}
	token = strings.TrimSpace(string(data))
	return token, file, CheckToken(token)
}

// Listen listens on an address of this machine, such as 127.0.0.1:7777. Others are refused.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, exit.Usagef("--http: %q is no address; expected is one such as 127.0.0.1:7777", address)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, exit.Usagef("--http: %q is not an address of this machine alone; expected is 127.0.0.1:PORT, [::1]:PORT or localhost:PORT", address)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, exit.Usagef("--http: %w", err)
	}
	return l, nil
}

// ServeHTTP serves clients that have the token, until ctx ends. It closes the listener.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	if err := CheckToken(token); err != nil {
		return errors.Join(exit.Usagef("%w", err), l.Close())
	}
	sum := sha256.Sum256([]byte(token))
	s.owner, s.remote = "http "+hex.EncodeToString(sum[:]), true
	server := s.protocol()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Logger: s.o.Log, MaxRequestBodyBytes: maxMessage, SessionTimeout: quietSessions, PropagateRequestCancellation: true,
	})
	h := &http.Server{
		Handler: newGuard(l.Addr().String(), sum, handler), ReadHeaderTimeout: headerWithin, IdleTimeout: idleHTTP, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	for session := range server.Sessions() {
		_ = session.Close() // ends its calls and its streams
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := h.Shutdown(after); err != nil {
		_ = h.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// guard refuses requests that are not for this server, are of a page in a browser, or lack the
// token, in this order, before anything of them is read.
type guard struct {
	hosts  map[string]bool
	token  [sha256.Size]byte
	slots  chan struct{}
	within time.Duration // for a body to come
	next   http.Handler
}

func newGuard(address string, token [sha256.Size]byte, next http.Handler) *guard {
	_, port, _ := net.SplitHostPort(address)
	g := &guard{hosts: map[string]bool{}, token: token, slots: make(chan struct{}, maxRequests), within: bodyWithin, next: next}
	for _, host := range []string{"127.0.0.1", "::1", "localhost"} {
		g.hosts[net.JoinHostPort(host, port)] = true
	}
	return g
}

// ServeHTTP implements [http.Handler].
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if code, why := g.refuses(r); code != 0 {
		if code == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="gate mcp"`)
		}
		http.Error(w, "gate: "+why, code)
		return
	}
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	default:
		w.Header().Set("Retry-After", "1")
		http.Error(w, fmt.Sprintf("gate: %d requests are served already, which is the most at a time", maxRequests), http.StatusServiceUnavailable)
		return
	}
	if code, why := g.read(w, r); code != 0 {
		http.Error(w, "gate: "+why, code)
		return
	}
	g.next.ServeHTTP(w, r)
}

// read takes the body in, of a client that may be slow or send without end. A time for all
// of a request, which the server could be given, would end the calls that take longer.
func (g *guard) read(w http.ResponseWriter, r *http.Request) (code int, why string) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(g.within)) // an error is a connection without a deadline, as in tests
	body, err := bounded.Read(r.Body, "the message", maxMessage)
	switch {
	case bounded.IsTooLarge(err):
		return http.StatusRequestEntityTooLarge, err.Error()
	case err != nil:
		return http.StatusBadRequest, "the message did not come whole in time"
	}
	_ = c.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))
	return 0, ""
}

// refuses says with which status and why a request is refused; 0 is that it is not.
func (g *guard) refuses(r *http.Request) (code int, why string) {
	switch {
	case !g.hosts[strings.ToLower(r.Host)]:
		return http.StatusForbidden, "the Host header is not the address of this server; expected is 127.0.0.1 or localhost with its port. A name that leads here from elsewhere is refused (DNS rebinding)"
	case len(r.Header["Origin"]) > 0 && !g.own(r.Header["Origin"]):
		return http.StatusForbidden, "the request is of a page of another origin, and pages in a browser are not served"
	case r.Header.Get("Sec-Fetch-Site") != "" && r.Header.Get("Sec-Fetch-Site") != "same-origin" && r.Header.Get("Sec-Fetch-Site") != "none":
		return http.StatusForbidden, "the request is of a page of another site, and pages in a browser are not served"
	case r.URL.RawQuery != "" || r.URL.ForceQuery || r.URL.User != nil:
		return http.StatusBadRequest, "the address has a query; a token belongs in the header Authorization, never in an address, where logs and histories keep it"
	case r.URL.Path != Path:
		return http.StatusNotFound, "there is nothing here; the server is at " + Path
	case r.Method != http.MethodPost && r.Method != http.MethodGet && r.Method != http.MethodDelete:
		return http.StatusMethodNotAllowed, "expected is POST, GET or DELETE"
	}
	given := r.Header["Authorization"]
	if len(given) != 1 {
		return http.StatusUnauthorized, "there is no token; expected is one header Authorization: Bearer TOKEN"
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], g.token[:]) != 1 {
		return http.StatusUnauthorized, "the token is wrong; expected is the one that the server was started with"
	}
	return 0, ""
}

// own reports whether an origin is that of this server itself.
func (g *guard) own(origins []string) bool {
	if len(origins) != 1 {
		return false
	}
	host, ok := strings.CutPrefix(strings.ToLower(origins[0]), "http://")
	return ok && g.hosts[host]
}
