package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/aigate/gate/gate"
)

// Served answers one request. It runs beside others, and ctx ends when the other side
// cancels the request or the connection ends.
type Served func(ctx context.Context) (result any, err error)

// Handler is what a connection serves.
type Handler interface {
	// Request begins to serve a request. It is called for requests and notifications in
	// the order in which they came, so what has to be in that order is done in it; the rest
	// is for what it returns.
	Request(method string, params json.RawMessage) (Served, error)
	// Notify handles a notification. It must not wait for the other side. The error is for
	// the log; [ErrExit] ends the connection.
	Notify(method string, params json.RawMessage) error
}

// ErrExit is how a handler ends the connection.
var ErrExit = errors.New("the client has ended the connection")

// The bounds of a connection.
const (
	MaxMessage  = 32 << 20 // bytes of one message
	maxServed   = 32       // requests at a time
	maxExpected = 64       // answers that are waited for
)

// Conn is one connection. It is safe for concurrent use.
type Conn struct {
	in  *reader
	log func(error)

	writing sync.Mutex
	out     io.Writer

	mu       sync.Mutex
	serving  map[string]context.CancelFunc // by identifier
	expected map[string]chan message       // answers, by identifier
	next     int
	closed   bool
	working  sync.WaitGroup
}

// New returns a connection. log is told what is wrong with what comes in; nil is silence.
func New(in io.Reader, out io.Writer, log func(error)) *Conn {
	if log == nil {
		log = func(error) {}
	}
	return &Conn{in: newReader(in, MaxMessage), out: out, log: log,
		serving: map[string]context.CancelFunc{}, expected: map[string]chan message{}}
}

// Serve serves until the input ends, a handler says so, or ctx ends. It returns nil where
// the input ended between two messages, and [ErrExit]. Where ctx ends, a read of the input
// may go on until the input is closed.
func (c *Conn) Serve(ctx context.Context, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer c.working.Wait()
	defer c.close()
	defer cancel()
	type read struct {
		data []byte
		err  error
	}
	messages := make(chan read)
	go func() {
		for {
			data, err := c.in.read()
			select {
			case messages <- read{data, err}:
			case <-ctx.Done():
				return
			}
			if _, skipped := errors.AsType[*TooLargeError](err); err != nil && !skipped {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case m := <-messages:
			if errors.Is(m.err, io.EOF) && !errors.Is(m.err, io.ErrUnexpectedEOF) {
				return nil
			}
			if err := c.received(ctx, h, m.data, m.err); err != nil {
				return err
			}
		}
	}
}

// LostError is what the log is told of a message that could not be read: no one knows what
// it was about.
type LostError struct{ Err error }

// Error implements error.
func (e *LostError) Error() string { return "a message was not read: " + e.Err.Error() }

// Unwrap returns why.
func (e *LostError) Unwrap() error { return e.Err }

// received handles one message. The error ends the connection.
func (c *Conn) received(ctx context.Context, h Handler, data []byte, failed error) error {
	if failed != nil {
		c.log(&LostError{failed})
		err := c.respond(nil, nil, &Error{CodeParse, failed.Error()})
		if _, skipped := errors.AsType[*TooLargeError](failed); skipped {
			return err
		}
		return failed
	}
	m, bad := decode(data)
	switch {
	case bad != nil:
		c.log(&LostError{bad})
		return c.respond(m.ID, nil, bad)
	case m.Method == "":
		c.answered(m)
		return nil
	case m.ID == nil:
		return c.notified(h, m)
	}
	return c.requested(ctx, h, m)
}

func (c *Conn) notified(h Handler, m message) error {
	if m.Method == "$/cancelRequest" {
		p, err := Params[struct {
			ID json.RawMessage `json:"id"`
		}](m.Params)
		if err != nil {
			c.log(err)
			return nil
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if cancel := c.serving[string(id(p.ID))]; cancel != nil {
			cancel()
		}
		return nil
	}
	err := gate.Catch(func() error { return h.Notify(m.Method, m.Params) })
	if errors.Is(err, ErrExit) {
		return err
	}
	if err != nil {
		c.log(fmt.Errorf("%.100q: %w", m.Method, err))
	}
	return nil
}

func (c *Conn) requested(ctx context.Context, h Handler, m message) error {
	key := string(m.ID)
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	_, twice := c.serving[key]
	full := len(c.serving) >= maxServed
	if !twice && !full {
		c.serving[key] = cancel
	}
	c.mu.Unlock()
	if twice || full {
		cancel()
		if twice {
			return c.respond(m.ID, nil, Errorf(CodeInvalidRequest, "a request with this identifier is being served"))
		}
		return c.respond(m.ID, nil, Errorf(CodeTooMany, "more than %d requests at a time are not served", maxServed))
	}
	var served Served
	err := gate.Catch(func() (err error) { served, err = h.Request(m.Method, m.Params); return err })
	c.working.Go(func() {
		defer cancel()
		var result any
		if err == nil {
			err = gate.Catch(func() (err error) { result, err = served(ctx); return err })
		}
		c.mu.Lock()
		delete(c.serving, key)
		c.mu.Unlock()
		if errors.Is(err, context.Canceled) {
			err = Errorf(CodeCancelled, "the request was cancelled")
		}
		if err := c.respond(m.ID, result, err); err != nil {
			c.log(err)
		}
	})
	return nil
}

// respond answers a request; a nil identifier is one that no one knows.
func (c *Conn) respond(id json.RawMessage, result any, err error) error {
	m := message{ID: id}
	if id == nil {
		m.ID = json.RawMessage("null")
	}
	if err == nil {
		m.Result, err = json.Marshal(result)
	}
	if err != nil {
		m.Error, m.Result = asError(err), nil
	}
	return c.send(m)
}

func (c *Conn) send(m message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	return write(c.out, body)
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.send(message{Method: method, Params: raw})
}

// Call sends a request and reads its answer into result, which may be nil.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan message, 1)
	c.mu.Lock()
	if c.closed || len(c.expected) >= maxExpected {
		c.mu.Unlock()
		return errors.New("the client does not answer")
	}
	c.next++
	key := strconv.Quote("gate-" + strconv.Itoa(c.next))
	c.expected[key] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.expected, key)
		c.mu.Unlock()
	}()
	if err := c.send(message{ID: json.RawMessage(key), Method: method, Params: raw}); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case m, ok := <-answer:
		switch {
		case !ok:
			return errors.New("the connection has ended")
		case m.Error != nil:
			return m.Error
		case result == nil || len(m.Result) == 0 || bytes.Equal(m.Result, []byte("null")):
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
}

// answered hands an answer to who waits for it. Others are dropped.
func (c *Conn) answered(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer, ok := c.expected[string(m.ID)]; ok {
		delete(c.expected, string(m.ID))
		answer <- m
	}
}

// close lets no one wait for an answer any more.
func (c *Conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for key, answer := range c.expected {
		delete(c.expected, key)
		close(answer)
	}
}
