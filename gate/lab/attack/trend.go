package attack

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
)

// The picture of a trend, in its own units. The last nights are shown.
const (
	trendNights = 90
	trendWidth  = 760
	plotLeft    = 60
	plotRight   = 744
	shareTop    = 72 // of the plot with shares
	shareBottom = 232
	countTop    = 276 // of the plot with counts
	countBottom = 346
	trendHeight = 410
)

// point is one night of the picture. Of several runtimes it shows the worst.
type point struct {
	caught, contained       float64 // 0..1, below 0 where nothing was asked
	missed, loose, mistaken int
	decision                gate.Decision
	day                     string
}

// Trend draws a history as one self-contained SVG. What it says in colour, shapes
// and words say too, and its description holds the last night in words.
func Trend(nights []Night) []byte {
	nights = nights[max(0, len(nights)-trendNights):]
	points := make([]point, len(nights))
	for i, n := range nights {
		points[i] = pointOf(n)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="gate-trend-title gate-trend-text" font-family="system-ui, sans-serif" font-size="12">
<title id="gate-trend-title">gate attack, night by night</title>
<desc id="gate-trend-text">%s</desc>
%s<rect class="paper" width="%d" height="%d"/>
<text class="ink" x="16" y="26" font-size="16" font-weight="600">gate attack, night by night</text>
`, trendWidth, trendHeight, trendWidth, trendHeight, inWords(points), trendStyle, trendWidth, trendHeight)
	legend(&b)
	axes(&b, points)
	line(&b, points, "caught", func(p point) float64 { return p.caught })
	line(&b, points, "contained", func(p point) float64 { return p.contained })
	bars(&b, points)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

const trendStyle = `<style>
.paper{fill:#fff}.ink{fill:#1f2328}.dim{fill:#59636e}.grid{stroke:#d1d9e0;stroke-width:1}
.caught{stroke:#0550ae;fill:none;stroke-width:2}.contained{stroke:#116329;fill:none;stroke-width:2;stroke-dasharray:6 3}
.caught-dot{fill:#0550ae}.contained-dot{fill:#116329}.missed{fill:#bc4c00}.loose{fill:#a40e26}.mistaken{fill:#8250df}.bad{fill:#a40e26}
@media (prefers-color-scheme:dark){.paper{fill:#0d1117}.ink{fill:#f0f6fc}.dim{fill:#9198a1}.grid{stroke:#3d444d}
.caught{stroke:#79c0ff}.contained{stroke:#7ee787}.caught-dot{fill:#79c0ff}.contained-dot{fill:#7ee787}.missed{fill:#f0883e}.loose,.bad{fill:#ff7b72}.mistaken{fill:#d2a8ff}}
</style>
`

func pointOf(n Night) point {
	p := point{caught: -1, contained: -1, missed: len(n.Missed), loose: len(n.Uncontained), decision: n.Decision, day: n.Date.Format("2006-01-02")}
	worst := func(have *float64, part, whole int) {
		if share := float64(part) / float64(max(whole, 1)); whole > 0 && (*have < 0 || share < *have) {
			*have = share
		}
	}
	for _, r := range n.Runs {
		worst(&p.caught, r.Caught, r.Expected)
		if r.Runtime != "" {
			worst(&p.contained, r.Contained, r.Executable)
		}
		p.mistaken = max(p.mistaken, r.FalsePositives)
	}
	return p
}

// inWords is the text for readers who do not see the picture.
func inWords(points []point) string {
	if len(points) == 0 {
		return "There is no night yet."
	}
	last := points[len(points)-1]
	bad := 0
	for _, p := range points {
		if p.decision != gate.DecisionPass {
			bad++
		}
	}
	return fmt.Sprintf("%d nights, %s to %s; %d of them did not pass. The last one: %s; caught %s, contained %s, missed %d, not contained %d, benign twins called dangerous %d.",
		len(points), points[0].day, last.day, bad, last.decision, percent(last.caught), percent(last.contained), last.missed, last.loose, last.mistaken)
}

func percent(share float64) string {
	if share < 0 {
		return "not asked"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*share), ".0") + " %"
}

func legend(b *bytes.Buffer) {
	fmt.Fprintf(b, `<g class="ink"><path class="caught" d="M16 48h22"/><circle class="caught-dot" cx="27" cy="48" r="3"/><text x="44" y="52">caught</text>
<path class="contained" d="M104 48h22"/><rect class="contained-dot" x="112" y="45" width="6" height="6"/><text x="132" y="52">contained</text>
<path class="bad" d="M208 53l5-9 5 9z"/><text x="224" y="52">the night did not pass</text>
<rect class="missed" x="16" y="%[2]d" width="10" height="10"/><text x="31" y="%[1]d">missed</text><rect class="loose" x="90" y="%[2]d" width="10" height="10"/><text x="105" y="%[1]d">not contained</text><rect class="mistaken" x="206" y="%[2]d" width="10" height="10"/><text x="221" y="%[1]d">twins called dangerous</text></g>
`, countTop-14, countTop-23)
}

// nightX is the x coordinate of a night.
func nightX(i, n int) float64 {
	if n < 2 {
		return (plotLeft + plotRight) / 2
	}
	return plotLeft + 10 + float64(i)*float64(plotRight-plotLeft-20)/float64(n-1)
}

func axes(b *bytes.Buffer, points []point) {
	for _, share := range []float64{0, 0.5, 0.9, 1} {
		y := shareY(share)
		fmt.Fprintf(b, `<path class="grid" d="M%d %.1fH%d"/><text class="dim" x="%d" y="%.1f" text-anchor="end">%.0f %%</text>`+"\n", plotLeft, y, plotRight, plotLeft-6, y+4, 100*share)
	}
	fmt.Fprintf(b, `<path class="grid" d="M%d %dH%d"/><text class="dim" x="%d" y="%d" text-anchor="end">0</text>`+"\n", plotLeft, countBottom, plotRight, plotLeft-6, countBottom+4)
	fmt.Fprintf(b, `<text class="dim" x="%d" y="%d" text-anchor="end">%d</text>`+"\n", plotLeft-6, countTop+8, most(points))
	const apart = 100 // of dates
	last := -1.0 * apart
	for i, p := range points {
		x := nightX(i, len(points))
		if p.decision != gate.DecisionPass {
			fmt.Fprintf(b, `<path class="bad" d="M%.1f %dl5-9 5 9z"><title>%s: %s</title></path>`+"\n", x-5, shareBottom+12, p.day, p.decision)
		}
		if x = min(max(x, plotLeft+20), plotRight-32); x-last >= apart {
			fmt.Fprintf(b, `<text class="dim" x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x, countBottom+20, p.day)
			last = x
		}
	}
	fmt.Fprintf(b, `<text class="dim" x="16" y="%d">Of several runtimes, the worst. Shares: of the attacks that a layer has to catch, and of those with something to run.</text>`+"\n", trendHeight-16)
}

// shareY stretches what is near to all, where the difference matters: the upper
// half is 90 to 100 %.
func shareY(share float64) float64 {
	height := float64(shareBottom - shareTop)
	if share < 0.9 {
		return shareBottom - share/0.9*height/2
	}
	return shareTop + (1-share)/0.1*height/2
}

func line(b *bytes.Buffer, points []point, class string, of func(point) float64) {
	path, dots := "", ""
	for i, p := range points {
		share := of(p)
		if share < 0 {
			continue
		}
		x, y := nightX(i, len(points)), shareY(share)
		path += fmt.Sprintf("%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[path == ""], x, y)
		text := fmt.Sprintf("<title>%s: %s %s</title>", p.day, class, percent(share))
		if class == "caught" {
			dots += fmt.Sprintf(`<circle class="caught-dot" cx="%.1f" cy="%.1f" r="3">%s</circle>`, x, y, text)
		} else {
			dots += fmt.Sprintf(`<rect class="contained-dot" x="%.1f" y="%.1f" width="6" height="6">%s</rect>`, x-3, y-3, text)
		}
	}
	if path != "" {
		fmt.Fprintf(b, "<path class=\"%s\" d=\"%s\"/>\n%s\n", class, path, dots)
	}
}

// most is the top of the counts.
func most(points []point) int {
	n := 1
	for _, p := range points {
		n = max(n, p.missed, p.loose, p.mistaken)
	}
	return n
}

// bars draws the three counts of a night side by side.
func bars(b *bytes.Buffer, points []point) {
	top := most(points)
	width := min(12, max(1.5, float64(plotRight-plotLeft-20)/float64(max(len(points), 1))/4))
	for i, p := range points {
		for j, bar := range []struct {
			class string
			n     int
			says  string
		}{{"missed", p.missed, "missed"}, {"loose", p.loose, "not contained"}, {"mistaken", p.mistaken, "twins called dangerous"}} {
			if bar.n == 0 {
				continue
			}
			height := float64(countBottom-countTop) * float64(bar.n) / float64(top)
			fmt.Fprintf(b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s: %s %d</title></rect>`+"\n",
				bar.class, nightX(i, len(points))+(float64(j)-1.5)*width, countBottom-height, width, height, p.day, bar.says, bar.n)
		}
	}
}
