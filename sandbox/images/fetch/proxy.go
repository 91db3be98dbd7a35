package fetch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/aigate/gate/sandbox/netsim"
)

// The bounds of one installation.
const (
	DefaultMaxBytes    = 8 << 30 // that registries answer
	DefaultMaxRequests = 200_000
	maxRedirects       = 5
	maxRetries         = 2       // of one request
	maxBegun           = 8 << 20 // bytes of an answer that are read before any is passed on
	maxPost            = 1 << 20 // bytes of what git posts
	maxRefusals        = 20      // that are kept
	headerWait         = 2 * time.Minute
)

// Credential is how to be let in at one place.
type Credential struct {
	Host   string // as in an address: with the port where it is not the usual one
	Prefix string // of the path, such as "/private/"; "" is the whole host
	// Authorization is the value of that header.
	Authorization string
}

// Options say what may be asked. The zero value allows nothing.
type Options struct {
	Hosts       []string // names, with the port where it is not the usual one
	Credentials []Credential
	// Scopes are scopes of npm, such as "@acme", that belong to one host.
	Scopes map[string]string
	// CA are certificates in PEM form that are trusted besides the machine's.
	CA []byte
	// ProxyURL says through which proxy a request goes; nil is what the environment says.
	ProxyURL    func(*http.Request) (*url.URL, error)
	MaxBytes    int64 // 0 is DefaultMaxBytes
	MaxRequests int64 // 0 is DefaultMaxRequests
}

// Proxy answers an installer. It is safe for use by several goroutines.
type Proxy struct {
	o         Options
	hosts     map[string]bool
	authority *netsim.Authority
	client    *http.Client
	transport *http.Transport

	bytes, requests atomic.Int64
	mu              sync.Mutex
	refused         []string
}

// New makes a proxy with an authority of its own.
func New(o Options) (*Proxy, error) {
	o.MaxBytes, o.MaxRequests = cmp.Or(o.MaxBytes, DefaultMaxBytes), cmp.Or(o.MaxRequests, DefaultMaxRequests)
	if o.ProxyURL == nil {
		o.ProxyURL = http.ProxyFromEnvironment
	}
	authority, err := netsim.NewAuthority(nil, time.Now())
	if err != nil {
		return nil, err
	}
	p := &Proxy{o: o, hosts: map[string]bool{}, authority: authority}
	for _, h := range o.Hosts {
		p.hosts[strings.ToLower(h)] = true
	}
	var roots *x509.CertPool
	if len(o.CA) > 0 {
		if roots, err = x509.SystemCertPool(); err != nil {
			roots = x509.NewCertPool()
		}
		if !roots.AppendCertsFromPEM(o.CA) {
			return nil, errors.New("the certificates that were named hold none in PEM form")
		}
	}
	dialer := &net.Dialer{Timeout: 30 * time.Second, Control: notLinkLocal}
	p.transport = &http.Transport{
		Proxy: o.ProxyURL, DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: roots},
		DisableCompression: true, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute,
		ResponseHeaderTimeout: headerWait, TLSHandshakeTimeout: 30 * time.Second,
	}
	p.client = &http.Client{Transport: p.transport, CheckRedirect: p.redirect}
	return p, nil
}

// notLinkLocal keeps connections from the addresses where clouds have their metadata.
func notLinkLocal(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("the address %q is none: %w", address, err)
	}
	if a := at.Addr().Unmap(); a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return fmt.Errorf("the address %s is not one of a registry", a)
	}
	return nil
}

// Authority is the certificate, in PEM form, that the installer has to trust.
func (p *Proxy) Authority() []byte { return p.authority.PEM() }

// Refused are the first requests that were refused, and why.
func (p *Proxy) Refused() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.refused)
}

// Serve answers connections until the listener or the context ends.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	defer p.transport.CloseIdleConnections()
	return p.serve(ctx, l, p.plain(ctx))
}

func (p *Proxy) serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: headerWait, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// plain answers what a client says to a proxy: CONNECT, and addresses without TLS.
func (p *Proxy) plain(ctx context.Context) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodConnect:
			p.connect(ctx, w, r)
		case r.URL.Scheme == "http" && r.URL.Host != "":
			p.forward(w, r, "http", r.URL.Host)
		default:
			p.refuse(w, r.Host, "it is not a request to a proxy")
		}
	})
}

// connect plays the host that a client wants a tunnel to.
func (p *Proxy) connect(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	host := usual("https", r.Host)
	if !p.hosts[strings.ToLower(host)] {
		p.refuse(w, host, "it is not among the registries")
		return
	}
	name, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		p.refuse(w, r.Host, "it names no port")
		return
	}
	leaf, err := p.authority.Leaf(name)
	if err != nil {
		http.Error(w, "gate: "+err.Error(), http.StatusInternalServerError)
		return
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the client has gone
	}
	defer conn.Close()
	if rw.Reader.Buffered() > 0 {
		return // it speaks before it is answered
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	inner := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{*leaf}, NextProtos: []string{"http/1.1"}})
	_ = p.serve(ctx, newSingle(inner), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.forward(w, r, "https", host)
	}))
}

