package main

import (
	"bytes"
	"fmt"
)

// The picture, in its own units.
const (
	side   = 320 // of the plot
	margin = 56
	groups = 5
)

const style = `<style>
.paper{fill:#fff}.ink{fill:#1f2328}.dim{fill:#59636e}.grid{stroke:#d1d9e0;stroke-width:1}.ideal{stroke:#59636e;stroke-dasharray:4 4}.dot{fill:#0550ae}
@media (prefers-color-scheme:dark){.paper{fill:#0d1117}.ink{fill:#f0f6fc}.dim{fill:#9198a1}.grid{stroke:#3d444d}.ideal{stroke:#9198a1}.dot{fill:#79c0ff}}
</style>
`

// plot draws how often samples are attacks against how likely the model finds that. A dot is a
// fifth of the range; its number is how many samples it stands for.
func plot(gs []guess) []byte {
	type bin struct{ n, attacks, sum float64 }
	var bins [groups]bin
	for _, g := range gs {
		at := &bins[min(int(g.likelihood*groups), groups-1)]
		at.n++
		at.sum += g.likelihood
		if g.attack {
			at.attacks++
		}
	}
	var b, words bytes.Buffer
	x := func(v float64) float64 { return margin + v*side }
	y := func(v float64) float64 { return margin + side - v*side }
	var dots bytes.Buffer
	for _, at := range bins {
		if at.n == 0 {
			continue
		}
		said, is := at.sum/at.n, at.attacks/at.n
		fmt.Fprintf(&words, "Likelihood %.2f: %.0f of %.0f are attacks. ", said, at.attacks, at.n)
		fmt.Fprintf(&dots, `<circle class="dot" cx="%.1f" cy="%.1f" r="5"/><text class="ink" x="%.1f" y="%.1f">%.0f</text>`+"\n", x(said), y(is), x(said)+9, y(is)+4, at.n)
	}
	const whole = side + 2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="evidence-title evidence-text" font-family="system-ui, sans-serif" font-size="12">
<title id="evidence-title">Reliability of the evidence</title>
<desc id="evidence-text">%s</desc>
%s<rect class="paper" width="%d" height="%d"/>
<text class="ink" x="%d" y="30" font-size="15" font-weight="600">Reliability on %s</text>
`, whole, whole, whole, whole, bytes.TrimSpace(words.Bytes()), style, whole, whole, margin, list(measured))
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/><text class="dim" x="%d" y="%.1f" text-anchor="end">%.2f</text><text class="dim" x="%.1f" y="%d" text-anchor="middle">%.2f</text>`+"\n",
			x(0), y(v), x(1), y(v), margin-8, y(v)+4, v, x(v), margin+side+18, v)
	}
	fmt.Fprintf(&b, `<line class="ideal" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", x(0), y(0), x(1), y(1))
	b.Write(dots.Bytes())
	fmt.Fprintf(&b, `<text class="ink" x="%d" y="%d" text-anchor="middle">Likelihood of the model</text>`+"\n", margin+side/2, margin+side+40)
	fmt.Fprintf(&b, `<text class="ink" x="16" y="%d" text-anchor="middle" transform="rotate(-90 16 %d)">Share that are attacks</text>`+"\n</svg>\n", margin+side/2, margin+side/2)
	return b.Bytes()
}
