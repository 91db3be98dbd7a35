package eval

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// How much a text report lists; the JSON document has everything.
const (
	textRules   = 15
	textSamples = 40
)

// WriteText writes a report for a terminal.
func WriteText(w io.Writer, r Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d malicious, %d benign samples\n", shown(r.Corpus.Name), r.Corpus.Malicious, r.Corpus.Benign)
	if r.Failed > 0 {
		for _, o := range r.Samples {
			if len(o.Failed) > 0 {
				fmt.Fprintf(&b, "A layer did not get through %d samples, so that its figures are of the others only (%s: %s)\n", r.Failed, shown(o.Path), shown(o.Failed[0]))
				break
			}
		}
	}
	if r.Incomplete > 0 {
		fmt.Fprintf(&b, "%d samples were not looked at in full; they count where something was found in them, and nowhere else\n", r.Incomplete)
		for _, o := range r.Samples {
			if len(o.Incomplete) > 0 {
				fmt.Fprintf(&b, "  such as %s: %s\n", shown(o.Path), shown(o.Incomplete[0]))
				break
			}
		}
	}
	if r.Judge != nil {
		textJudge(&b, *r.Judge)
	}
	for _, by := range []string{ByAll, ByLanguage, ByCategory} {
		textTable(&b, r, by)
	}
	textRuleTable(&b, r.Rules)
	textList(&b, "benign and dangerous", r.Samples, func(o Outcome) bool { return o.Label == Benign && o.Layers[All].Severity == Dangerous })
	textList(&b, "benign and suspicious", r.Samples, func(o Outcome) bool { return o.Label == Benign && o.Layers[All].Severity == Suspicious })
	textList(&b, "malicious and not detected", r.Samples, func(o Outcome) bool { return o.Label == Malicious && o.Layers[All].Severity < Suspicious })
	if r.Comparison != nil {
		textComparison(&b, *r.Comparison)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// textTable shows one line for a layer and group, both levels side by side.
func textTable(b *strings.Builder, r Result, by string) {
	if by != ByAll {
		fmt.Fprintf(b, "\nBy %s\n", by)
	} else {
		b.WriteByte('\n')
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\tLAYER\tRISKY\tINNOCENT\tRECALL\tdangerous\tFALSE POSITIVES\tdangerous\tPRECISION\tF1\n", strings.ToUpper(by))
	rows := rowsOf(r.Measures, by)
	for _, row := range rows {
		s, d := row.suspicious, row.dangerous
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", shown(s.Group), shown(s.Layer), s.Recall.Of, s.FalsePositiveRate.Of,
			withInterval(s.Recall), percent(d.Recall), withInterval(s.FalsePositiveRate), percent(d.FalsePositiveRate), percent(s.Precision), f1(s.F1))
	}
	_ = t.Flush() // it writes to memory
}

// row is one layer and group at both levels.
type row struct{ suspicious, dangerous Measure }

// rowsOf pairs the measures of both levels, which are beside each other.
// Where one layer ran, "all" would repeat it.
func rowsOf(all []Measure, by string) []row {
	layers := map[string]bool{}
	for _, m := range all {
		layers[m.Layer] = true
	}
	var out []row
	for _, m := range all {
		if m.By != by || m.Layer == All && len(layers) == 2 {
			continue
		}
		if m.At == Suspicious {
			out = append(out, row{suspicious: m})
		} else if len(out) > 0 {
			out[len(out)-1].dangerous = m
		}
	}
	return out
}

func percent(s Share) string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*s.Value)
}

func withInterval(s Share) string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %% (%.1f–%.1f)", 100*s.Value, 100*s.Low, 100*s.High)
}

func f1(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *v)
}

func textRuleTable(b *strings.Builder, rules []RuleCount) {
	shownRules := 0
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, r := range rules {
		if r.BenignDangerous+r.BenignSuspicious == 0 {
			break
		}
		if shownRules == 0 {
			fmt.Fprintf(t, "\nRules that find something in benign samples\nRULE\tLAYER\tDANGEROUS\tSUSPICIOUS\tRISKY SAMPLES\n")
		}
		if shownRules++; shownRules > textRules {
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\n", shown(r.Rule), shown(r.Layer), r.BenignDangerous, r.BenignSuspicious, r.Malicious)
	}
	_ = t.Flush() // it writes to memory
	if shownRules > textRules {
		fmt.Fprintf(b, "and %d more\n", shownRules-textRules)
	}
}

func textList(b *strings.Builder, title string, all []Outcome, which func(Outcome) bool) {
	n := 0
	for _, o := range all {
		if !which(o) {
			continue
		}
		if n++; n == 1 {
			fmt.Fprintf(b, "\n%s%s\n", strings.ToUpper(title[:1]), title[1:])
		}
		if n <= textSamples {
			fmt.Fprintf(b, "  %s  %s %s%s\n", shown(o.Path), shown(string(o.Language)), shown(o.Category), worstRules(o.Layers[All]))
		}
	}
	if n > textSamples {
		fmt.Fprintf(b, "  and %d more (--format json has all)\n", n-textSamples)
	}
}

// worstRules names the rules that decided what was said about a sample.
func worstRules(s Seen) string {
	if s.Severity < Suspicious {
		return ""
	}
	var names []string
	for _, r := range s.Rules {
		if r.Severity == s.Severity {
			names = append(names, shown(r.Rule)+":"+strconv.Itoa(r.Line))
		}
	}
	const most = 3
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return "  " + strings.Join(names, ", ")
}

func textComparison(b *strings.Builder, c Comparison) {
	fmt.Fprintf(b, "\nCompared with %s %s\n", shown(c.OldTool.Name), shown(c.OldTool.Version))
	if !c.SameCorpus {
		fmt.Fprintf(b, "  The corpus is another one: %d samples are new or labelled otherwise, %d are gone\n", len(c.Added), len(c.Removed))
	}
	if len(c.Measures)+len(c.Samples)+len(c.Judge) == 0 {
		b.WriteString("  Nothing is seen otherwise\n")
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, m := range c.Measures {
		if m.By == ByCategory {
			continue // the samples below say it better
		}
		fmt.Fprintf(t, "  %s\t%s\tat %s\t%s\t%s\n", shown(m.Group), shown(m.Layer), m.At,
			fromTo("recall", m.OldRecall, m.Recall), fromTo("false positives", m.OldFalsePositiveRate, m.FalsePositiveRate))
	}
	_ = t.Flush() // it writes to memory
	for _, d := range c.Judge {
		fmt.Fprintf(b, "  %s %s: %s\n", d.sign(), shown(d.Name()), d.text())
	}
	for i, s := range c.Samples {
		if i == textSamples {
			fmt.Fprintf(b, "  and %d more (--format json has all)\n", len(c.Samples)-textSamples)
			break
		}
		fmt.Fprintf(b, "  %s %s (%s) by %s: %s → %s\n", sign(s.Worse), shown(s.Path), s.Label, shown(s.Layer), s.From, s.To)
	}
}

func sign(worse bool) string {
	if worse {
		return "-"
	}
	return "+"
}

func fromTo(what string, old, now Share) string {
	if old.Of+now.Of == 0 {
		return ""
	}
	return what + " " + percent(old) + " → " + percent(now)
}

// shown quotes a text that holds what a terminal would not just show.
func shown(s string) string {
	for _, c := range s {
		if !strconv.IsPrint(c) {
			return strconv.Quote(s)
		}
	}
	return s
}
