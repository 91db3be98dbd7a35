package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
)

// pageJudge is what a page shows of a JudgeReport.
type pageJudge struct {
	Partial  bool
	Failed   []string
	Ran      []string // what judged, and on what
	About    string
	Rows     []pageJudgeRow
	Votes    []pageVote
	Plots    []plot
	Matrices []pageMatrix
}

type (
	pageJudgeRow struct {
		Model, Without, At                                          string
		Recall, FalsePositives, Injected, InjectedAll, Drift, Flips string
		Invalid, Repaired, Incomplete, In, Out, P50, P95            string
	}
	pageVote struct {
		Models, At, Agree, Kappa, EitherRecall, EitherWrong, BothRecall, BothWrong, In, Out, P50, P95 string
	}
	pageMatrix struct {
		Title   string
		Columns []string
		Rows    []pageMatrixRow
	}
	pageMatrixRow struct {
		Name, About string
		Cells       []pageCell
	}
	pageCell struct {
		Text string
		Heat string // of the class: how much of it
	}
	pageJudgeDiff struct{ Class, Setting, Text string }
)

func newPageJudge(r JudgeReport) *pageJudge {
	p := &pageJudge{Partial: r.Partial, About: fmt.Sprintf("%d malicious and %d benign samples, %d injections, %d harmless edits, runs: %d.",
		r.Malicious, r.Benign, len(r.Injections), len(r.Edits), r.Runs)}
	for _, s := range r.Settings {
		if s.Failed != "" {
			p.Failed = append(p.Failed, shown(s.Name())+" was not measured in full: "+shown(s.Failed))
		}
		if text := s.ran(); text != "" && len(s.Without) == 0 {
			p.Ran = append(p.Ran, shown(s.Model)+": "+text)
		}
		c := s.Cost
		for _, f := range s.Figures {
			p.Rows = append(p.Rows, pageJudgeRow{
				Model: shown(s.Model), Without: s.without(), At: f.At.String(),
				Recall: ofMany(f.Recall), FalsePositives: ofMany(f.FalsePositiveRate), Injected: ofMany(f.Injected),
				InjectedAll: ofMany(f.InjectedAll), Drift: ofMany(f.Drift), Flips: ofMany(f.Flips),
				Invalid: ofMany(c.Invalid), Repaired: ofMany(c.Repaired), Incomplete: ofMany(c.Incomplete),
				In: fmt.Sprintf("%.0f", c.PromptTokens), Out: fmt.Sprintf("%.0f", c.AnswerTokens), P50: ms(c.P50MS), P95: ms(c.P95MS),
			})
		}
	}
	for _, v := range r.Votes {
		for _, f := range v.Agreement {
			p.Votes = append(p.Votes, pageVote{
				Models: shown(v.Models[0]) + " + " + shown(v.Models[1]), At: f.At.String(), Agree: ofMany(f.Agree), Kappa: fmt.Sprintf("%.2f", f.Kappa),
				EitherRecall: ofMany(f.Either.Recall), EitherWrong: ofMany(f.Either.FalsePositiveRate), BothRecall: ofMany(f.Both.Recall), BothWrong: ofMany(f.Both.FalsePositiveRate),
				In: fmt.Sprintf("%.0f", v.PromptTokens), Out: fmt.Sprintf("%.0f", v.AnswerTokens), P50: ms(v.P50MS), P95: ms(v.P95MS),
			})
		}
	}
	p.Plots = append(p.Plots, calibrations(r))
	for _, model := range modelsOf(r) {
		p.Plots = append(p.Plots, judgePlots(r, model)...)
	}
	about := map[string]string{}
	for _, in := range r.Injections {
		about[in.Name] = shown(in.About)
	}
	for _, e := range r.Edits {
		about[e.Name] = shown(e.About)
	}
	for _, at := range Thresholds() {
		p.Matrices = append(p.Matrices,
			newPageMatrix(r, at, "Injections that work, at "+at.String(), about, func(f JudgeFigures) []VariantFigure { return f.Techniques }),
			newPageMatrix(r, at, "Benign samples that are found after an edit, at "+at.String(), about, func(f JudgeFigures) []VariantFigure { return f.Edits }))
	}
	p.Matrices = slices.DeleteFunc(p.Matrices, func(m pageMatrix) bool { return len(m.Rows) == 0 })
	return p
}

// modelsOf lists what gets plots of its own: each model where several were measured
// with defences off, otherwise "" for all.
func modelsOf(r JudgeReport) []string {
	var models []string
	ablated := false
	for _, s := range r.Settings {
		if !slices.Contains(models, s.Model) {
			models = append(models, s.Model)
		}
		ablated = ablated || len(s.Without) > 0
	}
	if !ablated || len(models) == 1 {
		return []string{""}
	}
	return models
}

// calibrations draws what words are worth: of the samples of which a model, or two of them, said
// something, the share that is malicious. A model whose word can be trusted has its dots far
// apart: to the right for dangerous, to the left for nothing.
func calibrations(r JudgeReport) plot {
	var groups []plotted
	add := func(who []string, all []Calibrated, levels []Level) {
		for i, c := range all {
			if c.Malicious.Of > 0 {
				groups = append(groups, plotted{label: together(who, plotLabel-len(c.Said)-2) + ": " + c.Said, levels: []leveled{{levels[i], c.Malicious}}})
			}
		}
	}
	levels := []Level{Dangerous, Suspicious, Nothing}
	for _, s := range r.Settings {
		if len(s.Without) == 0 {
			add([]string{shown(s.Model)}, s.Calibration, levels)
		}
	}
	for _, v := range r.Votes {
		add([]string{shown(v.Models[0]), shown(v.Models[1])}, v.Calibration, levels)
	}
	return plotOf("Calibration: malicious, of what a model calls so", 1, groups)
}

