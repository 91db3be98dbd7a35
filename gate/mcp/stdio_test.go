package mcp

import (
	"encoding/json"
	"io"
	"slices"
	"testing"
)

// lines is a client that sends lines of its own to a server on two streams.
type lines struct {
	t   *testing.T
	in  io.Writer
	out *json.Decoder
}

func onStreams(t *testing.T) lines {
	t.Helper()
	s := open(t, Options{})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.ServeStdio(t.Context(), in, out) }()
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return lines{t, toServer, json.NewDecoder(fromServer)}
}

func (l lines) send(line string) {
	l.t.Helper()
	if _, err := io.WriteString(l.in, line+"\n"); err != nil {
		l.t.Fatal(err)
	}
}

// answer is the next message of the server.
type answer struct {
	ID     int
	Result struct {
		SupportedVersions []string
		ProtocolVersion   string
		Tools             []struct{ Name string }
	}
	Error *struct{ Message string }
}

func (l lines) answers() answer {
	l.t.Helper()
	var a answer
	if err := l.out.Decode(&a); err != nil {
		l.t.Fatal(err)
	}
	if a.Error != nil {
		l.t.Fatalf("message %d: %s", a.ID, a.Error.Message)
	}
	return a
}

const (
	modern     = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	discover   = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modern + `}}`
	initialize = `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
)

func TestAClientThatGotNoWordOfTheProtocolsInTimeGoesOnWithTheOlderOne(t *testing.T) {
	l := onStreams(t)
	l.send(discover)
	if a := l.answers(); !slices.Contains(a.Result.SupportedVersions, "2026-07-28") {
		t.Errorf("%+v", a)
	}
	l.send(initialize)
	if a := l.answers(); a.ID != 2 || a.Result.ProtocolVersion != "2025-06-18" {
		t.Errorf("%+v", a)
	}
	l.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	l.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	if a := l.answers(); a.ID != 3 || len(a.Result.Tools) < 11 {
		t.Errorf("%+v", a)
	}
}

func TestAClientThatAskedForTheProtocolsGoesOnWithTheNewestOne(t *testing.T) {
	l := onStreams(t)
	l.send(discover)
	l.answers()
	l.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + modern + `}}`)
	if a := l.answers(); a.ID != 2 || len(a.Result.Tools) < 11 {
		t.Errorf("%+v", a)
	}
}
