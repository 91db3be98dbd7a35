package replay

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/printable"
	"github.com/aigate/gate/report/webpage"
)

var (
	//go:embed page/page.html.tmpl
	pageTemplate string
	//go:embed page/page.css
	pageStyle string
)

// page is what the template shows.
type page struct {
	webpage.Sheet
	Report
	Headline string
	Cards    []card
	Plot     template.HTML // ours: numbers, and months as we format them
	Tables   []table
	Stopped  []stoppedRow
	// Lessons is the headline of what was learned, "" without --suggest.
	Lessons string
	Entries []lesson
}

type (
	card struct{ Class, Name, Number, Share string }
	// table is one way to group the changes.
	table struct {
		Title string
		Rows  []Group
	}
	lesson     struct{ YAML, Rests string }
	stoppedRow struct {
		Day, Commit, Outcome, Author, Subject string
		Causes                                []string
	}
)

// maxStopped is how many changes the page lists.
const maxStopped = 500

// WriteHTML writes the report as one page that needs nothing from anywhere.
func WriteHTML(w io.Writer, r Report) error {
	c := r.Summary
	p := page{
		Sheet: webpage.NewSheet(pageStyle), Report: r, Headline: r.headline(),
		Cards: []card{
			{"blocked", "blocked", fmt.Sprint(c.Blocked), share(c.Blocked, c.Changes)},
			{"incomplete", "incomplete", fmt.Sprint(c.Incomplete), share(c.Incomplete, c.Changes)},
			{"flagged", "flagged", fmt.Sprint(c.Flagged), share(c.Flagged, c.Changes)},
			{"passed", "passed", fmt.Sprint(c.Passed()), share(c.Passed(), c.Changes)},
		},
		Plot: template.HTML(plot(r.Months)), //nolint:gosec // see Plot
		Tables: []table{
			{"By rule, or what is lacking", shown(r.Rules)}, {"By folder", shown(r.Paths)}, {"By author", r.Authors},
		},
	}
	if l := r.Learned; l != nil {
		p.Lessons = l.headline()
		for _, x := range l.Proposals {
			p.Entries = append(p.Entries, lesson{x.YAML(), x.rests()})
		}
	}
	p.Advice = slices.Clone(r.Advice)
	for i := range p.Advice {
		p.Advice[i].Line = printable.ASCII(p.Advice[i].Line)
	}
	for i := len(r.Changes) - 1; i >= 0 && len(p.Stopped) < maxStopped; i-- {
		row := r.Changes[i]
		if row.outcome() == passed {
			continue
		}
		p.Stopped = append(p.Stopped, stoppedRow{
			row.Date.UTC().Format(dayForm), row.Commit[:min(len(row.Commit), 10)], row.outcome().String(), string(row.Author), printable.ASCII(row.Subject),
			row.causes(func(x Reason) string { return printable.ASCII(x.name() + " in " + x.Path) }),
		})
	}
	return webpage.Write(w, pageTemplate, p)
}

// shown are groups whose names are safe to look at.
func shown(groups []Group) []Group {
	out := make([]Group, len(groups))
	for i, g := range groups {
		out[i] = Group{printable.ASCII(g.Name), g.Counts}
	}
	return out
}

// The plot, in its own units.
const (
	plotWidth  = 760
	plotHeight = 220
	plotLeft   = 44
	plotRight  = 24 // free, for the half of a month's name
	plotTop    = 12
	plotBottom = 180
	labelApart = 64 // of the names of months
)

// plot draws for each month how many changes of a hundred were stopped, stacked: blocked
// at the bottom. The number of changes is in the title of each bar.
func plot(months []Group) string {
	if !slices.ContainsFunc(months, func(m Group) bool { return m.stopped() > 0 }) {
		return "" // an empty plot says less than the cards above it
	}
	highest := 10.0 // per hundred, so that a quiet history does not look like a busy one
	for _, m := range months {
		highest = max(highest, perHundred(m.stopped(), m.Changes))
	}
	y := func(v float64) float64 { return plotBottom - v/highest*(plotBottom-plotTop) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="Changes that were stopped, per 100, month by month">`, plotWidth, plotHeight)
	for _, v := range []float64{0, highest / 2, highest} {
		fmt.Fprintf(&b, `<path class="grid" d="M%d %.1fH%d"/><text class="dim" x="%d" y="%.1f" text-anchor="end">%.0f</text>`, plotLeft, y(v), plotWidth, plotLeft-6, y(v)+4, v)
	}
	step := float64(plotWidth-plotLeft-plotRight) / float64(len(months))
	wide := min(step*0.8, 48)
	last := -float64(labelApart)
	for i, m := range months {
		x := plotLeft + (float64(i)+0.5)*step
		base := 0.0
		for _, part := range []struct {
			class string
			n     int
		}{{"blocked", m.Blocked}, {"incomplete", m.Incomplete}, {"flagged", m.Flagged}} {
			v := perHundred(part.n, m.Changes)
			if v > 0 {
				fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s: %d of %d %s</title></rect>`,
					part.class, x-wide/2, y(base+v), wide, y(base)-y(base+v), m.Name, part.n, m.Changes, part.class)
			}
			base += v
		}
		if x-last >= labelApart {
			fmt.Fprintf(&b, `<text class="dim" x="%.1f" y="%d" text-anchor="middle">%s</text>`, x, plotBottom+18, m.Name)
			last = x
		}
	}
	b.WriteString(`</svg>`)
	return b.String()
}

func perHundred(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
