package eval

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/report/webpage"
)

var (
	//go:embed page/page.html.tmpl
	pageTemplate string
	//go:embed page/page.css
	pageStyle string
)

// How much a page lists; the JSON document has everything.
const (
	htmlRules   = 100
	htmlSamples = 500
)

// WriteHTML writes one page that needs nothing from anywhere.
func WriteHTML(w io.Writer, r Result) error {
	return webpage.Write(w, pageTemplate, newPage(r))
}

type page struct {
	webpage.Sheet
	Result   Result
	Headline string
	Plots    []plot
	Tables   []pageTable
	Rules    []RuleCount
	Lists    []pageList
	Judge    *pageJudge
	Compared *pageComparison
	Tool     string
}

type (
	pageTable struct {
		Title string
		Rows  []pageRow
	}
	pageRow struct {
		Group, Layer                           string
		Malicious, Benign                      int
		Recall, RecallDangerous                string
		FalsePositives, FalsePositiveDangerous string
		Precision, F1, Located                 string
	}
	pageList struct {
		Title   string
		Samples []pageSample
		More    int
	}
	pageSample struct {
		Path, Language, Category, Rules string
	}
	pageComparison struct {
		Comparison
		Judge []pageJudgeDiff // in place of the embedded ones
		Old   string
		More  int
	}
)

func newPage(r Result) page {
	p := page{
		Sheet:  webpage.NewSheet(pageStyle),
		Result: r,
		Tool:   shown(r.Tool.Name + " " + r.Tool.Version),
		Rules:  r.Rules[:min(len(r.Rules), htmlRules)],
	}
	for _, row := range rowsOf(r.Measures, ByAll) {
		if p.Headline == "" || row.suspicious.Layer == All {
			p.Headline = fmt.Sprintf("finds %s of the malicious samples and %s of the benign ones",
				percent(row.suspicious.Recall), percent(row.suspicious.FalsePositiveRate))
		}
	}
	for _, by := range []string{ByAll, ByLanguage, ByCategory} {
		rows := rowsOf(r.Measures, by)
		table := pageTable{Title: map[string]string{ByAll: "All samples", ByLanguage: "By language", ByCategory: "By category"}[by]}
		for _, row := range rows {
			table.Rows = append(table.Rows, newPageRow(row))
		}
		p.Tables = append(p.Tables, table)
	}
	rows := append(rowsOf(r.Measures, ByAll), rowsOf(r.Measures, ByLanguage)...)
	p.Plots = plots(rows)
	if r.Judge != nil {
		p.Judge = newPageJudge(*r.Judge)
	}
	p.Lists = []pageList{
		listOf("Benign, and called dangerous", r.Samples, func(o Outcome) bool { return o.Label == Benign && o.Layers[All].Severity == Dangerous }),
		listOf("Benign, and called suspicious", r.Samples, func(o Outcome) bool { return o.Label == Benign && o.Layers[All].Severity == Suspicious }),
		listOf("Malicious, and not found", r.Samples, func(o Outcome) bool { return o.Label == Malicious && o.Layers[All].Severity < Suspicious }),
	}
	if c := r.Comparison; c != nil {
		p.Compared = &pageComparison{Comparison: *c, Old: shown(c.OldTool.Name + " " + c.OldTool.Version), More: max(0, len(c.Samples)-htmlSamples)}
		p.Compared.Judge = pageJudgeDiffs(c.Judge)
		p.Compared.Samples = c.Samples[:min(len(c.Samples), htmlSamples)]
	}
	return p
}

func newPageRow(r row) pageRow {
	s, d := r.suspicious, r.dangerous
	return pageRow{
		Group: shown(s.Group), Layer: shown(s.Layer), Malicious: s.Recall.Of, Benign: s.FalsePositiveRate.Of,
		Recall: withInterval(s.Recall), RecallDangerous: withInterval(d.Recall),
		FalsePositives: withInterval(s.FalsePositiveRate), FalsePositiveDangerous: withInterval(d.FalsePositiveRate),
		Precision: percent(s.Precision), F1: f1(s.F1), Located: percent(s.Located),
	}
}

