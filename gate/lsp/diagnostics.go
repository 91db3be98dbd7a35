package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lsp/protocol"
)

// source is what editors show as the origin of a diagnostic.
const source = "gate"

// codeGap is the code of a diagnostic that says that a text was not looked at.
const codeGap = "not-looked-at"

// diagnostics are what is said about a text.
func (d *document) diagnostics(l looked) []protocol.Diagnostic {
	out := []protocol.Diagnostic{}
	for _, g := range l.gaps {
		out = append(out, protocol.Diagnostic{
			Range: d.text.span(0, 0), Severity: protocol.SeverityWarning, Code: codeGap, Source: source,
			Message: "not looked at, so nothing is known to be safe: " + visible(g),
		})
	}
	harms := together(l.findings)
	for i, h := range harms {
		if len(out) == maxDiagnostics {
			out = append(out, protocol.Diagnostic{
				Range: d.text.span(0, 0), Severity: worst(harms[i:]), Code: "more", Source: source,
				Message: fmt.Sprintf("there are %d more findings, which are not shown", len(harms)-i),
			})
			break
		}
		out = append(out, d.diagnostic(h))
	}
	for _, r := range l.ran {
		out = append(out, r.diagnostics(d)...)
	}
	return out
}

// together puts findings of the same lines that mean the same for the verdict together, the
// worst first: one line with five findings has one diagnostic, and a hover that has all.
func together(all []gate.Finding) [][]gate.Finding {
	type key struct {
		from, to int
		kind     int
	}
	var out [][]gate.Finding
	at := map[key]int{}
	for _, f := range all {
		kind := 0
		if severity(f) > protocol.SeverityWarning {
			kind = severity(f)
		}
		k := key{f.Line, f.EndLine, kind}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], f)
	}
	for _, same := range out {
		slices.SortStableFunc(same, func(a, b gate.Finding) int { return int(b.Severity) - int(a.Severity) })
	}
	return out
}

func worst(all [][]gate.Finding) int {
	out := protocol.SeverityHint
	for _, same := range all {
		out = min(out, severity(same[0]))
	}
	return out
}

// diagnostic is findings of the same lines as editors show them.
func (d *document) diagnostic(same []gate.Finding) protocol.Diagnostic {
	f := same[0]
	out := protocol.Diagnostic{
		Range: d.text.span(f.Line, f.EndLine), Severity: severity(f), Code: f.Rule, Source: source, Message: message(f),
	}
	if len(same) > 1 {
		var others []string
		for _, o := range same[1:] {
			if o.Rule != f.Rule && !slices.Contains(others, o.Rule) {
				others = append(others, o.Rule)
			}
		}
		if len(others) > 0 {
			out.Message += " (also " + strings.Join(others, ", ") + ")"
		}
	}
	if f.Layer != gate.LayerStatic {
		out.Source = source + " " + string(f.Layer)
	}
	if !d.server.client.TextDocument.PublishDiagnostics.RelatedInformation {
		return out
	}
	for _, step := range f.Flow {
		if step.Path == "" && step.Line > 0 && step.Line != f.Line {
			out.Related = append(out.Related, protocol.Related{
				Location: protocol.Location{URI: d.uri, Range: d.text.span(step.Line, step.Line)}, Message: visible(step.Text),
			})
		}
	}
	return out
}

// severity is that of a diagnostic: what decides is an error or a warning.
func severity(f gate.Finding) int {
	switch {
	case f.Suppressed != nil:
		return protocol.SeverityHint
	case !f.Decides() || f.Severity == gate.SeverityNote:
		return protocol.SeverityInformation
	case f.Severity == gate.SeveritySuspicious:
		return protocol.SeverityWarning
	}
	return protocol.SeverityError
}

// message is a finding in one line.
func message(f gate.Finding) string {
	var b strings.Builder
	b.WriteString(visible(f.Message))
	if f.Origin != "" {
		fmt.Fprintf(&b, " (%s)", visible(f.Origin))
	}
	switch {
	case f.Suppressed != nil:
		fmt.Fprintf(&b, " [accepted: %s]", visible(f.Suppressed.Reason))
	case !f.InChange:
		b.WriteString(" [the base has it as well]")
	}
	return b.String()
}
