package netsim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxHeader bounds what comes before a body.
const maxHeader = 64 << 10

// web is one HTTP server for all connections that speak it. Connections come to it
// out of sessions, not off a listener.
type web struct {
	n      *Net
	server *http.Server
	queue  chan net.Conn
	closed chan struct{}

	mu       sync.Mutex
	sessions map[net.Conn]*served
	handling sync.WaitGroup
	serving  sync.WaitGroup
	ended    bool
}

// served is a connection while the server has it.
type served struct {
	s    *session
	raw  *tap          // over all that arrives; nil in HTTP/2, where that is compressed
	done chan struct{} // closed when the server has it no more

	mu       sync.Mutex
	hijacked bool
	requests int
}

type servedKey struct{}

func newWeb(n *Net) *web {
	wb := &web{n: n, queue: make(chan net.Conn), closed: make(chan struct{}), sessions: map[net.Conn]*served{}}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	wb.server = &http.Server{
		Handler:           wb,
		ReadHeaderTimeout: n.cfg.Limits.Idle,
		IdleTimeout:       n.cfg.Limits.Life,
		MaxHeaderBytes:    maxHeader,
		Protocols:         &protocols,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          8,
			MaxReceiveBufferPerConnection: 128 << 10,
			MaxReceiveBufferPerStream:     64 << 10,
		},
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			wb.mu.Lock()
			defer wb.mu.Unlock()
			return context.WithValue(ctx, servedKey{}, wb.sessions[c])
		},
		ConnState: func(c net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				wb.mu.Lock()
				sv := wb.sessions[c]
				delete(wb.sessions, c)
				wb.mu.Unlock()
				if sv != nil {
					close(sv.done)
				}
			}
		},
	}
	wb.serving.Go(func() { _ = wb.server.Serve(wb) }) // it ends with close
	return wb
}

// Accept, Close and Addr make web the listener of its own server.
func (wb *web) Accept() (net.Conn, error) {
	select {
	case c := <-wb.queue:
		return c, nil
	case <-wb.closed:
		return nil, net.ErrClosed
	}
}

func (wb *web) Close() error   { return nil }
func (wb *web) Addr() net.Addr { return &net.TCPAddr{IP: loopback()} }

// close ends the server and waits for its handlers.
func (wb *web) close() {
	wb.mu.Lock()
	wb.ended = true
	wb.mu.Unlock()
	close(wb.closed)
	wb.server.Close() // connections in the middle of something
	wb.handling.Wait()
	wb.serving.Wait()
}

// enter reports whether a handler may start.
func (wb *web) enter() bool {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	if !wb.ended {
		wb.handling.Add(1)
	}
	return !wb.ended
}

// serve plays a web server on c until it ends. t, if there is one, watches c.
func (s *session) serve(c net.Conn, t *tap) {
	wb := s.n.web
	sv := &served{s: s, raw: t, done: make(chan struct{})}
	wb.mu.Lock()
	wb.sessions[c] = sv
	wb.mu.Unlock()
	select {
	case wb.queue <- c:
		<-sv.done
	case <-wb.closed:
	}
	if t == nil {
		return
	}
	// What is no request, or comes between two, is in no event yet.
	t.close()
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if sv.requests == 0 || len(t.finds()) > 0 {
		s.rest(t, "HTTP that is no complete request")
	}
}

// ServeHTTP records a request and answers it.
func (wb *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sv, _ := r.Context().Value(servedKey{}).(*served)
	if sv == nil || !wb.enter() {
		return
	}
	defer wb.handling.Done()
	wb.n.guard(func() { wb.handle(sv, w, r) })
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if sv.hijacked {
		close(sv.done)
	}
}

func (wb *web) handle(sv *served, w http.ResponseWriter, r *http.Request) {
	s := *sv.s
	if r.Host != "" { // as the program calls it, also for one of many behind a proxy
		if host, port, err := net.SplitHostPort(r.Host); err == nil {
			s.host = host
			if p, err := strconv.ParseUint(port, 10, 16); err == nil {
				s.port = uint16(p)
			}
		} else {
			s.host = strings.Trim(r.Host, "[]")
		}
		s.host = strings.ToLower(s.host)
	}
	q := newHTTPRequest(&s, r)
	if q.proxied && s.port == 0 && r.Method != http.MethodConnect {
		s.port = 80
	}

	var header, trailer strings.Builder
	_ = r.Header.Write(&header) // to memory
	before := r.Method + " " + r.URL.String() + "\r\nHost: " + r.Host + "\r\n" + header.String() + "\r\n"
	// Where a request arrives as it is, its bytes have been searched on their way.
	t := &tap{log: wb.n.log}
	if sv.raw == nil || len(r.TransferEncoding) > 0 {
		t = wb.n.newTap()
		t.look(before)
	}
	defer t.close()
	head, err := wb.body(w, r, t)
	q.body = head
	_ = r.Trailer.Write(&trailer) // to memory
	t.look(trailer.String())
	t.close()

	e := s.event(q.kind(), q.detail())
	t.fill(&e)
	if sv.raw != nil {
		e.Canaries = append(e.Canaries, sv.raw.take()...)
	}
	if len(head) == 0 {
		e.Head = []byte(before)
	}
	e.Bytes += int64(len(before))
	sv.mu.Lock()
	sv.requests++
	sv.mu.Unlock()
	wb.n.log.add(e)
	if err != nil {
		return
	}

	if r.Method == http.MethodConnect {
		wb.tunnel(sv, &s, w)
		return
	}
	a := wb.n.reply(q)
	for i := 0; i+1 < len(a.header); i += 2 {
		w.Header().Set(a.header[i], a.header[i+1])
	}
	w.Header().Set("Date", wb.n.cfg.Clock().UTC().Format(http.TimeFormat))
	if w.Header().Get("Server") == "" {
		w.Header().Set("Server", "nginx")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, a.body) // the client is gone
	}
}

// body reads a body to its end. All of it is watched, the head is returned.
func (wb *web) body(w http.ResponseWriter, r *http.Request, t *tap) (head []byte, err error) {
	control := http.NewResponseController(w)
	buf := make([]byte, 16<<10)
	for {
		_ = control.SetReadDeadline(time.Now().Add(wb.n.cfg.Limits.Idle)) // the connection has its end anyway
		k, err := r.Body.Read(buf)
		_, _ = t.Write(buf[:k]) // never fails
		head = append(head, buf[:min(k, maxHead-len(head))]...)
		if errors.Is(err, io.EOF) {
			return head, nil
		}
		if err != nil {
			return head, fmt.Errorf("read the body of a request: %w", err)
		}
	}
}

// tunnel plays a proxy: what the program asked it to connect to is played below.
func (wb *web) tunnel(sv *served, s *session, w http.ResponseWriter) {
	c, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/2
		w.WriteHeader(http.StatusNotImplemented)
		return
	}
	sv.mu.Lock()
	sv.hijacked = true
	sv.mu.Unlock()
	defer c.Close()
	if _, err := io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	s.layers++
	// The server may have read on already.
	p := newPeeker(c)
	p.r.Reset(io.MultiReader(io.LimitReader(buffered.Reader, int64(buffered.Reader.Buffered())), c))
	s.play(p)
}
