package attack

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/aigate/gate/gate"
)

// none is in a cell to which nothing applies.
const none = "-"

// WriteText writes the result for people: a table of all attacks, what is wrong,
// what the twins were taken for, and the sums. Everything that is shown of a
// sample is its metadata, which the loader holds to printable text.
func (res Result) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
	if len(res.Attacks) > 0 {
		fmt.Fprintln(t, strings.Join(append([]string{"ATTACK", "RUNTIME"}, append(res.layerHeads(), "CONTAINED")...), "\t"))
	}
	for _, r := range res.Attacks {
		if !r.Benign {
			fmt.Fprintln(t, strings.Join(append([]string{r.ID, orNone(r.Runtime)}, append(res.cells(r), r.containment())...), "\t"))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var b strings.Builder
	res.textFailures(&b)
	res.textTwins(&b)
	res.textBaseline(&b)
	res.textProbes(&b)
	for _, s := range res.Summary {
		if s.Attacks+s.Twins > 0 {
			b.WriteString("\n" + s.text())
		}
	}
	if len(res.Latency) > 0 {
		b.WriteString("\nTime of one attack or twin: ")
	}
	for i, l := range res.Latency {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(l.text())
	}
	b.WriteString("\n")
	if n := len(res.Rejected); n > 0 {
		fmt.Fprintf(&b, "%d answers of the model could not be used, the first: %s\n", n, printable(res.Rejected[0]))
	}
	for _, what := range res.Left {
		fmt.Fprintf(&b, "LEFT BEHIND: %s\n", printable(what))
	}
	for _, why := range res.Incomplete {
		fmt.Fprintf(&b, "INCOMPLETE: %s\n", printable(why))
	}
	fmt.Fprintf(&b, "\nDecision: %s\n", res.Decision)
	_, err := io.WriteString(w, b.String())
	return err
}

func (res Result) layerHeads() []string {
	var out []string
	for _, l := range res.Layers {
		name := string(l)
		if l == gate.LayerSandbox {
			name = "behaviour"
		}
		out = append(out, strings.ToUpper(name))
	}
	return out
}

// cells are the verdicts of a row, one for each layer of the run.
func (res Result) cells(r Row) []string {
	var out []string
	for _, l := range res.Layers {
		out = append(out, r.cell(l))
	}
	return out
}

func (r Row) cell(l gate.Layer) string {
	v, ok := r.Layers[l]
	switch {
	case !ok:
		return none
	case l == gate.LayerSandbox && !r.Executable && v == gate.Safe:
		return none // nothing ran, so nothing was seen
	}
	return v.String()
}

// containment is the last column: an attack in which there is nothing to run is
// neither contained nor not.
func (r Row) containment() string {
	switch {
	case r.Runtime == "":
		return none
	case r.Contained:
		return "yes"
	case r.Executed:
		return "NO"
	case !r.Executable:
		return "nothing to run"
	}
	return "NOT EXECUTED"
}

func orNone(s string) string {
	if s == "" {
		return none
	}
	return s
}

func (res Result) textFailures(b *strings.Builder) {
	if len(res.Failures) == 0 {
		b.WriteString("\nNothing is wrong.\n")
		return
	}
	fmt.Fprintf(b, "\n%d failures\n", len(res.Failures))
	for _, kind := range []FailureKind{Uncontained, NotExecuted, ProbeSucceeded, Missed, TwinDangerous, NotLookedAt} {
		for _, f := range res.Failures {
			if f.Kind == kind {
				fmt.Fprintf(b, "  %s: %s%s: %s\n", kind, printable(f.ID), on(f.Benign, f.Runtime), printable(f.Why))
			}
		}
	}
}

// textTwins shows false alarms, which cost as much trust as misses.
func (res Result) textTwins(b *strings.Builder) {
	var lines []string
	for _, r := range res.Attacks {
		if r.Benign && r.Caught {
			lines = append(lines, fmt.Sprintf("  %s%s: %s (%s)\n", r.ID, on(false, r.Runtime), r.Verdict, join(r.CaughtBy, ", ")))
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n%d benign twins raise an alarm\n%s", len(lines), strings.Join(lines, ""))
	}
}

func (res Result) textBaseline(b *strings.Builder) {
	if res.Baseline == nil {
		return
	}
	show := func(title string, list []Change) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(b, "\n%s than %s\n", title, printable(res.Baseline.File))
		for _, c := range list {
			fmt.Fprintf(b, "  %s%s: %s\n", c.ID, on(c.Benign, c.Runtime), printable(c.What))
		}
	}
	show("Worse", res.Baseline.Regressions)
	show("Less to be seen", res.Baseline.Gaps)
	show("Better", res.Baseline.Improvements)
	if len(res.Baseline.Regressions)+len(res.Baseline.Improvements)+len(res.Baseline.Gaps) == 0 {
		fmt.Fprintf(b, "\nAs in %s\n", printable(res.Baseline.File))
	}
}

func (res Result) textProbes(b *strings.Builder) {
	tried, held, excused := 0, 0, 0
	for _, c := range res.ProbeCounts {
		tried, held, excused = tried+c.Tried, held+c.Held, excused+c.Excused
	}
	if tried > 0 {
		fmt.Fprintf(b, "\nProbes of the containment: %d of %d held", held, tried)
		if excused > 0 {
			fmt.Fprintf(b, ", %d of them for a reason that docs/attacks.md names", excused)
		}
		b.WriteString("\n")
	}
}

func on(benign bool, runtime string) string {
	out := ""
	if benign {
		out = " (twin)"
	}
	if runtime != "" {
		out += " on " + runtime
	}
	return out
}

func (s Summary) text() string {
	out := fmt.Sprintf("%d attacks: caught %s of those that the layers of this run have to catch, dangerous %d",
		s.Attacks, share(s.Caught, s.Expected), s.Dangerous)
	if s.Runtime != "" {
		out = fmt.Sprintf("%s: %s; executed %s, contained %s of those executed, nothing to run in %d",
			s.Runtime, out, share(s.Executed, s.Executable), share(s.Contained, s.Executed), s.NothingToRun)
	}
	return fmt.Sprintf("%s; incomplete %d; of %d twins dangerous %d, suspicious %d\n", out, s.Incomplete, s.Twins, s.TwinsDangerous, s.TwinsSuspicious)
}

// share is "n of m (p %)", rounded down so that 100 % is all.
func share(n, of int) string {
	if of == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d (%d %%)", n, of, 100*n/of)
}

func (l Latency) text() string {
	name := string(l.Layer)
	if l.Runtime != "" {
		name += " on " + l.Runtime
	}
	out := fmt.Sprintf("%s %s median, %s 95th percentile", name, ms(l.MedianMS), ms(l.P95MS))
	if l.ProgramsMS+l.AroundMS > 0 {
		out += fmt.Sprintf(" (programs %s median, the containers around them %s)", ms(l.ProgramsMS), ms(l.AroundMS))
	}
	return out
}

func ms(n int64) string {
	if n < 10_000 {
		return fmt.Sprintf("%d ms", n)
	}
	return fmt.Sprintf("%d s", n/1000)
}

// printable drops what hostile text could do to a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}