func listOf(title string, all []Outcome, which func(Outcome) bool) pageList {
	l := pageList{Title: title}
	for _, o := range all {
		switch {
		case !which(o):
		case len(l.Samples) == htmlSamples:
			l.More++
		default:
			l.Samples = append(l.Samples, pageSample{shown(o.Path), shown(string(o.Language)), shown(o.Category), strings.TrimSpace(worstRules(o.Layers[All]))})
		}
	}
	return l
}

// plot is one scale with a line for each group that is large enough: a dot for
// the share, a bar for its interval.
type plot struct {
	Title  string
	Height int
	Bottom int // of the lines of the scale
	Ticks  []tick
	Lines  []plotLine
}

type (
	tick struct {
		X     float64
		Label string
	}
	plotLine struct {
		Y, TextY int
		Label    string
		Marks    []mark
	}
	mark struct {
		Y            int
		X, Low, High float64
		Level        string // "suspicious" or "dangerous", the class of the mark
		Title        string
	}
)

// The layout of a plot, in the units of its view box; page.html.tmpl knows the
// same width.
const (
	plotLeft   = 270.0
	plotWidth  = 400.0
	plotStep   = 34
	plotTop    = 14
	plotBottom = 26
	plotLeast  = 10 // samples: the interval of fewer fills the plot and says nothing
)

func plots(rows []row) []plot {
	var worst float64
	for _, r := range rows {
		if r.suspicious.FalsePositiveRate.Of >= plotLeast || r.suspicious.By == ByAll {
			worst = max(worst, r.suspicious.FalsePositiveRate.High)
		}
	}
	recall := newPlot("Malicious samples detected (recall)", 1, rows, func(m Measure) Share { return m.Recall })
	wrong := newPlot("Benign samples found (false positives)", scaleFor(worst), rows, func(m Measure) Share { return m.FalsePositiveRate })
	return []plot{recall, wrong}
}

// scaleFor is the end of a scale that shows v.
func scaleFor(v float64) float64 {
	for _, end := range []float64{0.02, 0.05, 0.1, 0.2, 0.5} {
		if v <= end {
			return end
		}
	}
	return 1
}

func newPlot(title string, end float64, rows []row, share func(Measure) Share) plot {
	several := slices.ContainsFunc(rows, func(r row) bool { return r.suspicious.Layer != rows[0].suspicious.Layer })
	var groups []plotted
	for _, r := range rows {
		if n := share(r.suspicious).Of; n == 0 || n < plotLeast && r.suspicious.By != ByAll {
			continue
		}
		label := shown(r.suspicious.Group)
		switch layer := r.suspicious.Layer; {
		case !several:
		case layer == All:
			label += " · all layers"
		default:
			label += " · " + shown(layer)
		}
		groups = append(groups, plotted{label, []leveled{{r.suspicious.At, share(r.suspicious)}, {r.dangerous.At, share(r.dangerous)}}})
	}
	return plotOf(title, end, groups)
}

// plotted is one group: a share for each level.
type plotted struct {
	label  string
	levels []leveled
}

type leveled struct {
	at    Level
	share Share
}

// plotOf draws groups below each other, on a scale that ends at end.
func plotOf(title string, end float64, groups []plotted) plot {
	p := plot{Title: title}
	at := func(v float64) float64 { return math.Round((plotLeft+plotWidth*min(v/end, 1))*10) / 10 }
	const steps = 4
	for i := range steps + 1 {
		v := end * float64(i) / steps
		p.Ticks = append(p.Ticks, tick{at(v), strconv.FormatFloat(100*v, 'g', 3, 64) + " %"})
	}
	for _, g := range groups {
		y := plotTop + len(p.Lines)*plotStep + plotStep/2
		line := plotLine{Y: y, TextY: y + 4, Label: g.label}
		for i, l := range g.levels {
			s := l.share
			line.Marks = append(line.Marks, mark{Y: y - 5 + 10*i, X: at(s.Value), Low: at(s.Low), High: at(s.High), Level: l.at.String(),
				Title: fmt.Sprintf("%s, %s: %d of %d, %s", g.label, l.at, s.Count, s.Of, withInterval(s))})
		}
		p.Lines = append(p.Lines, line)
	}
	p.Bottom = plotTop + len(p.Lines)*plotStep
	p.Height = p.Bottom + plotBottom
	return p
}
