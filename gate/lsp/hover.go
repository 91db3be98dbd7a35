package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lsp/protocol"
)

// maxHover is how many findings a hover explains.
const maxHover = 5

// at are the findings at lines, as gate counts them, the worst first.
func (l looked) at(from, to int) []gate.Finding {
	var out []gate.Finding
	for _, severity := range []bool{true, false} {
		for _, f := range l.all() {
			if max(f.Line, 1) <= to && from <= max(f.EndLine, f.Line, 1) && f.Decides() == severity {
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b gate.Finding) int {
		if a.Decides() != b.Decides() {
			return 0
		}
		return int(b.Severity) - int(a.Severity)
	})
	return out
}

// all are the findings of all layers.
func (l looked) all() []gate.Finding {
	out := slices.Clone(l.findings)
	for _, r := range l.ran {
		out = append(out, r.file.Findings...)
	}
	return out
}

// explainAt explains the findings at a place.
func (s *Server) explainAt(l looked, x subject, p protocol.Position) *protocol.Hover {
	n := x.text.gateLine(p.Line)
	found := l.at(n, n)
	if len(found) == 0 {
		return nil
	}
	kind := "plaintext"
	if slices.Contains(s.client.TextDocument.Hover.ContentFormat, "markdown") {
		kind = "markdown"
	}
	var parts []string
	for _, f := range found[:min(len(found), maxHover)] {
		parts = append(parts, x.explain(f, kind == "markdown"))
	}
	if more := len(found) - maxHover; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more findings", more))
	}
	separator := "\n\n"
	if kind == "markdown" {
		separator = "\n\n---\n\n"
	}
	return &protocol.Hover{
		Contents: protocol.Markup{Kind: kind, Value: strings.Join(parts, separator)}, Range: x.text.span(found[0].Line, found[0].EndLine),
	}
}

// explain says what a finding is, why it is dangerous and what to do instead.
func (x subject) explain(f gate.Finding, marked bool) string {
	bold, plain, code := func(s string) string { return s }, visible, visible
	if marked {
		bold, plain, code = func(s string) string { return "**" + s + "**" }, markdown, fenced
	}
	rule := x.root.rule(f.Rule)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n\n%s", bold(f.Severity.String()), plain(f.Rule), plain(message(f)))
	if f.Evidence != "" {
		fmt.Fprintf(&b, "\n\n%s", code(f.Evidence))
	}
	if len(f.Flow) > 1 {
		fmt.Fprintf(&b, "\n\n%s", bold("From source to sink:"))
		for i, step := range f.Flow {
			where := fmt.Sprintf("line %d", step.Line)
			if step.Path != "" {
				where = plain(step.Path) + " " + where
			}
			fmt.Fprintf(&b, "\n%d. %s: %s", i+1, where, plain(step.Text))
		}
	}
	if rule.Why != "" {
		fmt.Fprintf(&b, "\n\n%s %s", bold("Why:"), plain(rule.Why))
	}
	if rule.Instead != "" {
		fmt.Fprintf(&b, "\n\n%s %s", bold("Instead:"), plain(rule.Instead))
	}
	return b.String()
}
