package judge_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/judge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The models of the fake servers, in order of preference.
const (
	big   = "big:14b"
	small = "small:7b"
)

// old is a version of a server that says little about itself.
const old = "0.9.6"

// fake is an Ollama server in memory. That its answers look like a real one's is
// a test of its own.
type fake struct {
	models  []string
	context int    // that the model was trained for; 0 is 32768, below 0 it is not said
	version string // "" is 0.12.6; 0.9.6 does not say how much of a context is loaded
	digest  string // of every model; "" is that of its name
	// chat answers the n-th question about a file, from 1 on. Loading, probing and
	// the first question of a session are answered for it, unless all is set.
	chat func(n int, q asked, w http.ResponseWriter)
	all  bool

	mu       sync.Mutex
	n        int
	requests []asked
}

// asked is one request for a chat.
type asked struct {
	gone     <-chan struct{} // closed when the client has gone
	Model    string
	Messages []struct{ Role, Content string }
	Options  map[string]any
	Format   json.RawMessage
	Truncate *bool
	Shift    *bool

	KeepAlive string `json:"keep_alive"`
}

// waiting reports whether the client still waits for an answer.
func (a asked) waiting() bool {
	select {
	case <-a.gone:
		return false
	default:
		return true
	}
}

// text is the variable part of the prompt.
func (a asked) text() string {
	if len(a.Messages) == 0 {
		return ""
	}
	return a.Messages[len(a.Messages)-1].Content
}

// tokens counts like a tokenizer with four bytes a token.
func (a asked) tokens() int {
	n := 8 * len(a.Messages)
	for _, m := range a.Messages {
		n += len(m.Content)
	}
	return n / 4
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/version":
		fmt.Fprintf(w, `{"version":%q}`, cmp.Or(f.version, "0.12.6"))
	case "/api/tags":
		var list []string
		f.mu.Lock()
		digest := f.digest
		f.mu.Unlock()
		for _, m := range f.models {
			list = append(list, fmt.Sprintf(`{"name":%q,"model":%q,"modified_at":"2026-01-02T03:04:05Z","size":9000000000,"digest":%q,"details":{"format":"gguf","family":"qwen2","parameter_size":"14.8B","quantization_level":"Q4_K_M"}}`, m, m, cmp.Or(digest, "digest-of-"+m)))
		}
		fmt.Fprintf(w, `{"models":[%s]}`, strings.Join(list, ","))
	case "/api/show":
		fmt.Fprintf(w, `{"template":"","details":{"family":"qwen2"},"model_info":{"general.architecture":"qwen2","qwen2.context_length":%d},"modified_at":"2026-01-02T03:04:05Z"}`, cmp.Or(f.context, 1<<15))
	case "/api/ps":
		loaded := `,"context_length":65536`
		if f.version == old {
			loaded = ""
		}
		var list []string
		for _, m := range f.models {
			list = append(list, fmt.Sprintf(`{"name":%q,"model":%q,"size":9000000000,"digest":"d","expires_at":"2026-01-02T03:04:05Z","size_vram":9000000000%s}`, m, m, loaded))
		}
		fmt.Fprintf(w, `{"models":[%s]}`, strings.Join(list, ","))
	case "/api/chat":
		f.serveChat(w, r)
	default:
		http.Error(w, `{"error":"no such thing"}`, http.StatusTeapot)
	}
}

// replace puts another model under the name of each.
func (f *fake) replace(digest string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.digest = digest
}

func (f *fake) serveChat(w http.ResponseWriter, r *http.Request) {
	q := asked{gone: r.Context().Done()}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, `{"error":"bad request"}`, http.StatusBadRequest)
		return
	}
	switch {
	case f.all:
	case len(q.Messages) == 0:
		fmt.Fprintln(w, `{"model":"m","created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":""},"done_reason":"load","done":true}`)
		return
	case len(q.Messages) == 1:
		fail(w, http.StatusBadRequest, "the input length exceeds the context length")
		return
	case strings.Contains(q.text(), `print("hello")`):
		say(w, q, safe)
		return
	}
	f.mu.Lock()
	f.n++
	n := f.n
	f.requests = append(f.requests, q)
	f.mu.Unlock()
	f.chat(n, q, w)
}

func (f *fake) asked() []asked {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests
}

const safe = `{"evidence":[],"reason":"harmless","dangerous_lines":[],"verdict":"safe"}`

// say streams a complete answer, a few bytes at a time.
func say(w http.ResponseWriter, q asked, answer string) { end(w, q, part(w, q, answer), "stop") }

// part streams an answer without its end and returns how many parts it had.
func part(w http.ResponseWriter, q asked, answer string) (n int) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	for len(answer) > 0 {
		piece := answer[:min(len(answer), 16)]
		answer = answer[len(piece):]
		text, err := json.Marshal(piece)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, `{"model":%q,"created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":%s},"done":false}`+"\n", q.Model, text)
		n++
	}
	if err := http.NewResponseController(w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		panic(http.ErrAbortHandler)
	}
	return n
}

func end(w http.ResponseWriter, q asked, n int, reason string) {
	fmt.Fprintf(w, `{"model":%q,"created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":""},"done_reason":%q,"done":true,"total_duration":100,"load_duration":10,"prompt_eval_count":%d,"prompt_eval_duration":10,"eval_count":%d,"eval_duration":20000000}`+"\n",
		q.Model, reason, q.tokens(), n)
}

func fail(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"error":%q}`, message)
}

// network connects clients to servers by host name, in memory, so that time can
// be the bubble's of testing/synctest.
type network map[string]http.Handler

// client returns a client to the servers; they end with the test.
func (n network) client(t testing.TB) *http.Client {
	t.Helper()
	listeners := map[string]*pipeListener{}
	for name, handler := range n {
		l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
		listeners[name] = l
		server := &http.Server{Handler: handler}
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			_ = server.Serve(l) // ends with ErrServerClosed
		}()
		t.Cleanup(func() {
			server.Close()
			<-stopped
		})
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
		name, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		l, ok := listeners[name]
		if !ok {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
		}
		return l.dial(ctx)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.done:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// fakeOptions are the options of a judge that knows hosts "one", "two", ...
func fakeOptions(t testing.TB, n network, hosts ...string) judge.Options {
	o := judge.Options{
		Comments:    judge.Comments,
		Policy:      gate.JudgePolicy{Model: big, Fallback: small},
		Concurrency: 1,
		HTTPClient:  n.client(t),
	}
	for _, h := range hosts {
		o.Policy.Hosts = append(o.Policy.Hosts, "http://"+h+":11434")
	}
	return o
}
