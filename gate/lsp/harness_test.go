package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git/gittest"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/lsp/protocol"
	"github.com/aigate/gate/gate/lsp/rpc"
	"github.com/aigate/gate/gate/static"
)

// rules are loaded once for all tests.
var rules = sync.OnceValues(static.LoadRules)

// engineOf is an engine whose folders are those of the test.
func engineOf(t testing.TB) *engine.Engine {
	t.Helper()
	home := t.TempDir()
	env := map[string]string{"HOME": home, "PATH": os.Getenv("PATH"), "GATE_SUPERVISOR": os.Getenv("GATE_SUPERVISOR"), "DOCKER_HOST": os.Getenv("DOCKER_HOST")}
	return engine.New(engine.Host{
		Tool: gate.Tool{Name: "gate", Version: "test"}, Stderr: io.Discard, Rules: rules,
		Getenv: func(name string) string { return env[name] },
	})
}

// editor is a client, as editors are.
type editor struct {
	t    testing.TB
	dir  string
	conn *rpc.Conn

	mu       sync.Mutex
	told     map[string]protocol.Diagnostics // the last of each text
	messages []string                        // for the user
	progress []protocol.Progress
	edits    []protocol.WorkspaceEdit // that were asked for
	news     chan struct{}            // something has arrived
	served   chan error
	close    func()
}

// Request implements [rpc.Handler].
func (e *editor) Request(method string, params json.RawMessage) (rpc.Served, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch method {
	case "workspace/applyEdit":
		p, err := rpc.Params[protocol.ApplyEdit](params)
		e.edits = append(e.edits, p.Edit)
		return func(context.Context) (any, error) { return protocol.Applied{Applied: true}, nil }, err
	case "window/workDoneProgress/create":
		return func(context.Context) (any, error) { return nil, nil }, nil
	}
	return nil, rpc.Errorf(rpc.CodeUnknownMethod, "no method %s", method)
}

// Notify implements [rpc.Handler].
func (e *editor) Notify(method string, params json.RawMessage) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch method {
	case "textDocument/publishDiagnostics":
		p, err := rpc.Params[protocol.Diagnostics](params)
		if err != nil {
			return err
		}
		e.told[p.URI] = p
	case "window/showMessage":
		p, err := rpc.Params[protocol.Message](params)
		if err != nil {
			return err
		}
		e.messages = append(e.messages, p.Message)
	case "$/progress":
		p, err := rpc.Params[protocol.Progress](params)
		if err != nil {
			return err
		}
		e.progress = append(e.progress, p)
	}
	select {
	case e.news <- struct{}{}:
	default:
	}
	return nil
}

// client is what most editors say of themselves.
func client() map[string]any {
	return map[string]any{
		"workspace":    map[string]any{"applyEdit": true, "workspaceEdit": map[string]any{"documentChanges": true, "resourceOperations": []string{"create"}}},
		"textDocument": map[string]any{"hover": map[string]any{"contentFormat": []string{"markdown", "plaintext"}}, "publishDiagnostics": map[string]any{"relatedInformation": true, "versionSupport": true}},
		"window":       map[string]any{"workDoneProgress": true},
	}
}

// open starts a server, and an editor that has opened a folder.
func open(t testing.TB, dir string, o Options, options map[string]any) *editor {
	t.Helper()
	e := connect(t, o)
	e.dir = dir
	var res protocol.InitializeResult
	err := e.conn.Call(t.Context(), "initialize", map[string]any{
		"processId": nil, "rootUri": nil, "capabilities": client(), "initializationOptions": options,
		"workspaceFolders": []map[string]string{{"uri": addressOf(dir), "name": "project"}},
	}, &res)
	if err != nil {
		t.Fatal(err)
	}
	if res.ServerInfo.Name != "gate" || res.Capabilities.TextDocumentSync.Change != 2 {
		t.Fatalf("%+v", res)
	}
	e.notify("initialized", struct{}{})
	return e
}

// connect starts a server, and an editor that has said nothing yet.
func connect(t testing.TB, o Options) *editor {
	t.Helper()
	if o.Engine == nil {
		o.Engine = engineOf(t)
	}
	if o.Wait == 0 {
		o.Wait = time.Millisecond
	}
	if o.times == nil {
		o.times = []time.Duration{5 * time.Minute} // how busy the machine is says nothing about the server
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	e := &editor{t: t, told: map[string]protocol.Diagnostics{}, news: make(chan struct{}, 1), served: make(chan error, 1)}
	e.conn = rpc.New(toEditor, fromEditor, func(err error) { t.Log("editor:", err) })
	ctx, cancel := context.WithCancel(context.Background())
	var working sync.WaitGroup
	working.Go(func() { e.served <- s.Serve(ctx, toServer, fromServer); fromServer.Close() })
	working.Go(func() { _ = e.conn.Serve(ctx, e) })
	e.close = func() { cancel(); toServer.Close(); toEditor.Close(); fromEditor.Close(); working.Wait() }
	t.Cleanup(e.close)
	return e
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	if err := e.conn.Notify(method, params); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) uri(name string) string { return addressOf(filepath.Join(e.dir, name)) }

// edit opens a text.
func (e *editor) edit(name, text string) {
	e.t.Helper()
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "languageId": "x", "version": 1, "text": text}})
}

// type changes a part of a text.
func (e *editor) change(name string, version int, changes ...protocol.Change) {
	e.t.Helper()
	e.notify("textDocument/didChange", protocol.Changed{TextDocument: protocol.TextDocument{URI: e.uri(name), Version: &version}, Changes: changes})
}

// wait waits until something holds.
func (e *editor) wait(what string, holds func() bool) {
	e.t.Helper()
	deadline := time.After(5 * time.Minute)
	for {
		e.mu.Lock()
		ok := holds()
		e.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-e.news:
		case <-deadline:
			e.mu.Lock()
			defer e.mu.Unlock()
			e.t.Fatalf("there is no %s: %+v, %q", what, e.told, e.messages)
		}
	}
}

// diagnostics are those of a version of a text, one a line.
func (e *editor) diagnostics(name string, version int) []string {
	e.t.Helper()
	e.wait(fmt.Sprintf("word about %s, version %d", name, version), func() bool {
		d, ok := e.told[e.uri(name)]
		return ok && d.Version != nil && *d.Version == version
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	return shown(e.told[e.uri(name)].Diagnostics)
}

func shown(all []protocol.Diagnostic) []string {
	out := []string{}
	for _, d := range all {
		out = append(out, fmt.Sprintf("%d:%d-%d:%d %s %s", d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Line, d.Range.End.Character,
			[]string{"?", "error", "warning", "information", "hint"}[d.Severity], d.Code))
	}
	return out
}

// call asks the server.
func call[T any](e *editor, method string, params any) (T, error) {
	e.t.Helper()
	var out T
	err := e.conn.Call(e.t.Context(), method, params, &out)
	return out, err
}

// refused wants an error with a code that says something.
func refused(t testing.TB, err error, code int, says string) {
	t.Helper()
	e, ok := errors.AsType[*rpc.Error](err)
	if !ok || e.Code != code || !strings.Contains(e.Message, says) {
		t.Errorf("got %v, want an error %d that says %q", err, code, says)
	}
}

// project is a work tree with a commit.
func project(t testing.TB, files map[string]string) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	put(t, r.Dir, files)
	r.Commit("first")
	return r
}

func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func has(all []string, part string) bool {
	return slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, part) })
}