// forward asks a registry what the installer asked, and hands back what it answers.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, scheme, host string) {
	host = usual(scheme, host)
	u := &url.URL{Scheme: scheme, Host: host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	if why := p.unfit(r, u); why != "" {
		p.refuse(w, host+u.Path, why)
		return
	}
	var body []byte
	if r.Method == http.MethodPost {
		var err error
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxPost)); err != nil {
			p.refuse(w, host, err.Error())
			return
		}
	}
	res, begun, err := p.ask(r, u, body)
	for range maxRetries {
		if err == nil || r.Context().Err() != nil {
			break
		}
		res, begun, err = p.ask(r, u, body) // a connection may break in the middle of an answer
	}
	if err != nil {
		// The reason may hold an address, never a header. Of all words for this, 504 is the
		// one after which pip does not try again for minutes.
		p.record(host, "it cannot be reached: "+err.Error())
		http.Error(w, "gate: "+err.Error(), http.StatusGatewayTimeout)
		return
	}
	defer res.Body.Close()
	maps.Copy(w.Header(), answered(res.Header))
	w.WriteHeader(res.StatusCode)
	_, err = w.Write(begun)
	if err == nil {
		_, err = io.Copy(w, &counting{from: res.Body, left: p.o.MaxBytes, total: &p.bytes})
	}
	if err != nil {
		// Half an answer must not look like a whole one: the connection breaks.
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	}
}

// ask asks a registry and reads the beginning of its answer, which is all of nearly every
// one. The caller closes the rest.
func (p *Proxy) ask(r *http.Request, u *url.URL, body []byte) (res *http.Response, begun []byte, err error) {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for name, values := range r.Header {
		if slices.Contains(asked, name) {
			req.Header[name] = values
		}
	}
	p.authorize(req)
	if res, err = p.client.Do(req); err != nil {
		return nil, nil, err
	}
	begun, err = io.ReadAll(&counting{from: io.LimitReader(res.Body, maxBegun), left: p.o.MaxBytes, total: &p.bytes})
	if err != nil {
		_ = res.Body.Close()
		return nil, nil, err
	}
	return res, begun, nil
}

// unfit says why a request is not made, "" for one that is.
func (p *Proxy) unfit(r *http.Request, u *url.URL) string {
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	gitFetch := r.Method == http.MethodPost && strings.HasSuffix(u.Path, "/git-upload-pack")
	switch {
	case !p.hosts[strings.ToLower(u.Host)]:
		return "it is not among the registries"
	case !read && !gitFetch:
		return "only reading is allowed, not " + r.Method
	case p.requests.Add(1) > p.o.MaxRequests:
		return fmt.Sprintf("there were more than %d requests", p.o.MaxRequests)
	case p.bytes.Load() > p.o.MaxBytes:
		return fmt.Sprintf("more than %d bytes were fetched", p.o.MaxBytes)
	}
	if scope, _, ok := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); ok && strings.HasPrefix(scope, "@") {
		if owner := p.o.Scopes[scope]; owner != "" && !strings.EqualFold(owner, u.Host) {
			return "the scope " + scope + " belongs to " + owner
		}
	}
	return ""
}

// redirect follows where a registry of the list leads, over TLS unless the registry itself
// does without.
func (p *Proxy) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("there are more than %d redirects", maxRedirects)
	}
	if req.URL.Scheme != "https" && via[0].URL.Scheme == "https" {
		return fmt.Errorf("%s leads out of TLS", via[len(via)-1].URL.Host)
	}
	req.Header.Del("Authorization")
	p.authorize(req)
	return nil
}

// authorize adds the credential of the place that a request is for: that with the longest
// path.
func (p *Proxy) authorize(req *http.Request) {
	longest := -1
	host := usual(req.URL.Scheme, req.URL.Host)
	for _, c := range p.o.Credentials {
		if strings.EqualFold(c.Host, host) && within(req.URL.Path, c.Prefix) && len(c.Prefix) > longest {
			longest = len(c.Prefix)
			req.Header.Set("Authorization", c.Authorization)
		}
	}
}

// within reports whether a path lies below another.
func within(p, prefix string) bool {
	prefix = strings.TrimSuffix(prefix, "/")
	rest, ok := strings.CutPrefix(p, prefix)
	return ok && (rest == "" || rest[0] == '/') && !strings.Contains(p, "/../")
}

func (p *Proxy) refuse(w http.ResponseWriter, what, why string) {
	what = fmt.Sprintf("%.200q", what)
	p.record(what, why)
	http.Error(w, "gate refuses "+what+": "+why, http.StatusForbidden)
}

func (p *Proxy) record(what, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	entry := fmt.Sprintf("%s: %.300s", what, why)
	if len(p.refused) < maxRefusals && !slices.Contains(p.refused, entry) {
		p.refused = append(p.refused, entry)
	}
}

// usual is a host without the port that its scheme has anyway.
func usual(scheme, host string) string {
	if name, port, err := net.SplitHostPort(host); err == nil && (scheme == "https" && port == "443" || scheme == "http" && port == "80") {
		return name
	}
	return host
}

// asked are the headers of an installer that reach a registry.
var asked = []string{"Accept", "Accept-Encoding", "Accept-Language", "Content-Type", "Content-Encoding", "Git-Protocol", "If-Modified-Since", "If-None-Match", "Range", "User-Agent"}

// answered are the headers of a registry that reach the installer.
func answered(h http.Header) http.Header {
	out := http.Header{}
	for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Length", "Content-Range", "Etag", "Last-Modified", "Cache-Control", "Date", "Vary", "Accept-Ranges", "Retry-After", "X-Pypi-Last-Serial"} {
		if v := h.Values(name); len(v) > 0 {
			out[name] = v
		}
	}
	return out
}

// counting ends with an error where all answers together are too large.
type counting struct {
	from  io.Reader
	left  int64 // of all answers
	total *atomic.Int64
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	if c.total.Add(int64(n)) > c.left {
		return n, fmt.Errorf("more than %d bytes were fetched", c.left)
	}
	return n, err
}
