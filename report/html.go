package report

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/webpage"
)

var (
	//go:embed page/page.html.tmpl
	pageTemplate string
	//go:embed page/page.css
	pageStyle string
)

// How much the page shows. A browser is slow with more, and no one reads it.
const (
	htmlRows     = 1000
	htmlFindings = 2000
	htmlListed   = 1000
	htmlOpenRuns = 20
	htmlContext  = 2 // lines around a finding
	htmlLines    = 12
)

// renderHTML writes one page that needs nothing from anywhere.
func renderHTML(w io.Writer, r gate.Result, o Options) error {
	return webpage.Write(w, pageTemplate, newPage(summarize(r, o), o))
}

// page is what the template shows. Its hostile strings have gone through
// visible; html/template escapes them for their place in the page.
type page struct {
	webpage.Sheet
	Headline     string
	Word, Rest   string // the headline, before and after the colon
	Executed     string
	Override     string
	Tone         tone
	Risk         int
	Layers       []pageLayer
	Steps        [][]pageText
	Attributed   bool
	Rows         []pageRow
	MoreRows     string
	Gaps         []pageGap
	Files        []pageFile
	Runs         []pageRun
	Authors      []pageAuthor
	Skipped      []pageGap
	SkippedCount string
	Tool         string
}

type (
	pageLayer struct {
		Name, Status, Detail string
		Tone                 tone
	}
	pageText struct {
		Text string
		Code bool
	}
	pageRow struct {
		Path, Anchor, Author, Verdict string
		Tone                          tone
		Risk                          int
		Cells                         []pageCell
	}
	pageCell struct {
		Label, Text string
		Tone        tone
	}
	pageGap    struct{ Layer, Where, Reason string }
	pageAuthor struct{ Path, Source, Text string }
)

func newPage(s summary, o Options) page {
	headline, _, _ := strings.Cut(s.headline, " (risk") // the gauge shows it
	word, rest, _ := strings.Cut(headline, ": ")
	p := page{
		Sheet:      webpage.NewSheet(pageStyle),
		Headline:   s.headline,
		Word:       word,
		Rest:       rest,
		Executed:   executedText(s.res, visible),
		Override:   s.override(visible),
		Tone:       s.tone,
		Risk:       s.res.RiskScore,
		Attributed: s.attributed,
		Tool:       visible(s.res.Tool.Name + " " + s.res.Tool.Version),
	}
	for _, l := range s.res.Layers {
		p.Layers = append(p.Layers, newPageLayer(l))
	}
	for _, step := range s.steps {
		p.Steps = append(p.Steps, codeParts(step))
	}
	p.addFiles(s, o)
	for i, g := range s.res.Incomplete {
		if i == htmlListed {
			p.Gaps = append(p.Gaps, pageGap{Reason: "and " + plural(len(s.res.Incomplete)-i, "more gap")})
			break
		}
		where := "every file"
		if g.Path != "" {
			where = visible(g.Path)
		}
		p.Gaps = append(p.Gaps, pageGap{visible(string(g.Layer)), where, visible(g.Reason)})
	}
	for i, r := range s.runs {
		run := newPageRun(r)
		run.Open = i < htmlOpenRuns
		p.Runs = append(p.Runs, run)
	}
	p.SkippedCount = plural(len(s.res.Skipped), "file")
	for i, skip := range s.res.Skipped {
		if i == htmlListed {
			p.Skipped = append(p.Skipped, pageGap{Reason: "and " + plural(len(s.res.Skipped)-i, "more file")})
			break
		}
		p.Skipped = append(p.Skipped, pageGap{Where: visible(skip.Path), Reason: visible(skip.Reason)})
	}
	return p
}

func newPageLayer(l gate.LayerResult) pageLayer {
	p := pageLayer{Name: visible(string(l.Name)), Status: visible(string(l.Status)), Detail: visible(l.Reason)}
	switch {
	case l.Status == gate.LayerFailed, unavailable(l):
		p.Tone = toneGap
	case l.Status == gate.LayerRan:
		p.Detail = milliseconds(l.DurationMS)
	}
	return p
}

// codeParts splits gate's own words at the backticks.
func codeParts(s string) []pageText {
	var out []pageText
	for i, part := range strings.Split(s, "`") {
		out = append(out, pageText{part, i%2 == 1})
	}
	return out
}

func (p *page) addFiles(s summary, o Options) {
	room := htmlFindings
	for i, r := range s.rows {
		file := newPageFile(s, r, o, fmt.Sprintf("f%d", i), &room)
		if i < htmlRows {
			row := pageRow{
				Path: visible(r.file.Path), Author: pageAuthorOf(r.file.Attribution),
				Verdict: r.verdict.text, Tone: r.verdict.tone, Risk: r.file.RiskScore,
			}
			for j, label := range []string{"Static", "Judge", "Sandbox"} {
				row.Cells = append(row.Cells, pageCell{label, r.layers[j].text, r.layers[j].tone})
			}
			if file != nil {
				row.Anchor = file.Anchor
			}
			p.Rows = append(p.Rows, row)
		}
		if file != nil {
			p.Files = append(p.Files, *file)
		}
		for j, e := range r.file.Attribution.Evidence {
			if j < htmlLines && len(p.Authors) < htmlListed {
				p.Authors = append(p.Authors, pageAuthor{visible(r.file.Path), visible(e.Source), visible(gate.Clip(e.Text, gate.MaxEvidence))})
			}
		}
	}
	if n := len(s.rows) - len(p.Rows); n > 0 {
		p.MoreRows = plural(n, "more file") + " not in this table; the json result has them"
	}
}

func pageAuthorOf(a gate.Attribution) string {
	switch {
	case a.Basis == "unmarked":
		return "no mark"
	case a.Basis != "marked":
		return "unknown"
	}
	return strings.TrimSpace(visible(gate.Clip(strings.Join(a.Agents, ", "), 60)) + fmt.Sprintf(" (%.0f %%)", 100*a.Confidence))
}
