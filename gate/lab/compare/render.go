package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/eval"
)

// render writes the tables of the page.
func render(w io.Writer, all []measured, tools []*used, now time.Time) {
	fmt.Fprintf(w, "\nMeasured on %s.\n\n| Tool | Version | What its severities count as |\n|---|---|---|\n", now.Format(time.DateOnly))
	for _, u := range tools {
		fmt.Fprintf(w, "| %s | %s | %s |\n", u.name, u.number, u.severities)
	}
	for _, m := range all {
		fmt.Fprintf(w, "\n### %s\n\n%s %d malicious and %d benign samples in all.\n", upper(m.about.Name), sentence(m.about.About), m.about.Malicious, m.about.Benign)
		tools := order(tools)
		languages(w, m, tools)
	}
	gaps(w, all)
}

// languages writes a line for each language and tool of a corpus.
func languages(w io.Writer, m measured, rank func(string) int) {
	malicious, benign := m.about.Malicious > 0, m.about.Benign > 0
	head, line := "| Language | Tool |", "|---|---|"
	if malicious {
		head, line = head+" Malicious | Found | … as dangerous |", line+"---:|---:|---:|"
	}
	if benign {
		head, line = head+" Benign | False positives | … as dangerous |", line+"---:|---:|---:|"
	}
	fmt.Fprintf(w, "\n%s\n%s\n", head, line)
	for _, l := range compared() {
		var names []string
		for _, x := range m.measures {
			if x.By == eval.ByLanguage && x.Group == string(l) && !slices.Contains(names, x.Layer) {
				names = append(names, x.Layer)
			}
		}
		slices.SortFunc(names, func(a, b string) int { return rank(a) - rank(b) })
		for _, name := range names {
			s, d := at(m, l, name, eval.Suspicious), at(m, l, name, eval.Dangerous)
			fmt.Fprintf(w, "| %s | %s |", l, name)
			if malicious {
				fmt.Fprintf(w, " %d | %s | %s |", s.Recall.Of, interval(s.Recall), interval(d.Recall))
			}
			if benign {
				fmt.Fprintf(w, " %d | %s | %s |", s.FalsePositiveRate.Of, interval(s.FalsePositiveRate), interval(d.FalsePositiveRate))
			}
			fmt.Fprintln(w)
		}
	}
}

func at(m measured, l gate.Language, name string, level eval.Level) eval.Measure {
	i := slices.IndexFunc(m.measures, func(x eval.Measure) bool {
		return x.By == eval.ByLanguage && x.Group == string(l) && x.Layer == name && x.At == level
	})
	if i < 0 {
		return eval.Measure{}
	}
	return m.measures[i]
}

// order gives the place of a tool in the table.
func order(tools []*used) func(string) int {
	return func(name string) int { return slices.IndexFunc(tools, func(u *used) bool { return u.name == name }) }
}

func interval(s eval.Share) string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %% (%.1f–%.1f)", 100*s.Value, 100*s.Low, 100*s.High)
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func sentence(s string) string { return strings.TrimSuffix(s, ".") + "." }

// gaps writes what gate gets wrong: every benign file that it calls dangerous,
// the rules that flag benign files, and how many malicious samples of each
// category it misses. Samples that it misses are not named: what is to be
// fixed is a technique.
func gaps(w io.Writer, all []measured) {
	fmt.Fprint(w, "\n### What gate gets wrong here\n\nBenign, and called dangerous:\n\n")
	n := 0
	rules := map[string]*eval.RuleCount{}
	for _, m := range all {
		for _, o := range m.gate.Samples {
			if seen := o.Layers[eval.All]; o.Label == eval.Benign && seen.Severity == eval.Dangerous {
				n++
				fmt.Fprintf(w, "- `%s`: %s\n", o.Path, ruleNames(seen))
			}
		}
		for _, r := range m.gate.Rules {
			if rules[r.Rule] == nil {
				rules[r.Rule] = &eval.RuleCount{Rule: r.Rule}
			}
			sum := rules[r.Rule]
			sum.Malicious, sum.BenignDangerous, sum.BenignSuspicious = sum.Malicious+r.Malicious, sum.BenignDangerous+r.BenignDangerous, sum.BenignSuspicious+r.BenignSuspicious
		}
	}
	if n == 0 {
		fmt.Fprintln(w, "none.")
	}
	var wrong []eval.RuleCount
	for _, r := range rules {
		if r.BenignDangerous+r.BenignSuspicious > 0 {
			wrong = append(wrong, *r)
		}
	}
	slices.SortFunc(wrong, func(a, b eval.RuleCount) int {
		if d := b.BenignDangerous + b.BenignSuspicious - a.BenignDangerous - a.BenignSuspicious; d != 0 {
			return d
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	fmt.Fprint(w, "\nRules with a finding in benign files:\n\n| Rule | Benign files | of them dangerous | Malicious samples |\n|---|---:|---:|---:|\n")
	for _, r := range wrong {
		fmt.Fprintf(w, "| `%s` | %d | %d | %d |\n", r.Rule, r.BenignDangerous+r.BenignSuspicious, r.BenignDangerous, r.Malicious)
	}
	fmt.Fprint(w, "\nRisky, and not found by the static layer, by category:\n\n| Corpus | Category | Missed |\n|---|---|---:|\n")
	for _, m := range all {
		for _, x := range m.gate.Measures {
			if x.By == eval.ByCategory && x.Layer == eval.All && x.At == eval.Suspicious && x.FalseNegatives > 0 {
				fmt.Fprintf(w, "| %s | %s | %d of %d |\n", m.about.Name, x.Group, x.FalseNegatives, x.Recall.Of)
			}
		}
	}
	fmt.Fprintln(w)
}

func ruleNames(s eval.Seen) string {
	var names []string
	for _, r := range s.Rules {
		if r.Severity == s.Severity {
			names = append(names, fmt.Sprintf("`%s` on line %d", r.Rule, r.Line))
		}
	}
	return strings.Join(names, ", ")
}
