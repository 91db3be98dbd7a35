package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/lsp/protocol"
	"github.com/aigate/gate/gate/lsp/rpc"
)

// The commands of the server. [commandAsk] is one of the client.
const (
	commandRun     = "gate.run"
	commandAccept  = "gate.accept"
	commandDismiss = "gate.dismiss"
	commandAsk     = "gate.askReason"
)

func commands() []string { return []string{commandRun, commandAccept, commandDismiss} }

// execute does what a command says.
func (s *Server) execute(ctx context.Context, params json.RawMessage) (any, error) {
	p, err := rpc.Params[protocol.ExecuteParams](params)
	if err != nil {
		return nil, err
	}
	if len(p.Arguments) != 1 {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%.100q takes one argument, and %d are given", p.Command, len(p.Arguments))
	}
	switch p.Command {
	case commandRun:
		return runs{s}.run(ctx, p.Arguments[0])
	case commandAccept:
		return actions{s}.accept(ctx, p.Arguments[0])
	case commandDismiss:
		return actions{s}.dismiss(ctx, p.Arguments[0])
	}
	return nil, rpc.Errorf(rpc.CodeInvalidParams, "gate has no command %.100q", p.Command)
}

// ran is what the sandbox saw of a text.
type ran struct {
	file gate.FileResult
	gaps []string
}

// Ran is the result of gate.run.
type Ran struct {
	Verdict string `json:"verdict"`
	Summary string `json:"summary"`
}

// runs run files in the sandbox.
type runs struct{ server *Server }

