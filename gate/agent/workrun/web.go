package workrun

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed" // the page
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aigate/gate/gate/agent/work"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/mcp"
)

//go:embed page.html
var page string

// web serves the page for one workspace. It serves this machine, does one thing at a time, and
// answers no request without the token but the one for the page itself, which has nothing in it.
type web struct {
	process Process
	token   [sha256.Size]byte
	hosts   map[string]bool
	base    string // the folder for results; each task has one below it

	mu      sync.Mutex // held by the task that is done
	session *session
	tasks   int
}

// The bounds of what a page sends and is shown, in bytes.
const (
	maxBody   = 64 << 10
	maxInline = 2 << 20 // of one output; more is only named
	maxPage   = 16 << 20
)

// serve serves the page until ctx ends.
func serve(ctx context.Context, p Process, o Options) error {
	l, err := mcp.Listen(ctx, o.Web)
	if err != nil {
		return err
	}
	s, err := open(ctx, p, o)
	if err != nil {
		return exit.Failed(errors.Join(err, l.Close()))
	}
	s.sayData()
	token := rand.Text()
	w := newWeb(p, s, l.Addr().String(), token)
	h := &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = h.Close() })
	defer stop()
	p.Engine.Noticef("the page is at http://%s/#%s (the part behind # is the token; it ends with this process)", l.Addr(), token)
	err = h.Serve(l)
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return exit.Failed(errors.Join(err, w.session.close()))
}

func newWeb(p Process, s *session, address, token string) *web {
	_, port, _ := net.SplitHostPort(address)
	w := &web{process: p, token: sha256.Sum256([]byte(token)), hosts: map[string]bool{}, session: s, base: filepath.Join(s.o.Out, time.Now().UTC().Format("20060102-150405"))}
	for _, host := range []string{"127.0.0.1", "::1", "localhost"} {
		w.hosts[net.JoinHostPort(host, port)] = true
	}
	return w
}

// ServeHTTP implements [http.Handler].
func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	h := out.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	if code, why := w.refuses(r); code != 0 {
		http.Error(out, "gate: "+why, code)
		return
	}
	if r.URL.Path == "/" {
		nonce := rand.Text()
		// The style that pages of programs may have inline holds for their frames, which
		// inherit this policy; scripts need the nonce, which no program knows.
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-src 'none'; frame-ancestors 'none'")
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = out.Write([]byte(strings.ReplaceAll(page, "NONCE", nonce)))
		return
	}
	if !w.mu.TryLock() {
		http.Error(out, "gate: a task is being done; wait until it has ended", http.StatusConflict)
		return
	}
	defer w.mu.Unlock()
	if err := w.api(out, r); err != nil {
		http.Error(out, "gate: "+err.Error(), http.StatusBadRequest)
	}
}

// refuses says with which status and why a request is refused; 0 is that it is not. A name that
// leads here from elsewhere, a page of another origin and a request without the token get
// nothing.
func (w *web) refuses(r *http.Request) (code int, why string) {
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case !w.hosts[strings.ToLower(r.Host)]:
		return http.StatusForbidden, "the Host header is not the address of this server"
	case r.URL.RawQuery != "" || r.URL.ForceQuery:
		return http.StatusBadRequest, "the address has a query"
	case r.URL.Path == "/" && r.Method == http.MethodGet:
		return 0, ""
	case !strings.HasPrefix(r.URL.Path, "/api/"):
		return http.StatusNotFound, "there is nothing here"
	case site != "" && site != "same-origin":
		return http.StatusForbidden, "the request is of another page"
	}
	origin, plain := strings.CutPrefix(strings.ToLower(r.Header.Get("Origin")), "http://")
	if r.Method != http.MethodGet && (!plain || origin != strings.ToLower(r.Host)) || r.Header.Get("Origin") != "" && origin != strings.ToLower(r.Host) {
		return http.StatusForbidden, "the request is of a page of another origin"
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(token))
	if scheme != "Bearer" || subtle.ConstantTimeCompare(sum[:], w.token[:]) != 1 {
		return http.StatusUnauthorized, "the token is wrong; open the address that gate has shown"
	}
	return 0, ""
}

