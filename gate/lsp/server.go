package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/lsp/protocol"
	"github.com/aigate/gate/gate/lsp/rpc"
)

// state is where a server is in its life.
type state int

const (
	fresh state = iota
	opening
	ready
	down // the client has asked for the end
)

// Server serves one client.
type Server struct {
	o    Options
	conn *rpc.Conn

	ctx    context.Context //nolint:containedctx // that of everything that outlives a request
	cancel context.CancelFunc

	client  protocol.Capabilities // fixed when it is ready
	options protocol.Options

	mu        sync.Mutex
	state     state
	roots     []*root
	former    []*root // that are not open any more; a scan may still use them
	documents map[string]*document
	tokens    map[string]context.CancelFunc // of runs, by what the client calls their progress
	started   int                           // runs, so far

	telling sync.Mutex // diagnostics are sent in the order of the texts
	slots   chan struct{}
	again   chan struct{} // one text at a time is scanned again because that took too long
	running chan struct{} // the engine serves one run at a time
	working sync.WaitGroup
}

// New returns a server.
func New(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return &Server{
		o: o, documents: map[string]*document{}, tokens: map[string]context.CancelFunc{},
		slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0))), running: make(chan struct{}, 1), again: make(chan struct{}, 1),
	}, nil
}

// ErrNoShutdown is a client that went away without asking for the end first.
var ErrNoShutdown = errors.New("the editor ended the connection without shutting gate down first")

// Serve serves a client until it says so, the input ends, or ctx ends. Nothing goes on
// when it returns, but for a read of in where ctx ended.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.conn = rpc.New(in, out, s.complain)
	err := s.conn.Serve(s.ctx, s)
	s.cancel()
	err = s.close(err)
	return err
}

// complain takes what is wrong with what the client sends. A message that could not be read
// may have been a change of a text.
func (s *Server) complain(err error) {
	s.o.Log.Warn("the client", "error", err)
	if _, lost := errors.AsType[*rpc.LostError](err); !lost {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.documents {
		d.lost = "a message of the editor could not be read; save the file or open it anew"
		d.touch(0)
	}
}

// close waits for everything that goes on, and lets go of the folders.
func (s *Server) close(err error) error {
	s.mu.Lock()
	for _, d := range s.documents {
		d.stop()
	}
	asked := s.state == down
	s.state = down
	s.mu.Unlock()
	s.working.Wait()
	var errs []error
	for _, r := range slices.Concat(s.roots, s.former) {
		errs = append(errs, r.close())
	}
	switch {
	case err != nil && !errors.Is(err, rpc.ErrExit):
		errs = append(errs, err)
	case !asked:
		errs = append(errs, ErrNoShutdown)
	}
	return errors.Join(errs...)
}

// Request implements [rpc.Handler].
func (s *Server) Request(method string, params json.RawMessage) (rpc.Served, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case method == "initialize":
		if s.state != fresh {
			return nil, rpc.Errorf(rpc.CodeInvalidRequest, "the server is initialized already")
		}
		s.state = opening
		return func(context.Context) (any, error) { return s.initialize(params) }, nil
	case s.state == fresh || s.state == opening:
		return nil, rpc.Errorf(rpc.CodeNotInitialized, "the server is not initialized")
	case s.state == down:
		return nil, rpc.Errorf(rpc.CodeInvalidRequest, "the server is shutting down")
	case method == "shutdown":
		s.state = down
		for _, d := range s.documents {
			d.stop()
		}
		return func(context.Context) (any, error) { return nil, nil }, nil
	}
	serve, ok := map[string]func(context.Context, json.RawMessage) (any, error){
		"textDocument/hover":       s.hover,
		"textDocument/codeAction":  actions{s}.codeActions,
		"workspace/executeCommand": s.execute,
	}[method]
	if !ok {
		return nil, rpc.Errorf(rpc.CodeUnknownMethod, "gate has no method %.100q", method)
	}
	return func(ctx context.Context) (any, error) { return serve(ctx, params) }, nil
}

