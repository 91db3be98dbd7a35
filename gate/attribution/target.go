package attribution

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
)

// Bounds of what is reported for one target.
const (
	maxEvidence     = 12
	maxEvidenceText = 200 // bytes
	// maxMarkers and maxMarkerText bound the search for comments in one file.
	maxMarkers    = 20
	maxMarkerText = 1 << 20 // bytes
)

func compare(a, b string) int { return cmp.Compare(a, b) }

func countLines(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// dossier collects what is known about one target.
type dossier struct {
	claims []claim
	doubts []string
	lines  []gate.LineRange // written by an AI
}

func (d *dossier) doubt(format string, args ...any) {
	d.doubts = append(d.doubts, fmt.Sprintf(format, args...))
}

// hear adds what is known of a commit.
func (d *dossier) hear(o opinion) {
	d.claims = append(d.claims, o.claims...)
	if o.doubt != "" {
		d.doubts = append(d.doubts, o.doubt)
	}
}

// of returns who wrote target i.
func (a *attributor) of(i int, t *gate.Target) gate.Attribution {
	d := &dossier{claims: slices.Clone(a.everywhere), doubts: slices.Clone(a.doubts)}
	f := -1
	if a.History != nil {
		f = a.blamed[i]
		a.commits(d, t)
	}
	for _, l := range slices.Concat(a.loose[t.Path], a.loose[t.OldPath]) {
		d.claims = append(d.claims, l.claim())
	}
	whole := len(d.claims) > 0
	var want []int
	switch {
	case f >= 0:
		want = a.files[f].want
		markers := inFile(a.files[f].text, want)
		whole = len(a.everywhere)+len(a.loose[t.Path])+len(a.loose[t.OldPath])+len(markers) > 0
		d.claims = append(d.claims, markers...)
		a.lineByLine(d, f)
	case a.History != nil && t.Exists() && t.Mode.IsRegular():
		d.doubt("the file could not be read")
	}
	if whole {
		d.lines = d.lines[:0]
		for _, l := range want {
			d.lines = append(d.lines, gate.LineRange{l + 1, l + 1})
		}
	}
	return d.attribution()
}

func (l lines) claim() claim {
	return claim{agent: l.agent, tier: TierRecord, source: "record", text: l.text}
}

// commits adds what the commits that touch a target say. It follows renames; a
// merge touches what differs from all its parents.
func (a *attributor) commits(d *dossier, t *gate.Target) {
	names := map[string]bool{t.Path: true}
	if t.OldPath != "" {
		names[t.OldPath] = true
	}
	touched := false
	for i, s := range a.History.Steps {
		if !touches(s, names) {
			continue
		}
		touched = true
		d.hear(a.opinions[i])
	}
	if !touched {
		d.doubt("no commit of the change has this: it is not committed, or its history is not here")
	}
}

// touches reports whether a commit changes one of the names, and adds the names
// that they had before.
func touches(s git.Step, names map[string]bool) bool {
	for _, differences := range s.Changes {
		found := false
		for _, d := range differences {
			if names[d.New.Path] || d.Status == git.Deleted && names[d.Old.Path] {
				found = true
				if d.Status == git.Renamed {
					names[d.Old.Path] = true
				}
			} else if d.Status == git.Renamed && names[d.Old.Path] {
				found = true // its old name went away
			}
		}
		if !found {
			return false
		}
	}
	return len(s.Changes) > 0
}

// lineByLine adds which lines of a file come from commits with marks, or are
// recorded.
func (a *attributor) lineByLine(d *dossier, f int) {
	uncommitted := 0
	seen := map[string]bool{}
	steps := map[int]bool{}
	for _, l := range a.files[f].want {
		o := a.origins[f][int32(l)]
		if o.step == uncertain {
			uncommitted++
			continue
		}
		if o.step == before {
			continue
		}
		if !steps[o.step] {
			steps[o.step] = true
			d.hear(a.opinions[o.step])
		}
		byAI := len(a.opinions[o.step].claims) > 0
		for _, r := range a.records[o.step][o.path] {
			if r.ranges != nil && !holds(r.ranges, o.line) {
				continue
			}
			byAI = true
			if !seen[r.text] {
				seen[r.text] = true
				c := r.claim()
				c.text = short(a.History.Steps[o.step].OID) + ": " + c.text
				d.claims = append(d.claims, c)
			}
		}
		if byAI {
			d.lines = append(d.lines, gate.LineRange{l + 1, l + 1})
		}
	}
	if uncommitted > 0 {
		d.doubt("%d lines are in no commit, or could not be followed to one", uncommitted)
	}
}

// inFile returns the claims of comments on changed lines.
func inFile(text []byte, want []int) []claim {
	text = text[:min(len(text), maxMarkerText)]
	var out []claim
	for _, s := range compiled()[PlaceFile] {
		for _, at := range s.re.FindAllIndex(text, maxMarkers) {
			// A match may begin with the line feeds before it.
			start := at[0] + len(text[at[0]:at[1]]) - len(bytes.TrimLeft(text[at[0]:at[1]], "\n\r\t "))
			line := bytes.Count(text[:start], []byte{'\n'})
			if _, changed := slices.BinarySearch(want, line); changed {
				found := bytes.TrimSpace(text[start:at[1]])
				out = append(out, s.claim("file", fmt.Sprintf("line %d: %s", line+1, found)))
			}
		}
	}
	return out
}

// attribution decides. A mark wins over everything, a doubt over silence.
func (d *dossier) attribution() gate.Attribution {
	out := gate.Attribution{Basis: "unmarked", Agents: []string{}, Evidence: []gate.Evidence{}, Lines: []gate.LineRange{}}
	switch {
	case len(d.claims) > 0:
		out.Basis, out.AI = "marked", true
		out.Lines = append(out.Lines, merge(d.lines)...)
	case len(d.doubts) > 0:
		out.Basis, out.AI = "unknown", true
	}
	slices.SortStableFunc(d.claims, func(x, y claim) int {
		return cmp.Or(cmp.Compare(x.tier, y.tier), compare(x.source, y.source), compare(x.text, y.text))
	})
	for _, c := range d.claims {
		if c.agent != "" {
			out.Agents = append(out.Agents, c.agent)
		}
		out.Confidence = max(out.Confidence, c.tier.confidence())
		out.Evidence = append(out.Evidence, gate.Evidence{Source: c.source, Text: gate.Clip(c.text, maxEvidenceText)})
	}
	slices.Sort(out.Agents)
	out.Agents = slices.Compact(out.Agents)
	if out.Basis == "unknown" {
		for _, doubt := range d.doubts {
			out.Evidence = append(out.Evidence, gate.Evidence{Source: "history", Text: gate.Clip(doubt, maxEvidenceText)})
		}
	}
	out.Evidence = bounded(out.Evidence)
	return out
}

// bounded drops repetitions and what is too much, and says how much that is.
func bounded(evidence []gate.Evidence) []gate.Evidence {
	out := []gate.Evidence{}
	for _, e := range evidence {
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
		if len(out) > 2000 {
			break
		}
	}
	if over := len(out) - maxEvidence; over > 0 {
		out = append(out[:maxEvidence:maxEvidence], gate.Evidence{Source: "history", Text: fmt.Sprintf("and %d more", over)})
	}
	return out
}