// settings are what a page may choose. The rest is that of the command line.
type settings struct {
	Model   string `json:"model"`
	Timeout string `json:"timeout"`
	Memory  string `json:"memory"`
	CPUs    string `json:"cpus"`
	Runtime string `json:"runtime"`
}

func (w *web) api(out http.ResponseWriter, r *http.Request) error {
	read := func(to any) error {
		dec := json.NewDecoder(http.MaxBytesReader(out, r.Body, maxBody))
		dec.DisallowUnknownFields()
		return dec.Decode(to)
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /api/state":
		tree, err := w.session.client.Files(r.Context())
		if err != nil {
			return err
		}
		files := []File{}
		for _, p := range tree.Paths() {
			data, _ := tree.Get(p)
			files = append(files, File{p, len(data)})
		}
		e := w.session.o.Engine
		out.Header().Set("Content-Type", "application/json")
		return json.NewEncoder(out).Encode(map[string]any{"turns": w.session.memory.Turns(), "workspace": files, "settings": settings{e.Model, e.Timeout, e.Memory, e.CPUs, e.Runtime}})
	case "POST /api/clear":
		return w.session.clear(r.Context())
	case "POST /api/settings":
		var in settings
		if err := read(&in); err != nil {
			return err
		}
		return w.reopen(r.Context(), in)
	case "POST /api/task":
		var in struct{ Task string }
		if err := read(&in); err != nil {
			return err
		}
		return w.task(out, r, in.Task)
	}
	return errors.New("there is no such request")
}

// reopen opens the workspace with other settings. Where that fails, the old ones stay.
func (w *web) reopen(ctx context.Context, in settings) error {
	o := w.session.o
	o.Engine.Model, o.Engine.Timeout, o.Engine.Memory, o.Engine.CPUs, o.Engine.Runtime = in.Model, in.Timeout, in.Memory, in.CPUs, in.Runtime
	// The session outlives the request that opens it.
	s, err := open(context.WithoutCancel(ctx), w.process, o)
	if err != nil {
		return err
	}
	old := w.session
	w.session = s
	return old.close()
}

// shown is a file that a program handed out, for the page.
type shown struct {
	File
	Where string `json:"where"`
	Data  string `json:"data,omitempty"` // Base64
}

// task does one task and tells the page of each step as it comes.
func (w *web) task(out http.ResponseWriter, r *http.Request, task string) error {
	check := work.Options{Task: task, Steps: w.session.o.Steps}
	if err := check.Check(); err != nil {
		return err
	}
	w.tasks++
	w.session.o.Out = filepath.Join(w.base, fmt.Sprint(w.tasks))
	out.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(out)
	_ = control.SetReadDeadline(time.Time{}) // a task takes longer than a request may
	send := func(what string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			return
		}
		fmt.Fprintf(out, "event: %s\ndata: %s\n\n", what, text)
		_ = control.Flush() // a page that has gone ends the context
	}
	w.session.watch = func(s work.Step) { send("step", s) }
	defer func() { w.session.watch = nil }()
	report, err := w.session.do(r.Context(), task)
	if err != nil {
		send("failed", map[string]string{"error": err.Error()})
		return nil
	}
	send("done", struct {
		Report
		Outputs []shown `json:"outputs"`
	}{report, w.outputs(report)})
	return nil
}

// outputs are the files that were handed out; those that were not are not shown either.
func (w *web) outputs(r Report) []shown {
	out, left := []shown{}, maxPage
	if r.Out == "" {
		return out
	}
	for _, f := range r.Results {
		data := w.session.results[f.Path]
		s := shown{File: f, Where: filepath.Join(r.Out, filepath.FromSlash(f.Path))}
		if len(data) <= min(maxInline, left) {
			s.Data = base64.StdEncoding.EncodeToString(data)
			left -= len(data)
		}
		out = append(out, s)
	}
	return out
}
