package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/story"
)

// renderLines writes one line for each harm, as compilers do: FILE:LINE:COLUMN: KIND:
// MESSAGE [RULE]. Editors and CI systems that read compilers read it as it is.
func renderLines(w io.Writer, r gate.Result, _ Options) error {
	var b strings.Builder
	parents := map[string]string{}
	for _, f := range r.Files {
		parents[f.Path] = f.Parent
	}
	for i := range r.Files {
		f := &r.Files[i]
		at := f.Path
		for range len(r.Files) { // no chain is longer
			if parents[at] == "" {
				break
			}
			at = parents[at]
		}
		for _, h := range story.Harms(f.Findings) {
			b.WriteString(harmLine(at, f, h))
		}
	}
	for _, g := range r.Incomplete {
		says := "not looked at by " + string(g.Layer) + ": " + visible(g.Reason)
		if g.Path == "" {
			fmt.Fprintf(&b, "gate: warning: %s\n", says)
			continue
		}
		fmt.Fprintf(&b, "%s:1:1: warning: %s [incomplete]\n", visible(g.Path), says)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "%s:1:1: note: left out: %s [skipped]\n", visible(s.Path), visible(s.Reason))
	}
	fmt.Fprintf(&b, "gate: %s\n", visible(Headline(r)))
	_, err := io.WriteString(w, b.String())
	return err
}

// harmLine is one harm; rules that say the same are named behind it. at is the file in which
// it can be opened: that from which a decoded text came, whose lines are others.
func harmLine(at string, f *gate.FileResult, h story.Harm) string {
	lead := f.Findings[h.Lead]
	line := max(lead.Line, 1)
	if at != f.Path {
		line = 1
	}
	kind := "note"
	if lead.Decides() {
		switch story.Weight(lead) {
		case gate.SeverityNote:
		case gate.SeveritySuspicious:
			kind = "warning"
		default:
			kind = "error"
		}
	}
	s := fmt.Sprintf("%s:%d:1: %s: %s", visible(at), line, kind, visible(story.Says(f.Findings, h).String()))
	for _, r := range remarks(lead) {
		s += "; " + r.shown(visible)
	}
	var also []string
	for _, i := range h.All() {
		if rule := visible(f.Findings[i].Rule); i != h.Lead && f.Findings[i].Rule != lead.Rule && !slices.Contains(also, rule) {
			also = append(also, rule)
		}
	}
	if len(also) > 0 {
		s += "; also " + strings.Join(also, ", ")
	}
	return s + " [" + visible(lead.Rule) + "]\n"
}
