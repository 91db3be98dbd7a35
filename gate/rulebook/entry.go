package rulebook

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
)

// Entry is one rule with everything that can be said about it.
type Entry struct {
	gate.Rule
	Details []string // further lines: what changes the severity, where the rule applies
	Fixed   bool     // no policy switches it off
}

func staticEntry(r *static.Rule) Entry {
	e := Entry{Rule: r.Rule}
	for _, raise := range r.Escalations {
		e.Details = append(e.Details, fmt.Sprintf("%s where %s", raise.To, strings.TrimPrefix(raise.Because, "and ")))
	}
	if r.Change != nil {
		e.Details = append(e.Details, "only in the difference of base and head")
	}
	for _, role := range slices.Sorted(maps.Keys(r.Roles)) {
		effect := r.Roles[role].Severity.String()
		if r.Roles[role].Off {
			effect = "off"
		}
		e.Details = append(e.Details, fmt.Sprintf("%s in %s files", effect, role))
	}
	if len(r.Paths) > 0 {
		e.Details = append(e.Details, "only in "+strings.Join(r.Paths, ", "))
	}
	return e
}

// languages says in which files the rule finds something.
func (e Entry) languages() string {
	switch {
	case e.Layer == gate.LayerSandbox:
		return "any that runs"
	case len(e.Languages) == 0:
		return "any text"
	}
	var names []string
	for _, l := range e.Languages {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}

// Explain is the rule as plain text, for people.
func (e Entry) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", e.ID, e.Title)
	fmt.Fprintf(&b, "Layer:      %s\nSeverity:   %s\n", e.Layer, e.Severity)
	if e.Message != "" && e.Message != e.Title {
		fmt.Fprintf(&b, "Finding:    %s\n", e.Message)
	}
	for _, line := range e.Details {
		fmt.Fprintf(&b, "            %s\n", line)
	}
	fmt.Fprintf(&b, "Languages:  %s\n", e.languages())
	if e.From != "" {
		fmt.Fprintf(&b, "From:       %s\n", e.From)
	}
	if len(e.Refs) > 0 {
		fmt.Fprintf(&b, "References: %s\n", strings.Join(e.Refs, ", "))
	}
	fmt.Fprintf(&b, "\nWhy it is dangerous\n  %s\n\nWhat to do instead\n  %s\n", e.Why, e.Instead)
	if e.Layer == gate.LayerStatic && !e.Fixed {
		fmt.Fprintf(&b, "\nTo switch it off, in .gate.yml:\n  rules: {disable: [%s]}\n", e.ID)
	}
	return b.String()
}
