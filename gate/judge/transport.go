package judge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/ollama/ollama/api"
)

// maxResponse bounds what is read of one response, in bytes. A streamed answer
// takes some 150 bytes a token, a list of models some 500 a model.
const maxResponse = 4 << 20

// errTooMuch ends a response that is larger than it may be.
var errTooMuch = fmt.Errorf("more than %d bytes in one response", maxResponse)

// client is what a server and its pulls are asked through.
type client interface {
	server
	puller
}

// newClient returns a client for a base URL that reads bounded responses only, of at most so
// many bytes. base may lack the scheme, as OLLAMA_HOST usually does. One that ends in /v1 is
// that of a server with OpenAI's interface.
func newClient(base string, from *http.Client, most int) (client, *url.URL, error) {
	if !strings.Contains(base, "://") {
		base = "http://" + base
	}
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("judge host %q: not a URL", base)
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.RawQuery != "", u.Fragment != "":
		return nil, nil, fmt.Errorf("judge host %s: want a base URL such as http://127.0.0.1:11434", u.Redacted())
	case strings.ContainsFunc(u.Hostname(), func(r rune) bool { return r > unicode.MaxASCII }):
		// Names are mapped before they are looked up: ollama。com with an ideographic stop is ollama.com.
		return nil, nil, fmt.Errorf("judge host %s: its name has characters other than ASCII; write it as it is looked up (xn--...)", u.Redacted())
	case hosted(u.Hostname()):
		return nil, nil, fmt.Errorf("judge host %s: a hosted service would be sent the code; name a server of your own", u.Redacted())
	}
	client := http.Client{}
	if from != nil {
		client = *from
	}
	next := client.Transport
	switch {
	case next == nil && isCompatible(u):
		next = privateOnly()
	case next == nil:
		next = http.DefaultTransport
	}
	client.Transport = boundedTransport{next, most}
	// A server that sends the code elsewhere is not the one that was configured.
	client.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		return fmt.Errorf("redirected to %s, which is not followed", req.URL.Host)
	}
	if isCompatible(u) {
		return &compatible{client, u}, u, nil
	}
	return api.NewClient(u, &client), u, nil
}

// hosted reports whether a host is the service of those who make Ollama, which also has the
// interface of Ollama. Other hosted services have that of OpenAI (privateOnly).
func hosted(host string) bool {
	name := "." + strings.TrimRight(strings.ToLower(host), ".")
	return strings.HasSuffix(name, ".ollama.com") || strings.HasSuffix(name, ".ollama.ai")
}

// boundedTransport refuses compression, so that a small response cannot become a
// large one, and bounds what is read.
type boundedTransport struct {
	next http.RoundTripper
	most int
}

func (t boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Accept-Encoding", "identity") // also stops the transport from unpacking
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	res.Body = &boundedBody{body: res.Body, left: t.most, watch: watchOf(req.Context())}
	return res, nil
}

// boundedBody reports to the watch of its request how reading ended, because the
// client takes a response that breaks off for one that is over.
type boundedBody struct {
	body  io.ReadCloser
	left  int
	watch *bodyWatch
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.watch.ended(errTooMuch)
		return 0, errTooMuch
	}
	n, err := b.body.Read(p[:min(len(p), b.left)])
	b.left -= n
	if err != nil && !errors.Is(err, io.EOF) {
		b.watch.ended(err)
	}
	return n, err
}

func (b *boundedBody) Close() error { return b.body.Close() }

// bodyWatch carries the error that ended a response body out of the client.
type bodyWatch struct{ err atomic.Pointer[error] }

func (w *bodyWatch) ended(err error) {
	if w != nil {
		w.err.CompareAndSwap(nil, &err)
	}
}

// cause returns the error that ended the body, nil for a proper end.
func (w *bodyWatch) cause() error {
	if p := w.err.Load(); p != nil {
		return *p
	}
	return nil
}

type watchKey struct{}

func withWatch(ctx context.Context) (context.Context, *bodyWatch) {
	w := &bodyWatch{}
	return context.WithValue(ctx, watchKey{}, w), w
}

func watchOf(ctx context.Context) *bodyWatch {
	w, _ := ctx.Value(watchKey{}).(*bodyWatch)
	return w
}
