package data

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aigate/gate/gate/bounded"
)

// Bounds of what is fetched for one program.
const (
	MaxURLs      = 16
	MaxBytes     = 16 << 20 // of one URL
	MaxTotal     = 32 << 20
	within       = time.Minute // for one URL
	maxRedirects = 5
	maxHeader    = 64 << 10
)

// Datum is what one URL gave.
type Datum struct {
	URL    string `json:"url"`
	Name   string `json:"name"` // of its file
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
	Data   []byte `json:"-"`
}

// Fetcher fetches. The zero value allows nothing.
type Fetcher struct {
	Allow List
	// Public reports whether anybody on the internet may have an address. Without it
	// none is public.
	Public func(netip.Addr) bool

	lookup func(ctx context.Context, host string) ([]netip.Addr, error) // nil asks this machine's resolver
	dial   func(ctx context.Context, at netip.AddrPort) (net.Conn, error)
	roots  *x509.CertPool // nil is this machine's
	bytes  int64          // of one URL; 0 is MaxBytes
}

// Check says what is wrong with URLs before any is fetched. A *Refused is among its
// errors where one is not on the list.
func (f *Fetcher) Check(urls []string) error {
	if len(urls) > MaxURLs {
		return fmt.Errorf("%d URLs, at most %d are fetched", len(urls), MaxURLs)
	}
	for _, s := range urls {
		u, err := url.Parse(s)
		if err != nil {
			return fmt.Errorf("%.200q is not a URL", s)
		}
		if err := f.Allow.allows(u); err != nil {
			return err
		}
	}
	return nil
}

// Fetch fetches all URLs, or says which one could not be.
func (f *Fetcher) Fetch(ctx context.Context, urls []string) ([]Datum, error) {
	if err := f.Check(urls); err != nil {
		return nil, err
	}
	transport := &http.Transport{
		Proxy:               nil, // it would dial in our place
		DialContext:         f.connect,
		TLSClientConfig:     &tls.Config{RootCAs: f.roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: 30 * time.Second, MaxResponseHeaderBytes: maxHeader,
		DisableCompression: true, // or little could become much
		DisableKeepAlives:  true,
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		req.Header.Del("Referer") // what was asked for before is not the next one's business
		return f.Allow.allows(req.URL)
	}}
	var out []Datum
	taken := map[string]bool{}
	total := 0
	for _, s := range urls {
		data, err := f.get(ctx, client, s)
		if err != nil {
			return nil, fmt.Errorf("fetch %.200s: %w", s, cause(err))
		}
		if total += len(data); total > MaxTotal {
			return nil, fmt.Errorf("fetch %.200s: all together is more than %d MiB", s, MaxTotal>>20)
		}
		sum := sha256.Sum256(data)
		out = append(out, Datum{URL: s, Name: nameOf(s, taken), SHA256: hex.EncodeToString(sum[:]), Bytes: len(data), Data: data})
	}
	return out, nil
}

// cause is an error without the URL, which is beside it.
func cause(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

func (f *Fetcher) get(ctx context.Context, client *http.Client, from string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("it took more than %s", within))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "gate")
	req.Header.Set("Accept-Encoding", "identity")
	res, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answered %d", res.StatusCode)
	}
	most := f.bytes
	if most == 0 {
		most = MaxBytes
	}
	data, err := bounded.Read(res.Body, "the answer", most)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return data, err
}

// connect dials the addresses of a host itself, after having looked at each: what a
// name means to the next one who asks does not matter.
func (f *Fetcher) connect(ctx context.Context, _, target string) (net.Conn, error) {
	host, p, err := net.SplitHostPort(target)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(p, 10, 16)
	if err != nil {
		return nil, err
	}
	addresses, err := f.resolve(ctx, strings.ToLower(host))
	if err != nil {
		return nil, err
	}
	for i, a := range addresses {
		a = a.Unmap()
		addresses[i] = a
		if f.Allow.reaches(a, uint16(port)) {
			continue
		}
		if f.Public == nil || !f.Public(a) || never(a) {
			return nil, fmt.Errorf("%s leads to %s, which is no public address and not on the list itself", host, a)
		}
	}
	dial := f.dial
	if dial == nil {
		d := &net.Dialer{Timeout: 15 * time.Second}
		dial = func(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
			return d.DialContext(ctx, "tcp", at.String())
		}
	}
	var errs []error
	for _, a := range addresses {
		c, err := dial(ctx, netip.AddrPortFrom(a, uint16(port)))
		if err == nil {
			return c, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func (f *Fetcher) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	lookup := f.lookup
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	addresses, err := lookup(ctx, host)
	if err == nil && len(addresses) == 0 {
		err = fmt.Errorf("%s has no address", host)
	}
	return addresses, err
}
