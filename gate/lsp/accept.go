package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/lsp/protocol"
	"github.com/aigate/gate/gate/lsp/rpc"
	"github.com/aigate/gate/gate/suppress"
)

// Acceptance names a finding, and says why it is accepted. It is the argument of
// gate.accept, of gate.dismiss and of the client's gate.askReason.
type Acceptance struct {
	URI     string `json:"uri"`
	Line    int    `json:"line"` // as gate counts, from 1
	Rule    string `json:"rule"`
	Reason  string `json:"reason,omitempty"`
	Expires string `json:"expires,omitempty"` // the last day, YYYY-MM-DD
	// Account is who dismisses; "" is the one of the initialization options.
	Account string `json:"account,omitempty"`
}

// unwritten is the reason in a comment for which the user still has to give one. It is
// taken out again: what is left accepts nothing.
const unwritten = "a reason to be written"

// comment is the edit that accepts a finding by a comment. Without a reason it has a place
// for one, and accepts nothing until the user has written it.
func (x subject) comment(ctx context.Context, l looked, f gate.Finding, reason string, expires suppress.Day) (fix, error) {
	if f.Line == 0 || f.Origin != "" || f.Layer != gate.LayerStatic {
		return fix{}, errors.New("a comment accepts findings of the static layer that are about a line")
	}
	written := reason
	if reason == "" {
		written = unwritten
	}
	text, err := suppress.Comment(l.file.Language, f.Rule, written, expires)
	if err != nil {
		return fix{}, err
	}
	start, end := x.text.bounds(f.Line, f.Line)
	line := string(x.text.data[start:end])
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	ends := "\n"
	if strings.HasSuffix(line, "\r") {
		ends = "\r\n"
	}
	c := x.text.replacement("accept with a reason: "+f.Rule, start, start, indent+text+ends)
	if err := x.accepts(ctx, c, f.Line); err != nil {
		return fix{}, err
	}
	if reason == "" {
		c.edit.NewText = strings.Replace(c.edit.NewText, unwritten, "", 1)
	}
	return c, nil
}

// accepts checks that a comment is one at that place, and no part of a text.
func (x subject) accepts(ctx context.Context, c fix, line int) error {
	before, err := x.before()
	if err != nil {
		return err
	}
	res, err := x.scan(ctx, before, c.after)
	if err != nil {
		return err
	}
	for _, file := range res.Files {
		for _, found := range file.Findings {
			about := strings.HasPrefix(found.Rule, "suppression/") && found.Rule != "suppression/malformed" || found.Rule == suppress.RuleAdded
			if about && found.Line == line {
				return nil
			}
			if found.Suppressed != nil && found.Line == line+1 { // there is no base to ask
				return nil
			}
		}
	}
	return errors.New("a comment before that line would not be read as one: use the baseline")
}

// finding is the finding that an acceptance names.
func (a Acceptance) finding(l looked) (gate.Finding, error) {
	i := slices.IndexFunc(l.findings, func(f gate.Finding) bool { return f.Rule == a.Rule && f.Line == a.Line && f.Origin == "" })
	if i < 0 {
		return gate.Finding{}, rpc.Errorf(rpc.CodeFailed, "%.200q finds nothing at line %d", a.Rule, a.Line)
	}
	return l.findings[i], nil
}

// accept asks the editor to write the comment that accepts a finding, with its reason.
func (s actions) accept(ctx context.Context, argument json.RawMessage) (any, error) {
	a, err := rpc.Params[Acceptance](argument)
	if err != nil {
		return nil, err
	}
	if err := suppress.CheckReason(a.Reason); err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%v", err)
	}
	var day suppress.Day
	if a.Expires != "" {
		if day, err = suppress.ParseDay(a.Expires); err != nil {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "%v", err)
		}
	}
	x, l, err := s.server.current(ctx, a.URI)
	if err != nil {
		return nil, err
	}
	f, err := a.finding(l)
	if err != nil {
		return nil, err
	}
	c, err := x.comment(ctx, l, f, a.Reason, day)
	if err != nil {
		return nil, rpc.Errorf(rpc.CodeFailed, "%v", err)
	}
	return nil, s.ask(ctx, c.title, s.edit(a.URI, x.version, c.edit))
}

// dismiss asks the editor to write the entry that dismisses a finding to the baseline.
func (s actions) dismiss(ctx context.Context, argument json.RawMessage) (any, error) {
	a, err := rpc.Params[Acceptance](argument)
	if err != nil {
		return nil, err
	}
	x, l, err := s.server.current(ctx, a.URI)
	if err != nil {
		return nil, err
	}
	f, err := a.finding(l)
	if err != nil {
		return nil, err
	}
	if a.Account == "" {
		a.Account = s.server.options.Account
	}
	file := filepath.Join(x.root.tree, suppress.BaselineFile)
	old, err := s.baselineText(file)
	if err != nil {
		return nil, rpc.Errorf(rpc.CodeFailed, "%s: %v", suppress.BaselineFile, err)
	}
	next, err := engine.Dismissed(engine.DismissOptions{Reason: a.Reason, By: a.Account, Expires: a.Expires},
		fstest.MapFS{x.rel: {Data: x.text.data}}, l.file, []gate.Finding{f}, old)
	if err != nil {
		return nil, rpc.Errorf(rpc.CodeFailed, "%v", err)
	}
	return nil, s.ask(ctx, "dismiss "+f.Rule, s.written(addressOf(file), old, next))
}

// baselineText is the baseline as the editor has it, or else as it is; nil is none.
func (s actions) baselineText(file string) ([]byte, error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if d := s.server.documents[addressOf(file)]; d != nil && d.lost == "" {
		return d.text.data, nil
	}
	if info, err := os.Lstat(file); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	return bounded.ReadPath(file, suppress.MaxBytes)
}

// written is the edit that makes a file what it should be.
func (s actions) written(uri string, old, next []byte) protocol.WorkspaceEdit {
	edit := protocol.TextEdit{Range: protocol.Range{End: newText(old).position(len(old))}, NewText: string(next)}
	we := s.edit(uri, nil, edit)
	if old == nil && we.DocumentChanges != nil && slices.Contains(s.server.client.Workspace.WorkspaceEdit.ResourceOperations, "create") {
		we.DocumentChanges = slices.Insert(we.DocumentChanges, 0, any(protocol.CreateFile{Kind: "create", URI: uri}))
	}
	return we
}

// edit is an edit of one text.
func (s actions) edit(uri string, version *int, edits ...protocol.TextEdit) protocol.WorkspaceEdit {
	if !s.server.client.Workspace.WorkspaceEdit.DocumentChanges {
		return protocol.WorkspaceEdit{Changes: map[string][]protocol.TextEdit{uri: edits}}
	}
	d := protocol.DocumentEdit{Edits: edits}
	d.TextDocument.URI, d.TextDocument.Version = uri, version
	return protocol.WorkspaceEdit{DocumentChanges: []any{d}}
}

// ask asks the editor to make an edit, which it shows to the user as its own.
func (s actions) ask(ctx context.Context, label string, edit protocol.WorkspaceEdit) error {
	if !s.server.client.Workspace.ApplyEdit {
		return rpc.Errorf(rpc.CodeFailed, "the editor makes no edits for a server")
	}
	var done protocol.Applied
	if err := s.server.conn.Call(ctx, "workspace/applyEdit", protocol.ApplyEdit{Label: "gate: " + label, Edit: edit}, &done); err != nil {
		return err
	}
	if !done.Applied {
		return rpc.Errorf(rpc.CodeFailed, "the editor did not make the edit: %.500s", visible(done.Reason))
	}
	return nil
}
