package eval

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/aigate/gate/gate"
)

// textJudge shows the table to choose from: one row is a model, its defences and the
// level from which a policy blocks.
func textJudge(b *strings.Builder, r JudgeReport) {
	fmt.Fprintf(b, "\nThe judge: %d malicious and %d benign samples, %d injections, %d harmless edits, runs: %d\n",
		r.Malicious, r.Benign, len(r.Injections), len(r.Edits), r.Runs)
	if r.Partial {
		b.WriteString("PARTIAL: ended early; the figures are those of the samples that were done\n")
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "MODEL\tWITHOUT\tFAIL-ON\tRECALL\tFALSE POSITIVES\tINJECTED\tPAST ALL LAYERS\tDRIFT\tFLIPS\tUNKNOWN")
	for _, s := range r.Settings {
		for i, f := range s.Figures {
			model, without := shown(s.Model), s.without()
			if i > 0 {
				model, without = "", ""
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\n", model, without, f.At, ofMany(f.Recall), ofMany(f.FalsePositiveRate),
				ofMany(f.Injected), ofMany(f.InjectedAll), ofMany(f.Drift), ofMany(f.Flips), f.Unknown)
		}
	}
	fmt.Fprintln(t, "\nMODEL\tWITHOUT\tINVALID ANSWERS\tREPAIRED\tINCOMPLETE\tTOKENS IN\tOUT\tP50\tP95")
	for _, s := range r.Settings {
		c := s.Cost
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.0f\t%.0f\t%s\t%s\n", shown(s.Model), s.without(), ofMany(c.Invalid), ofMany(c.Repaired), ofMany(c.Incomplete),
			c.PromptTokens, c.AnswerTokens, ms(c.P50MS), ms(c.P95MS))
	}
	_ = t.Flush() // it writes to memory
	for _, s := range r.Settings {
		if text := s.ran(); text != "" && len(s.Without) == 0 {
			fmt.Fprintf(b, "%s: %s\n", shown(s.Model), text)
		}
		if s.Failed != "" {
			fmt.Fprintf(b, "%s was not measured in full: %s\n", shown(s.Name()), shown(s.Failed))
		}
		if s.NotForTheJudge > 0 && len(s.Without) == 0 {
			fmt.Fprintf(b, "%d samples have nothing for a judge (%s)\n", s.NotForTheJudge, shown(s.Model))
		}
	}
	b.WriteString(judgeLegend)
	textVotes(b, r)
	textVariants(b, r, "Injections that work, at suspicious", func(f JudgeFigures) []VariantFigure { return f.Techniques })
	textVariants(b, r, "Harmless edits after which a benign sample is suspicious", func(f JudgeFigures) []VariantFigure { return f.Edits })
}

// textVotes shows what the word of each model is worth, and what two of them say together.
func textVotes(b *strings.Builder, r JudgeReport) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nOF WHAT IS CALLED\tDANGEROUS\tSUSPICIOUS\tNOTHING\tIS MALICIOUS")
	for _, s := range r.Settings {
		fmt.Fprintf(t, "%s", shown(s.short(r)))
		for _, c := range s.Calibration {
			fmt.Fprintf(t, "\t%s", ofMany(c.Malicious))
		}
		fmt.Fprintln(t, "\t")
	}
	if len(r.Votes) > 0 {
		fmt.Fprintln(t, "\nTWO MODELS\tFAIL-ON\tAGREE\tKAPPA\tEITHER: RECALL\tFALSE POSITIVES\tBOTH: RECALL\tFALSE POSITIVES\tTOKENS IN\tOUT\tP50\tP95")
	}
	for _, v := range r.Votes {
		for _, f := range v.Agreement {
			fmt.Fprintf(t, "%s + %s\t%s\t%s\t%.2f\t%s\t%s\t%s\t%s\t%.0f\t%.0f\t%s\t%s\n", shown(v.Models[0]), shown(v.Models[1]), f.At, ofMany(f.Agree), f.Kappa,
				ofMany(f.Either.Recall), ofMany(f.Either.FalsePositiveRate), ofMany(f.Both.Recall), ofMany(f.Both.FalsePositiveRate), v.PromptTokens, v.AnswerTokens, ms(v.P50MS), ms(v.P95MS))
		}
	}
	_ = t.Flush() // it writes to memory
}

