package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// side is a handler that is made of functions.
type side struct {
	request func(method string, params json.RawMessage) (Served, error)
	notify  func(method string, params json.RawMessage) error
}

func (s side) Request(method string, params json.RawMessage) (Served, error) {
	return s.request(method, params)
}

func (s side) Notify(method string, params json.RawMessage) error {
	if s.notify == nil {
		return nil
	}
	return s.notify(method, params)
}

// echo answers with the parameters, waits, panics, or does not know.
func echo(method string, params json.RawMessage) (Served, error) {
	switch method {
	case "echo":
		return func(context.Context) (any, error) { return params, nil }, nil
	case "wait":
		return func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() }, nil
	case "panic":
		return func(context.Context) (any, error) { panic("in a handler") }, nil
	case "panic at once":
		panic("in a handler")
	}
	return nil, Errorf(CodeUnknownMethod, "no method %q", method)
}

// talk sends frames to a connection and returns what it answers, one a line.
func talk(t *testing.T, in string) (answers []string, err error) {
	t.Helper()
	var out strings.Builder
	err = New(strings.NewReader(in), &out, nil).Serve(t.Context(), side{request: echo})
	r := newReader(strings.NewReader(out.String()), MaxMessage)
	for {
		data, err := r.read()
		if err != nil {
			break
		}
		answers = append(answers, string(data))
	}
	return answers, err
}

func framed(messages ...string) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	return b.String()
}

func TestMalformedMessagesAreAnswered(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a request", `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`},
		{"an identifier that is a text", `{"jsonrpc":"2.0","id":"é","method":"echo","params":[]}`, `{"jsonrpc":"2.0","id":"é","result":[]}`},
		{"no JSON", `{`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is no JSON"}}`},
		{"nothing", ``, `-32700`},
		{"several requests at once", `[{"jsonrpc":"2.0","id":1,"method":"echo"}]`, `-32600`},
		{"another version", `{"jsonrpc":"1.0","id":1,"method":"echo"}`, `"id":1,"error":{"code":-32600`},
		{"an identifier that is none", `{"jsonrpc":"2.0","id":{},"method":"echo"}`, `"id":null,"error":{"code":-32600`},
		{"a fraction as identifier", `{"jsonrpc":"2.0","id":1.5,"method":"echo"}`, `-32600`},
		{"an endless identifier", `{"jsonrpc":"2.0","id":"` + strings.Repeat("a", 1000) + `","method":"echo"}`, `-32600`},
		{"a method that is none", `{"jsonrpc":"2.0","id":1,"method":{}}`, `-32600`},
		{"parameters that are none", `{"jsonrpc":"2.0","id":1,"method":"echo","params":3}`, `-32600`},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"x"}`, `-32601`},
		{"a handler that panics", `{"jsonrpc":"2.0","id":1,"method":"panic"}`, `-32603`},
		{"a handler that panics at once", `{"jsonrpc":"2.0","id":1,"method":"panic at once"}`, `-32603`},
		{"a message without anything", `{"jsonrpc":"2.0"}`, `-32600`},
		{"depth without an end", strings.Repeat("[", 100_000), `-32700`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := talk(t, framed(tt.in, `{"jsonrpc":"2.0","id":"last","method":"echo","params":[]}`))
			if err != nil || len(got) != 2 {
				t.Fatalf("%q, %v", got, err)
			}
			if !strings.Contains(strings.Join(got, "\n"), tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNotificationsAndAnswersAreNotAnswered(t *testing.T) {
	for _, in := range []string{
		`{"jsonrpc":"2.0","method":"x"}`, `{"jsonrpc":"2.0","id":7,"result":1}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":9}}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":[]}`, `{"jsonrpc":"2.0","method":"$/cancelRequest"}`,
	} {
		if got, err := talk(t, framed(in)); len(got) > 0 || err != nil {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
}

func TestAHeaderThatCannotBeReadEndsTheConnection(t *testing.T) {
	got, err := talk(t, "Content-Length: x\r\n\r\n"+framed(`{"jsonrpc":"2.0","id":1,"method":"echo"}`))
	if err == nil || len(got) != 1 || !strings.Contains(got[0], `"code":-32700`) {
		t.Errorf("%q, %v", got, err)
	}
}

// pair is two connections that are each other's other side.
func pair(t *testing.T, a, b Handler) (*Conn, *Conn) {
	t.Helper()
	toB, fromA := io.Pipe()
	toA, fromB := io.Pipe()
	ca, cb := New(toA, fromA, nil), New(toB, fromB, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var working sync.WaitGroup
	working.Go(func() { _ = ca.Serve(ctx, a) })
	working.Go(func() { _ = cb.Serve(ctx, b) })
	t.Cleanup(func() {
		cancel()
		toA.Close()
		toB.Close()
		fromA.Close()
		fromB.Close()
		working.Wait()
	})
	return ca, cb
}

func TestACallIsCancelledByTheOtherSide(t *testing.T) {
	begun := make(chan struct{})
	c, _ := pair(t, side{request: echo}, side{request: func(method string, p json.RawMessage) (Served, error) {
		served, err := echo(method, p)
		return func(ctx context.Context) (any, error) { close(begun); return served(ctx) }, err
	}})
	ended := make(chan error, 1)
	go func() { ended <- c.Call(t.Context(), "wait", struct{}{}, nil) }()
	<-begun
	if err := c.Notify("$/cancelRequest", map[string]any{"id": "gate-1"}); err != nil {
		t.Fatal(err)
	}
	if e, ok := errors.AsType[*Error](<-ended); !ok || e.Code != CodeCancelled {
		t.Errorf("%v", e)
	}
}

func TestRequestsAtATimeAreBounded(t *testing.T) {
	c, _ := pair(t, side{request: echo}, side{request: echo})
	ended := make(chan error, maxServed)
	for range maxServed {
		go func() { ended <- c.Call(t.Context(), "wait", struct{}{}, nil) }()
	}
	// Each of them is refused or waits: one more is refused as soon as all have arrived.
	for {
		err := c.Call(t.Context(), "echo", []int{1}, nil)
		if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeTooMany {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c.mu.Lock()
	asked := c.next
	c.mu.Unlock()
	for i := range asked {
		_ = c.Notify("$/cancelRequest", map[string]any{"id": fmt.Sprintf("gate-%d", i+1)})
	}
	for range maxServed {
		if e, ok := errors.AsType[*Error](<-ended); !ok || e.Code != CodeCancelled && e.Code != CodeTooMany {
			t.Errorf("%v", e)
		}
	}
}

func TestACallEndsWithTheConnection(t *testing.T) {
	here, there := io.Pipe()
	c := New(here, io.Discard, nil)
	served := make(chan error, 1)
	go func() { served <- c.Serve(t.Context(), side{request: echo}) }()
	ended := make(chan error, 1)
	go func() { ended <- c.Call(t.Context(), "echo", struct{}{}, nil) }()
	there.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("a call without an answer has one")
	}
}
