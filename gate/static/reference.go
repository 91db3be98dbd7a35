package static

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WriteReference writes the documentation of rules as Markdown, sorted by
// category and id. docs/rules.md is made with it.
func WriteReference(w io.Writer, rules []*Rule) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# Rules of the static layer\n\n")
	fmt.Fprintf(b, "This page is generated from `gate/static/rules`; `gate rules explain ID` shows one entry. %d rules. ", len(rules))
	fmt.Fprintf(b, "How to write your own: `gate/static/rules/README.md`.\n\n")
	byCategory := map[string][]*Rule{}
	for _, r := range rules {
		byCategory[r.Category()] = append(byCategory[r.Category()], r)
	}
	categories := slices.Sorted(maps.Keys(byCategory))
	for _, c := range categories {
		fmt.Fprintf(b, "- [%s](#%s) (%d)\n", c, c, len(byCategory[c]))
	}
	for _, c := range categories {
		fmt.Fprintf(b, "\n## %s\n", c)
		for _, r := range byCategory[c] {
			writeRule(b, r)
		}
	}
	return b.Flush()
}

func writeRule(b *bufio.Writer, r *Rule) {
	fmt.Fprintf(b, "\n### %s\n\n", r.ID)
	fmt.Fprintf(b, "**%s** (%s)", r.Title, r.Severity)
	if r.Message != r.Title {
		fmt.Fprintf(b, ": %s", r.Message)
	}
	fmt.Fprint(b, ".\n")
	for _, raise := range r.Escalations {
		fmt.Fprintf(b, "%s where it does so %s.\n", upper(raise.To.String()), raise.Because)
	}
	fmt.Fprintf(b, "\n%s\n\nInstead: %s\n\n", r.Why, r.Instead)
	facts := []string{"Files: " + files(r)}
	if roles := rolesOf(r); roles != "" {
		facts = append(facts, "In "+roles)
	}
	if r.LowConfidence {
		facts = append(facts, "Weak: alone it is a note")
	}
	if r.Change != nil {
		facts = append(facts, "Compares base and head")
	}
	if len(r.Refs) > 0 {
		facts = append(facts, "See "+strings.Join(links(r.Refs), ", "))
	}
	fmt.Fprintf(b, "%s.\n", strings.Join(facts, ". "))
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// files says which files a rule looks at.
func files(r *Rule) string {
	var names []string
	for _, l := range r.Languages {
		names = append(names, string(l))
	}
	out := strings.Join(names, ", ")
	if out == "" {
		out = "all"
	}
	if len(r.Paths) > 0 {
		out += ", named `" + strings.Join(r.Paths, "`, `") + "`"
	}
	return out
}

// rolesOf says what roles change, in a fixed order.
func rolesOf(r *Rule) string {
	var parts []string
	for _, role := range slices.Sorted(maps.Keys(r.Roles)) {
		severity := r.Roles[role].Severity.String()
		if r.Roles[role].Off {
			severity = "silent"
		}
		parts = append(parts, fmt.Sprintf("%s: %s", role, severity))
	}
	return strings.Join(parts, ", ")
}

// links turns CWE and ATT&CK ids into links.
func links(refs []string) []string {
	out := make([]string, len(refs))
	for i, ref := range refs {
		switch {
		case strings.HasPrefix(ref, "CWE-"):
			out[i] = fmt.Sprintf("[%s](https://cwe.mitre.org/data/definitions/%s.html)", ref, ref[4:])
		case strings.HasPrefix(ref, "T"):
			out[i] = fmt.Sprintf("[%s](https://attack.mitre.org/techniques/%s/)", ref, strings.ReplaceAll(ref, ".", "/"))
		default:
			out[i] = ref
		}
	}
	return out
}
