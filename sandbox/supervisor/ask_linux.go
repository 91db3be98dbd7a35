package supervisor

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// A server does what it does when it is asked. So it is asked: what a client of it would
// send, over loopback, from here. Everything about it is bounded, and what comes back is
// looked at only for canaries. That we ask is none of the program's doing: only its own
// calls are recorded.

const (
	askWithin    = 5 * time.Second        // for all questions together
	answerWithin = time.Second            // for one answer over HTTP
	greetWithin  = 100 * time.Millisecond // for a server that speaks first
	bareWithin   = 250 * time.Millisecond // for the answer to an empty line
	maxAnswer    = 64 << 10               // bytes of one
	maxSilent    = 2                      // questions without an answer, after which a place is left alone
	askedAtOnce  = 4                      // places
)

// asker asks a program.
type asker struct {
	questions []wire.Question
	doors     []door
	seen      func(answer []byte, to string) // what came back

	mu    sync.Mutex
	asked wire.Asked
	miss  []string // each once
}

// run asks until everything was asked or ctx ends.
func (a *asker) run(ctx context.Context) wire.Asked {
	all := a.doors
	if more := len(all) - wire.MaxPlaces; more > 0 {
		a.missed("%d of its %d ports and sockets were not asked", more, len(all))
		all = all[:wire.MaxPlaces]
	}
	a.asked.Places = len(all)
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	var work sync.WaitGroup
	slots := make(chan struct{}, askedAtOnce)
	for _, p := range all {
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			a.ask(ctx, p)
		})
	}
	work.Wait()
	a.asked.Missed = clip(strings.Join(a.miss, "; "), 500)
	return a.asked
}

func (a *asker) missed(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if text := fmt.Sprintf(format, args...); len(a.miss) < 4 {
		a.miss = append(a.miss, text)
	}
}

// count counts a question.
func (a *asker) count(answered bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked.Questions++
	if answered {
		a.asked.Answers++
	}
}

// ask asks at one place: over HTTP where that is spoken there, with TLS if need be, and
// else with a bare connection.
func (a *asker) ask(ctx context.Context, p door) {
	if p.network == "udp" {
		a.bare(ctx, p)
		return
	}
	client, answered, silent := caller{door: p}, 0, 0
	for i, q := range a.questions {
		if ctx.Err() != nil {
			a.missed("%d of %d questions were not asked on %s: the time for them was over", len(a.questions)-i, len(a.questions), p.name())
			return
		}
		answer, kind := client.http(ctx, q)
		if answered == 0 && kind == answerOther && p.network == "tcp" {
			secure := caller{door: p, tls: true}
			if a, k := secure.http(ctx, q); k == answerHTTP {
				client, answer, kind = secure, a, k
			}
		}
		a.count(kind != answerNone)
		a.seen(answer, q.Method+" "+q.Path+" on "+p.name())
		switch kind {
		case answerHTTP:
			answered++
			continue
		case answerOther:
			if answered == 0 { // it speaks something else
				a.bare(ctx, p)
				return
			}
			continue
		}
		if silent++; silent == maxSilent {
			break
		}
	}
	switch {
	case silent > 0 && answered > 0:
		a.missed("%s did not answer all questions in time", p.name())
	case silent > 0 && !a.bare(ctx, p):
		a.mu.Lock()
		a.asked.Silent++
		a.mu.Unlock()
	}
}

// bare connects, takes a greeting and sends an empty line. It reports whether something
// came back.
func (a *asker) bare(ctx context.Context, p door) bool {
	conn, err := caller{door: p}.dial(ctx)
	if err != nil {
		a.count(false)
		return false
	}
	defer conn.Close()
	var answer []byte
	if p.network != "udp" {
		answer, _ = receiveUntil(conn, greetWithin)
	}
	_ = conn.SetWriteDeadline(time.Now().Add(bareWithin))
	_, _ = conn.Write([]byte("\n")) // or it has closed it
	more, closed := receiveUntil(conn, bareWithin)
	answer = append(answer, more...)
	answered := len(answer) > 0 || closed
	a.count(answered)
	a.seen(answer, "a connection to "+p.name())
	return answered
}

// receiveUntil reads for a while, or up to the bound.
func receiveUntil(conn net.Conn, within time.Duration) (data []byte, closed bool) {
	_ = conn.SetReadDeadline(time.Now().Add(within))
	data, err := io.ReadAll(io.LimitReader(conn, maxAnswer))
	return data, err == nil && len(data) < maxAnswer || err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

// caller connects to a place.
type caller struct {
	door door
	tls  bool
}

func (c caller) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	var failed error
	for _, addr := range c.door.dialled() {
		conn, err := (&net.Dialer{}).DialContext(ctx, c.door.network, addr)
		if err != nil {
			failed = err
			continue
		}
		if !c.tls {
			return conn, nil
		}
		// Whatever certificate it shows: nothing is told to it that matters.
		secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, ServerName: "localhost"}) //nolint:gosec // above
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return secure, nil
	}
	return nil, failed
}

// kind is what came back.
type kind int

const (
	answerNone  kind = iota // nothing in time
	answerOther             // something that is not HTTP, or the end of the connection
	answerHTTP
)

// http sends one question on a connection of its own and returns what came back.
func (c caller) http(ctx context.Context, q wire.Question) ([]byte, kind) {
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, answerNone
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	_ = conn.SetDeadline(time.Now().Add(answerWithin))
	_, _ = conn.Write(questionText(q)) // a server may answer before it has read all
	var raw bytes.Buffer
	from := bufio.NewReader(io.TeeReader(io.LimitReader(conn, maxAnswer), &raw))
	res, err := http.ReadResponse(from, &http.Request{Method: q.Method})
	if err != nil {
		if raw.Len() == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, answerNone
		}
		return raw.Bytes(), answerOther
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body) // up to the bound, or the time
	if c.tls || res.StatusCode != http.StatusBadRequest || !bytes.Contains(bytes.ToLower(raw.Bytes()), []byte("https")) {
		return raw.Bytes(), answerHTTP
	}
	return raw.Bytes(), answerOther // it wants TLS
}

// questionText is a question as it goes over the wire.
func questionText(q wire.Question) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\nConnection: close\r\n", q.Method, q.Path)
	if q.Method != http.MethodGet && q.Method != http.MethodDelete {
		const body = `{"id": 1, "name": "example"}`
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		return b.Bytes()
	}
	b.WriteString("\r\n")
	return b.Bytes()
}
