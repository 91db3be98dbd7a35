package attack

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// WriteMarkdown writes the result for a page: sums, false alarms and misses first,
// then each attack with all its runtimes in one line.
func (res Result) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	if e := res.Environment; e != nil {
		fmt.Fprintf(&b, "gate %s on %s, Linux %s, %d cores.\n\n", cell(res.Tool.Version), cell(e.Engine), cell(e.Kernel), e.Cores)
	}
	res.markdownSummary(&b)
	res.markdownBaseline(&b)
	res.markdownFailures(&b)
	res.markdownTwins(&b)
	res.markdownTable(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (res Result) markdownSummary(b *strings.Builder) {
	b.WriteString("| Runtime | caught | dangerous | executed | contained | nothing to run | twins dangerous | twins suspicious |\n|---|---|---|---|---|---|---|---|\n")
	for _, s := range res.Summary {
		executed, contained := share(s.Executed, s.Executable), share(s.Contained, s.Executed)
		if s.Runtime == "" {
			executed, contained = none, none
		}
		fmt.Fprintf(b, "| %s | %s | %d | %s | %s | %d | %d of %d | %d |\n", orNone(s.Runtime), share(s.Caught, s.Expected), s.Dangerous,
			executed, contained, s.NothingToRun, s.TwinsDangerous, s.Twins, s.TwinsSuspicious)
	}
	b.WriteString("\nCaught: of the attacks that one of these layers has to catch (" + join(res.Layers, ", ") + "). Contained: of those that were executed.\n")
	var times []string
	for _, l := range res.Latency {
		times = append(times, l.text())
	}
	if len(times) > 0 {
		fmt.Fprintf(b, "Time of one attack or twin: %s.\n", strings.Join(times, "; "))
	}
}

// markdownBaseline shows what has changed, better things too: anyone who reads the page
// of a night has to see what can be accepted.
func (res Result) markdownBaseline(b *strings.Builder) {
	c := res.Baseline
	if c == nil {
		return
	}
	if len(c.Regressions)+len(c.Gaps)+len(c.Improvements) == 0 {
		fmt.Fprintf(b, "\nAs in %s.\n", cell(c.File))
		return
	}
	fmt.Fprintf(b, "\n| Than in %s | attack | runtime | what |\n|---|---|---|---|\n", cell(c.File))
	show := func(than string, list []Change) {
		for _, x := range list {
			id := x.ID
			if x.Benign {
				id += " (twin)"
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", than, cell(id), orNone(x.Runtime), cell(x.What))
		}
	}
	show("worse", c.Regressions)
	show("less to be seen", c.Gaps)
	show("better", c.Improvements)
}

func (res Result) markdownFailures(b *strings.Builder) {
	b.WriteString("\n")
	if len(res.Failures) == 0 {
		b.WriteString("Nothing is wrong.\n")
		return
	}
	b.WriteString("| What is wrong | attack | runtime | why |\n|---|---|---|---|\n")
	for _, kind := range []FailureKind{Uncontained, NotExecuted, ProbeSucceeded, Missed, TwinDangerous, NotLookedAt} {
		for _, f := range res.Failures {
			if f.Kind == kind {
				id := f.ID
				if f.Benign {
					id += " (twin)"
				}
				fmt.Fprintf(b, "| %s | %s | %s | %s |\n", kind, cell(id), orNone(f.Runtime), cell(f.Why))
			}
		}
	}
}

func (res Result) markdownTwins(b *strings.Builder) {
	var lines []string
	for _, r := range res.Attacks {
		if r.Benign && r.Caught {
			lines = append(lines, fmt.Sprintf("| %s | %s | %s | %s |\n", r.ID, orNone(r.Runtime), r.Verdict, join(r.CaughtBy, ", ")))
		}
	}
	if len(lines) == 0 {
		b.WriteString("\nNo benign twin raises an alarm.\n")
		return
	}
	b.WriteString("\n| Benign twin that raises an alarm | runtime | verdict | layers |\n|---|---|---|---|\n" + strings.Join(lines, ""))
}

// markdownTable has a line for each attack. What differs between runtimes is
// divided by a slash, in their order.
func (res Result) markdownTable(b *strings.Builder) {
	b.WriteString("\n| Attack | technique |")
	rule := "|---|---|"
	for _, l := range res.Layers {
		name := string(l)
		if l == gate.LayerSandbox {
			name = "behaviour"
		}
		fmt.Fprintf(b, " %s |", name)
		rule += "---|"
	}
	fmt.Fprintf(b, " contained |\n%s---|\n", rule)
	for i := 0; i < len(res.Attacks); {
		j := i
		for j < len(res.Attacks) && res.Attacks[j].ID == res.Attacks[i].ID && res.Attacks[j].Benign == res.Attacks[i].Benign {
			j++
		}
		if rows := res.Attacks[i:j]; !rows[0].Benign {
			title := cell(rows[0].Title)
			if rows[0].Blind {
				title += " (blind)"
			}
			fmt.Fprintf(b, "| `%s`: %s | %s |", rows[0].ID, title, cell(rows[0].Technique))
			for _, l := range res.Layers {
				fmt.Fprintf(b, " %s |", across(rows, func(r Row) string { return strings.ToLower(r.cell(l)) }))
			}
			fmt.Fprintf(b, " %s |\n", across(rows, Row.containment))
		}
		i = j
	}
}

// across joins what rows say, once where they agree.
func across(rows []Row, say func(Row) string) string {
	var out []string
	for _, r := range rows {
		out = append(out, say(r))
	}
	if all := slices.Compact(slices.Clone(out)); len(all) == 1 {
		return all[0]
	}
	return strings.Join(out, " / ")
}

// cell makes text harmless in a cell of a Markdown table.
func cell(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "`", "'", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "@", "&#64;").Replace(s)
}