// Notify implements [rpc.Handler].
func (s *Server) Notify(method string, params json.RawMessage) error {
	s.mu.Lock()
	st := s.state
	s.mu.Unlock()
	switch {
	case method == "exit":
		return rpc.ErrExit
	case st != ready:
		return errors.New("the server is not initialized, or shutting down")
	}
	switch method {
	case "textDocument/didOpen":
		return s.opened(params)
	case "textDocument/didChange":
		return s.changed(params)
	case "textDocument/didSave":
		return s.saved(params)
	case "textDocument/didClose":
		return s.closed(params)
	case "workspace/didChangeWorkspaceFolders":
		return s.foldersChanged(params)
	case "window/workDoneProgress/cancel":
		p, err := rpc.Params[protocol.ProgressToken](params)
		s.mu.Lock()
		defer s.mu.Unlock()
		if cancel := s.tokens[p.Token]; cancel != nil {
			cancel()
		}
		return err
	}
	return nil // the protocol lets a server ignore what it does not know
}

func (s *Server) initialize(params json.RawMessage) (any, error) {
	p, err := rpc.Params[protocol.InitializeParams](params)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.state = fresh
		return nil, err
	}
	s.client, s.options = p.Capabilities, p.Options
	folders := p.WorkspaceFolders
	if len(folders) == 0 && p.RootURI != "" {
		folders = []protocol.WorkspaceFolder{{URI: p.RootURI}}
	}
	s.addRoots(folders)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == opening {
		s.state = ready
	}
	out := protocol.InitializeResult{
		Capabilities: protocol.ServerCapabilities{
			PositionEncoding:   "utf-16",
			TextDocumentSync:   protocol.SyncOptions{OpenClose: true, Change: 2, Save: protocol.SaveOptions{IncludeText: true}},
			HoverProvider:      true,
			CodeActionProvider: protocol.CodeActionOptions{Kinds: []string{protocol.KindQuickFix, protocol.KindRun}},
			ExecuteCommand:     protocol.ExecuteOptions{Commands: commands()},
		},
		ServerInfo: protocol.ServerInfo{Name: "gate", Version: s.o.Engine.Tool().Version},
	}
	out.Capabilities.Workspace.Folders.Supported = true
	out.Capabilities.Workspace.Folders.ChangeNotifications = true
	return out, nil
}

// addRoots opens folders. What is wrong with one is told to the user.
func (s *Server) addRoots(folders []protocol.WorkspaceFolder) {
	for _, f := range folders {
		s.mu.Lock()
		known := len(s.roots)+len(s.former) >= maxRoots || slices.ContainsFunc(s.roots, func(r *root) bool { return r.uri == f.URI })
		s.mu.Unlock()
		if known {
			continue
		}
		r := s.openRoot(s.ctx, f.URI)
		if r.failed != nil {
			s.say(protocol.SeverityError, fmt.Sprintf("nothing in %s can be looked at: %v", f.URI, r.failed))
		}
		s.mu.Lock()
		s.roots = append(s.roots, r)
		s.mu.Unlock()
	}
}

// foldersChanged opens and closes folders, and looks at all texts anew.
func (s *Server) foldersChanged(params json.RawMessage) error {
	p, err := rpc.Params[protocol.FoldersChanged](params)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.roots = slices.DeleteFunc(s.roots, func(r *root) bool {
		gone := slices.ContainsFunc(p.Event.Removed, func(f protocol.WorkspaceFolder) bool { return f.URI == r.uri })
		if gone {
			s.former = append(s.former, r)
		}
		return gone
	})
	s.mu.Unlock()
	s.working.Go(func() {
		s.addRoots(p.Event.Added)
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, d := range s.documents {
			d.touch(0)
		}
	})
	return nil
}

// say tells the user something.
func (s *Server) say(severity int, text string) {
	if err := s.conn.Notify("window/showMessage", protocol.Message{Type: severity, Message: "gate: " + visible(text)}); err != nil {
		s.o.Log.Warn("the user could not be told", "error", err)
	}
}

// pinned is a folder under settings that are known already.
type pinned struct {
	*engine.Local
	settings engine.Settings
}

var _ engine.Origin = pinned{}

// Settings implements [engine.Origin].
func (p pinned) Settings(context.Context) (engine.Settings, error) { return p.settings, nil }
