package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lsp/protocol"
	"github.com/aigate/gate/gate/lsp/rpc"
)

// actions are what can be done about a text: edits that the user chooses and the editor makes.
type actions struct{ server *Server }

// codeActions are what can be done about the findings of a part of a text.
func (s actions) codeActions(ctx context.Context, params json.RawMessage) (any, error) {
	p, err := rpc.Params[protocol.CodeActionParams](params)
	if err != nil {
		return nil, err
	}
	uri := p.TextDocument.URI
	x, l, err := s.server.current(ctx, uri)
	if err != nil {
		return nil, err
	}
	wanted := func(kind string) bool {
		return len(p.Context.Only) == 0 || slices.ContainsFunc(p.Context.Only, func(k string) bool { return kind == k || k == "" || strings.HasPrefix(kind, k+".") })
	}
	out := []protocol.CodeAction{}
	if wanted(protocol.KindQuickFix) {
		from, to := x.text.gateLine(p.Range.Start.Line), x.text.gateLine(p.Range.End.Line)
		if out, err = s.quickFixes(ctx, uri, x, l, from, max(from, to)); err != nil {
			return nil, err
		}
	}
	if wanted(protocol.KindRun) && x.lost == "" && x.root.failed == nil && !x.leftOut() {
		out = append(out, protocol.CodeAction{Title: "gate: run this file in the sandbox", Kind: protocol.KindRun, Command: &protocol.Command{
			Title: "run in the sandbox", Command: commandRun, Arguments: []any{protocol.TextDocument{URI: uri}},
		}})
	}
	return out, nil
}

// quickFixes are the edits that take findings away, and then those that accept them.
func (s actions) quickFixes(ctx context.Context, uri string, x subject, l looked, from, to int) ([]protocol.CodeAction, error) {
	out, accepts := []protocol.CodeAction{}, []protocol.CodeAction{}
	tries := maxFixes
	for _, same := range together(slices.DeleteFunc(l.at(from, to), func(f gate.Finding) bool { return f.Layer != gate.LayerStatic })) {
		about := []protocol.Diagnostic{s.diagnosticOf(uri, x, same)}
		for _, f := range same {
			fixes, err := s.fixes(ctx, x, l, f, &tries)
			if err != nil {
				return nil, err
			}
			for _, c := range fixes {
				if slices.ContainsFunc(out, func(a protocol.CodeAction) bool { return a.Title == "gate: "+c.title }) {
					continue
				}
				edit := s.edit(uri, x.version, c.edit)
				out = append(out, protocol.CodeAction{Title: "gate: " + c.title, Kind: protocol.KindQuickFix, Diagnostics: about, Preferred: len(out) == 0, Edit: &edit})
			}
			if f.Decides() && tries > 0 {
				tries--
				accepts = append(accepts, s.acceptances(ctx, uri, x, l, f, about)...)
			}
		}
	}
	return append(out, accepts...), nil
}

// acceptances are the ways to accept a finding.
func (s actions) acceptances(ctx context.Context, uri string, x subject, l looked, f gate.Finding, about []protocol.Diagnostic) []protocol.CodeAction {
	c, err := x.comment(ctx, l, f, "", "")
	if err != nil {
		return nil
	}
	a := protocol.CodeAction{Title: "gate: " + c.title, Kind: protocol.KindQuickFix, Diagnostics: about}
	if s.server.options.AskReason {
		a.Command = &protocol.Command{Title: c.title, Command: commandAsk, Arguments: []any{Acceptance{URI: uri, Line: f.Line, Rule: f.Rule}}}
		return []protocol.CodeAction{a}
	}
	edit := s.edit(uri, x.version, c.edit)
	a.Edit = &edit
	return []protocol.CodeAction{a}
}

// diagnosticOf is what was said about findings.
func (s actions) diagnosticOf(uri string, x subject, same []gate.Finding) protocol.Diagnostic {
	d := &document{server: s.server, uri: uri, text: x.text}
	return d.diagnostic(same)
}