// run runs a file in the sandbox, as `gate run` does, and says what it did.
func (s runs) run(ctx context.Context, argument json.RawMessage) (any, error) {
	p, err := rpc.Params[protocol.TextDocument](argument)
	if err != nil {
		return nil, err
	}
	d, x, err := s.server.subject(p.URI)
	if err != nil {
		return nil, err
	}
	if err := x.saved(); err != nil {
		return nil, rpc.Errorf(rpc.CodeFailed, "it did not run: %v", err)
	}
	select {
	case s.server.running <- struct{}{}:
		defer func() { <-s.server.running }()
	default:
		return nil, rpc.Errorf(rpc.CodeFailed, "it did not run: another run goes on; wait for its end, or cancel it")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	told, done := s.progress(ctx, cancel, "gate: run "+visible(x.rel)+" in the sandbox")
	res, err := s.sandbox(ctx, x, told)
	if err != nil {
		done("failed")
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s.server.say(protocol.SeverityError, x.rel+" did not run: "+err.Error())
		return nil, rpc.Errorf(rpc.CodeFailed, "it did not run: %v", err)
	}
	out := s.keep(d, x, res)
	done(out.Summary)
	s.server.say(severityOf(res.Verdict), x.rel+": "+out.Summary)
	return out, nil
}

// saved says why a text is not that of its file: what runs is the file.
func (x subject) saved() error {
	switch {
	case x.lost != "":
		return errors.New(x.lost)
	case x.root.failed != nil:
		return x.root.failed
	}
	data, err := bounded.ReadPath(x.full, x.root.settings.Policy.Limits.FileSize)
	switch {
	case err != nil:
		return errors.New("the file can't be read; save it first")
	case !bytes.Equal(data, x.text.data):
		return errors.New("the text is not that of the file; save it first")
	}
	return nil
}

// sandbox puts the file through the layer that executes, under the settings of the folder.
func (s runs) sandbox(ctx context.Context, x subject, h gate.Handler) (gate.Result, error) {
	set := x.root.settings
	set.Policy.Sandbox.RunDangerous = true
	set.Policy.Paths = gate.DefaultPolicy().Paths // a file that was named is wanted
	set.Policy.Require = []gate.Layer{gate.LayerSandbox}
	set.Policy.Deps = gate.DepsNever // nothing is installed for a file that is looked at
	local, err := s.server.o.Engine.OpenLocal(ctx, engine.LocalOptions{Paths: []string{x.full}, Options: s.server.o.Run})
	if err != nil {
		return gate.Result{}, err
	}
	defer local.Close()
	out, err := s.server.o.Engine.Run(ctx, engine.Request{
		Origin: pinned{local, set}, Selected: []gate.Layer{gate.LayerSandbox}, RefuseEmpty: true,
		Handler: func(engine.Prepared) (gate.Handler, error) { return h, nil },
	})
	if errors.Is(err, engine.ErrEmpty) {
		return out.Result, local.Nothing("run", out.Change)
	}
	return out.Result, err
}

// keep notes what a run did, for the text that ran, and says it in a sentence.
func (s runs) keep(d *document, x subject, res gate.Result) Ran {
	r := ran{}
	for _, g := range res.Incomplete {
		r.gaps = append(r.gaps, g.Reason)
	}
	for _, f := range res.Files {
		if f.Path == x.rel && f.Parent == "" {
			r.file = f
		}
	}
	s.server.mu.Lock()
	fits := d.gen == x.gen && !d.gone
	if fits {
		d.looked.ran = []ran{r}
	}
	s.server.mu.Unlock()
	if fits {
		if err := s.server.tell(d, x.gen); err != nil {
			s.server.o.Log.Warn("the client was not told of a run", "error", err)
		}
	}
	return Ran{Verdict: res.Verdict.String(), Summary: r.summary(res.Verdict)}
}

// summary says what a run did in one sentence.
func (r ran) summary(v gate.Verdict) string {
	var b strings.Builder
	b.WriteString(v.String())
	if e := r.file.Execution; e != nil {
		fmt.Fprintf(&b, ", %s", strings.ReplaceAll(string(e.Status), "_", " "))
		if e.Status == "exited" {
			fmt.Fprintf(&b, " with code %d", e.ExitCode)
		}
		if e.Reason != "" {
			fmt.Fprintf(&b, " (%s)", e.Reason)
		}
	}
	if n := len(r.file.Findings); n > 0 {
		fmt.Fprintf(&b, "; %d findings", n)
	}
	for _, g := range r.gaps {
		fmt.Fprintf(&b, "; not complete: %s", g)
	}
	return visible(b.String())
}

func (r ran) diagnostics(d *document) []protocol.Diagnostic {
	var out []protocol.Diagnostic
	for _, g := range r.gaps {
		out = append(out, protocol.Diagnostic{
			Range: d.text.span(0, 0), Severity: protocol.SeverityWarning, Code: codeGap, Source: source + " sandbox",
			Message: "the run is not complete: " + visible(g),
		})
	}
	for _, f := range r.file.Findings[:min(len(r.file.Findings), maxDiagnostics)] {
		out = append(out, d.diagnostic([]gate.Finding{f}))
	}
	return out
}

func severityOf(v gate.Verdict) int {
	switch v {
	case gate.Safe:
		return protocol.SeverityInformation
	case gate.Suspicious, gate.Incomplete:
		return protocol.SeverityWarning
	}
	return protocol.SeverityError
}

// progress begins to tell a client how far something is, which it can cancel. done ends it.
func (s runs) progress(ctx context.Context, cancel context.CancelFunc, title string) (h gate.Handler, done func(string)) {
	if !s.server.client.Window.WorkDoneProgress {
		return gate.Discard{}, func(string) {}
	}
	s.server.mu.Lock()
	s.server.started++
	token := fmt.Sprintf("gate-run-%d", s.server.started)
	s.server.tokens[token] = cancel
	s.server.mu.Unlock()
	send := func(w protocol.WorkDone) error {
		return s.server.conn.Notify("$/progress", protocol.Progress{Token: token, Value: w})
	}
	forget := func() {
		s.server.mu.Lock()
		defer s.server.mu.Unlock()
		delete(s.server.tokens, token)
	}
	err := s.server.conn.Call(ctx, "window/workDoneProgress/create", protocol.ProgressToken{Token: token}, nil)
	if err == nil {
		err = send(protocol.WorkDone{Kind: "begin", Title: title, Cancellable: true})
	}
	if err != nil { // a client without progress gets the result alone
		forget()
		return gate.Discard{}, func(string) {}
	}
	return steps{send}, func(said string) {
		forget()
		if err := send(protocol.WorkDone{Kind: "end", Message: said}); err != nil {
			s.server.o.Log.Warn("the client was not told of the end of a run", "error", err)
		}
	}
}

// steps is a handler that tells how far a run is.
type steps struct {
	send func(protocol.WorkDone) error
}

// Handle implements [gate.Handler].
func (t steps) Handle(e gate.Event) error {
	if p, ok := e.(gate.Progress); ok {
		return t.send(protocol.WorkDone{Kind: "report", Message: visible(fmt.Sprintf("%d of %d %s", p.Done, p.Total, p.Detail))})
	}
	return nil
}