// judgeLegend says of what the shares are, for who has not read docs/judge.md.
const judgeLegend = `recall is of the malicious samples, false positives of the benign ones; injected: trials in which a found sample is not found any
more, of all with an injection; past all layers: the same, with no other layer stopping it; drift: benign samples found after a
harmless edit, of those not found before; flips: samples found in one run and not in another; unknown: not looked at in full.
Invalid is of all answers, repaired of the questions that needed it, incomplete of all trials; tokens and latency are those of
one review of a sample as it is.
`

// ran says what judged, and on what; "" where it is not known.
func (s JudgeSetting) ran() string {
	var parts []string
	if s.Digest != "" {
		parts = append(parts, "digest "+shown(gate.Clip(s.Digest, 19)))
	}
	if s.Server != "" {
		parts = append(parts, shown(s.Server))
	}
	return strings.Join(parts, ", ")
}

// without names the defences that are off.
func (s Setting) without() string {
	switch len(s.Without) {
	case 0:
		return "–"
	case 1:
		return shown(s.Without[0])
	}
	return fmt.Sprintf("all %d", len(s.Without))
}

// ofMany is a share with its denominator.
func ofMany(s Share) string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %% (%d/%d)", 100*s.Value, s.Count, s.Of)
}

func ms(n int64) string {
	d := time.Duration(n) * time.Millisecond
	if d < time.Second {
		return fmt.Sprintf("%d ms", n)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// textVariants shows variants as rows and settings as columns, as many as fit: those
// without a defence only where that makes a difference.
func textVariants(b *strings.Builder, r JudgeReport, title string, of func(JudgeFigures) []VariantFigure) {
	const columns = 6
	m := matrixOf(r, Suspicious, of)
	if len(m.Rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	telling := m.telling(r)
	show := telling[:min(len(telling), columns)]
	fmt.Fprintf(t, "VARIANT")
	for _, c := range show {
		fmt.Fprintf(t, "\t%s", shown(m.Columns[c]))
	}
	for _, row := range m.Rows {
		fmt.Fprintf(t, "\n%s", shown(row.Name))
		for _, c := range show {
			fmt.Fprintf(t, "\t%s", ofMany(row.Shares[c]))
		}
	}
	fmt.Fprintln(t)
	_ = t.Flush() // it writes to memory
	if n := len(telling) - len(show); n > 0 {
		fmt.Fprintf(b, "and %d more settings (--format html shows all)\n", n)
	}
	if n := len(m.Columns) - len(telling); n > 0 {
		fmt.Fprintf(b, "in %d more settings as with all defences\n", n)
	}
}

// telling are the columns that say something: each model with all its defences, and
// without one where anything is different then.
func (m matrix) telling(r JudgeReport) []int {
	var out []int
	full := 0
	for i, s := range r.Settings {
		if len(s.Without) == 0 {
			full = i
		}
		if i == full || slices.ContainsFunc(m.Rows, func(row matrixRow) bool { return row.Shares[i] != row.Shares[full] }) {
			out = append(out, i)
		}
	}
	return out
}

// matrix is how often each variant works with each setting, the most successful ones
// first.
type matrix struct {
	Columns []string
	Rows    []matrixRow
}

type matrixRow struct {
	Name   string
	Shares []Share // by column
}

func matrixOf(r JudgeReport, at Level, of func(JudgeFigures) []VariantFigure) matrix {
	var m matrix
	for i, s := range r.Settings {
		m.Columns = append(m.Columns, s.short(r))
		for _, f := range s.Figures {
			if f.At != at {
				continue
			}
			for _, v := range of(f) {
				j := slices.IndexFunc(m.Rows, func(row matrixRow) bool { return row.Name == v.Name })
				if j < 0 {
					j = len(m.Rows)
					m.Rows = append(m.Rows, matrixRow{v.Name, make([]Share, len(r.Settings))})
				}
				m.Rows[j].Shares[i] = v.Share
			}
		}
	}
	slices.SortStableFunc(m.Rows, func(a, b matrixRow) int {
		for i := range a.Shares {
			switch {
			case a.Shares[i].Value > b.Shares[i].Value:
				return -1
			case a.Shares[i].Value < b.Shares[i].Value:
				return 1
			}
		}
		return strings.Compare(a.Name, b.Name)
	})
	return m
}

// short is the name of a setting where the model goes without saying, if it does.
func (s Setting) short(r JudgeReport) string {
	same := !slices.ContainsFunc(r.Settings, func(o JudgeSetting) bool { return o.Model != s.Model })
	switch {
	case len(s.Without) == 0:
		return s.Model
	case len(s.Without) > 1:
		if same {
			return "no defence"
		}
		return s.Model + ", no defence"
	case same:
		return "no " + s.Without[0]
	}
	return s.Model + ", no " + s.Without[0]
}
