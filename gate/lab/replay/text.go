package replay

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/aigate/gate/gate/printable"
)

// maxShown is how many rows a table of the text report has.
const maxShown = 10

// WriteJSON writes the whole report.
func WriteJSON(w io.Writer, r Report) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(r)
}

// WriteText writes the report for a terminal: figures, causes, what would have helped,
// and the changes that were stopped, the newest first.
func WriteText(w io.Writer, r Report) error {
	t := &textWriter{out: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.printf("%s\n\n", r.headline())
	if r.Summary.Changes == 0 && t.err == nil {
		return t.out.Flush()
	}
	t.table("who wrote it", r.Authors, len(r.Authors))
	t.table("rule, or what is lacking", r.Rules, maxShown)
	t.table("folder", r.Paths, maxShown)
	t.printf("time per change: median %s, 95 %% below %s, longest %s\n", seconds(r.Time.Median), seconds(r.Time.Most95), seconds(r.Time.Longest))
	t.advice(r.Advice)
	t.learned(r.Learned)
	t.stopped(r.Changes)
	if t.err != nil {
		return t.err
	}
	return t.out.Flush()
}

// headline says in one sentence what would have been.
func (r Report) headline() string {
	c := r.Summary
	if c.Changes == 0 {
		return "There is no change to look at."
	}
	return fmt.Sprintf("%d changes, %s to %s, layers %s: %d blocked (%s), %d incomplete (%s), %d flagged (%s), %d passed.",
		c.Changes, r.Changes[0].Date.UTC().Format(dayForm), r.Changes[len(r.Changes)-1].Date.UTC().Format(dayForm), strings.Join(r.Layers, ", "),
		c.Blocked, share(c.Blocked, c.Changes), c.Incomplete, share(c.Incomplete, c.Changes), c.Flagged, share(c.Flagged, c.Changes), c.Passed())
}

const dayForm = "2006-01-02"

// share is a part of a hundred.
func share(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f per 100", 100*float64(part)/float64(whole))
}

func seconds(millis int64) string { return fmt.Sprintf("%.1f s", float64(millis)/1000) }

// textWriter keeps the first error.
type textWriter struct {
	out *tabwriter.Writer
	err error
}

func (t *textWriter) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.out, format, args...)
	}
}

func (t *textWriter) table(title string, groups []Group, most int) {
	if len(groups) == 0 {
		return
	}
	t.printf("%s\tchanges\tblocked\tincomplete\tflagged\n", title)
	for _, g := range groups[:min(len(groups), most)] {
		t.printf("  %s\t%d\t%d\t%d\t%d\n", printable.ASCII(g.Name), g.Changes, g.Blocked, g.Incomplete, g.Flagged)
	}
	if more := len(groups) - most; more > 0 {
		t.printf("  (%d more in --format html or json)\n", more)
	}
	t.printf("\n")
}

func (t *textWriter) advice(all []Suggestion) {
	if len(all) == 0 {
		return
	}
	t.printf("\nlines of .gate.yml that would have let changes pass, and what they let through as well\thelps\tdangerous\tsuspicious\n")
	for _, s := range all {
		t.printf("  %s\t%d\t%d\t%d\n", printable.ASCII(s.Line), s.Helps, s.Mutes.Dangerous, s.Mutes.Suspicious)
	}
}

func (t *textWriter) learned(l *Learned) {
	if l == nil {
		return
	}
	t.printf("\n%s\n", l.headline())
	for _, p := range l.Proposals {
		t.printf("\n%s", indented(p.YAML(), "    "))
		t.printf("    # %s\n", p.rests())
	}
}

// headline says what the dismissals come to.
func (l Learned) headline() string {
	s := fmt.Sprintf("dismissals: %d, of which %d are about no way of writing that an entry could cover", l.Dismissals, l.Unread)
	switch {
	case l.More > 0:
		return fmt.Sprintf("%s. Nothing is proposed: %d findings of the history were not kept, so what an entry lets through is not known", s, l.More)
	case len(l.Proposals) == 0:
		s += fmt.Sprintf(". No way of writing was dismissed %d times", minDismissals)
	default:
		s += ". Entries for rules.usage in .gate.yml"
	}
	if l.Withheld > 0 {
		s += fmt.Sprintf("; %d would have covered something dangerous and are left out", l.Withheld)
	}
	return s
}

// rests says what a proposal rests on, and what it does.
func (p Proposal) rests() string {
	return fmt.Sprintf("rests on %d dismissals; helps %d changes; lets through %d suspicious findings besides", p.Rests, p.Helps, p.Mutes.Suspicious)
}

func (t *textWriter) stopped(rows []Row) {
	left := maxShown
	for _, row := range slices.Backward(rows) {
		if row.outcome() == passed {
			continue
		}
		switch left--; {
		case left == maxShown-1:
			t.printf("\nnot passed, the newest first\t\n")
		case left < 0:
			t.printf("  (more in --format html or json)\n")
			return
		}
		t.printf("  %s  %.10s  %s\t%s\t%s\n", row.Date.UTC().Format(dayForm), row.Commit, row.outcome(), printable.ASCII(row.Subject), printable.ASCII(row.why()))
	}
}

// String is the outcome in the words of the report.
func (o outcome) String() string {
	return [...]string{"passed", "flagged", "incomplete", "blocked"}[o]
}

// why is the first cause of a row, and how many there are besides.
func (r Row) why() string {
	causes := r.causes(func(x Reason) string {
		if x.Path == "" {
			return x.name()
		}
		return x.name() + " in " + x.Path
	})
	switch len(causes) {
	case 0:
		return ""
	case 1:
		return causes[0]
	}
	return fmt.Sprintf("%s and %d more", causes[0], len(causes)-1)
}
