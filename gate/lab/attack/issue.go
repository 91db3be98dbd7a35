package attack

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// most of one kind that an issue lists.
const maxListed = 50

// WriteIssue writes what is wrong, for a reader who was not there: what is worse
// than the baseline first, or every failure where there is none. It is at most a
// few kilobytes; link is the page with the whole result, or "".
func (res Result) WriteIssue(w io.Writer, link string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "`gate attack` did not pass: **%s** (gate %s).\n", res.Decision, cell(res.Tool.Version))
	if c := res.Baseline; c != nil {
		fmt.Fprintf(&b, "\nWorse than `%s`:\n\n", cell(c.File))
		bullets(&b, slices.Concat(c.Regressions, c.Gaps), func(c Change) string {
			return fmt.Sprintf("- %s: %s", named(c.ID, c.Benign, c.Runtime), clipped(c.What))
		})
	}
	var failures []Failure
	for _, f := range res.Failures {
		if c := res.Baseline; c == nil || f.Kind == ProbeSucceeded {
			failures = append(failures, f)
		}
	}
	if res.Baseline == nil || len(failures) > 0 {
		b.WriteString("\nWhat is wrong:\n\n")
		bullets(&b, failures, func(f Failure) string {
			return fmt.Sprintf("- %s: %s: %s", f.Kind, named(f.ID, f.Benign, f.Runtime), clipped(f.Why))
		})
	}
	if len(res.Left) > 0 {
		b.WriteString("\nLeft of containers:\n\n")
		bullets(&b, res.Left, func(s string) string { return "- " + clipped(s) })
	}
	if len(res.Incomplete) > 0 {
		b.WriteString("\nNot looked at:\n\n")
		bullets(&b, res.Incomplete, func(s string) string { return "- " + clipped(s) })
	}
	b.WriteString("\n| Runtime | caught | contained | twins dangerous |\n|---|---|---|---|\n")
	for _, s := range res.Summary {
		fmt.Fprintf(&b, "| %s | %s | %s | %d of %d |\n", orNone(s.Runtime), share(s.Caught, s.Expected), share(s.Contained, s.Executed), s.TwinsDangerous, s.Twins)
	}
	if link != "" {
		fmt.Fprintf(&b, "\n[The run](%s) has the whole result. ", link)
	} else {
		b.WriteString("\n")
	}
	b.WriteString("gate updates this issue while it lasts and closes it when a run passes again.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func bullets[T any](b *strings.Builder, all []T, line func(T) string) {
	for i, v := range all {
		if i == maxListed {
			fmt.Fprintf(b, "- and %d more\n", len(all)-i)
			return
		}
		b.WriteString(line(v) + "\n")
	}
	if len(all) == 0 {
		b.WriteString("- nothing\n")
	}
}

func named(id string, twin bool, runtime string) string {
	out := "`" + cell(id) + "`"
	if twin {
		out += " (twin)"
	}
	if runtime != "" {
		out += " on " + cell(runtime)
	}
	return out
}

// clipped is a sentence of a machine, which may be long.
func clipped(s string) string {
	const most = 300 // characters
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return cell(s)
}