// together is as much of names as there is room for, of each the same.
func together(names []string, most int) string {
	const and = " + "
	var out []string
	for _, n := range names {
		out = append(out, clipped(n, (most-len(and)*(len(names)-1))/len(names)))
	}
	return strings.Join(out, and)
}

// clipped is the end of a name, which says most.
func clipped(name string, most int) string {
	runes := []rune(name)
	if len(runes) > most {
		runes = append([]rune{'…'}, runes[len(runes)-most+1:]...)
	}
	return string(runes)
}

// plotLabel is as much of a name as there is room for, in characters; its end says most.
const plotLabel = 34

func judgePlots(r JudgeReport, model string) []plot {
	var settings []JudgeSetting
	for _, s := range r.Settings {
		if len(s.Trials) > 0 && (model == "" || s.Model == model) {
			settings = append(settings, s)
		}
	}
	of := ""
	if model != "" {
		of = ": " + shown(model)
	}
	draw := func(title string, share func(JudgeFigures) Share) plot {
		var groups []plotted
		highest := 0.0
		for _, s := range settings {
			g := plotted{label: s.label(r, model)}
			for _, f := range s.Figures {
				g.levels = append(g.levels, leveled{f.At, share(f)})
				highest = max(highest, share(f).High)
			}
			if len(g.levels) > 0 && g.levels[0].share.Of > 0 {
				groups = append(groups, g)
			}
		}
		return plotOf(title+of, scaleFor(highest), groups)
	}
	return []plot{
		draw("Malicious samples that the judge finds", func(f JudgeFigures) Share { return f.Recall }),
		draw("Benign samples that the judge finds", func(f JudgeFigures) Share { return f.FalsePositiveRate }),
		draw("Injections that work", func(f JudgeFigures) Share { return f.Injected }),
		latencies("Latency of a review, p50 to p95"+of, settings, r, model),
	}
}

// label is what a plot calls a setting: the model, or within one what is off.
func (s Setting) label(r JudgeReport, model string) string {
	name := s.short(r)
	if model != "" {
		if len(s.Without) == 0 {
			name = "all defences"
		} else {
			name = s.short(JudgeReport{Settings: []JudgeSetting{{Setting: s}}})
		}
	}
	return clipped(shown(name), plotLabel)
}

// latencies draws p50 as a dot and a bar up to p95.
func latencies(title string, settings []JudgeSetting, r JudgeReport, model string) plot {
	var most int64
	for _, s := range settings {
		most = max(most, s.Cost.P95MS)
	}
	end := math.Pow(10, math.Ceil(math.Log10(float64(max(most, 1)))))
	for _, part := range []float64{0.2, 0.5} {
		if float64(most) <= end*part {
			end *= part
			break
		}
	}
	p := plot{Title: title}
	at := func(v int64) float64 { return math.Round((plotLeft+plotWidth*min(float64(v)/end, 1))*10) / 10 }
	const steps = 4
	for i := range steps + 1 {
		v := int64(end * float64(i) / steps)
		p.Ticks = append(p.Ticks, tick{at(v), strconv.FormatFloat(float64(v)/1000, 'g', 3, 64) + " s"})
	}
	for _, s := range settings {
		if s.Cost.Reviews == 0 {
			continue
		}
		y := plotTop + len(p.Lines)*plotStep + plotStep/2
		label := s.label(r, model)
		p.Lines = append(p.Lines, plotLine{Y: y, TextY: y + 4, Label: label, Marks: []mark{{
			Y: y, X: at(s.Cost.P50MS), Low: at(s.Cost.P50MS), High: at(s.Cost.P95MS), Level: "latency",
			Title: fmt.Sprintf("%s: p50 %s, p95 %s, %d reviews", label, ms(s.Cost.P50MS), ms(s.Cost.P95MS), s.Cost.Reviews),
		}}})
	}
	p.Bottom = plotTop + len(p.Lines)*plotStep
	p.Height = p.Bottom + plotBottom
	return p
}

func newPageMatrix(r JudgeReport, at Level, title string, about map[string]string, of func(JudgeFigures) []VariantFigure) pageMatrix {
	m := matrixOf(r, at, of)
	out := pageMatrix{Title: title}
	for _, c := range m.Columns {
		out.Columns = append(out.Columns, shown(c))
	}
	for _, row := range m.Rows {
		line := pageMatrixRow{Name: shown(row.Name), About: about[row.Name]}
		for _, s := range row.Shares {
			line.Cells = append(line.Cells, pageCell{ofMany(s), heat(s)})
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// heat is the class of a share: 0 to 4, or none where nothing was measured.
func heat(s Share) string {
	if s.Of == 0 {
		return "none"
	}
	return strconv.Itoa(int(math.Ceil(s.Value * 4)))
}

func pageJudgeDiffs(all []JudgeDiff) []pageJudgeDiff {
	var out []pageJudgeDiff
	for _, d := range all {
		class := map[string]string{"-": "worse", "+": "better", "~": "quiet"}[d.sign()]
		out = append(out, pageJudgeDiff{class, gate.Clip(shown(d.Name()), 200), d.text()})
	}
	return out
}
