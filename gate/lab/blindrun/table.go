package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/eval"
)

// markdown is the page of results: the totals, and the samples that they come from.
func markdown(of origin, samples int, rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Set `%s`, gate `%s`, layers %s: %d of %d samples.\n\n", of.Set, short(of.Gate), of.Layers, len(rows), samples)
	b.WriteString("| | Detected | Detected as dangerous | False positives | False positives as dangerous | Incomplete |\n|---|---|---|---|---|---|\n")
	line(&b, "**All**", rows)
	for _, group := range grouped(rows, func(r row) string { return r.Language }) {
		line(&b, group.name, group.rows)
	}
	for _, group := range grouped(rows, func(r row) string { return "Difficulty: " + r.Difficulty }) {
		line(&b, group.name, group.rows)
	}
	if strings.Contains(of.Layers, ",") {
		for layer := range strings.SplitSeq(of.Layers, ",") {
			line(&b, "Layer: "+layer+" alone", alone(rows, layer))
		}
	}
	list(&b, "Missed", rows, func(r row) bool { return r.Label != benign && !r.at(gate.Suspicious) })
	list(&b, "Found, and not as dangerous", rows, func(r row) bool {
		return r.Label != benign && r.at(gate.Suspicious) && !r.at(gate.Dangerous)
	})
	list(&b, "False positives", rows, func(r row) bool { return r.Label == benign && r.at(gate.Suspicious) })
	list(&b, "Incomplete", rows, func(r row) bool { return r.Verdict == gate.Incomplete })
	return b.String()
}

func short(digest string) string { return digest[:min(len(digest), 12)] }

// group are the rows that have something in common.
type group struct {
	name string
	rows []row
}

// grouped sorts rows into groups, in the order of their names.
func grouped(rows []row, by func(row) string) (groups []group) {
	for _, r := range rows {
		name := by(r)
		i := slices.IndexFunc(groups, func(g group) bool { return g.name == name })
		if i < 0 {
			i, groups = len(groups), append(groups, group{name: name})
		}
		groups[i].rows = append(groups[i].rows, r)
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Compare(a.name, b.name) })
	return groups
}

// alone are the rows as they would be if one layer had looked.
func alone(rows []row, layer string) []row {
	rows = slices.Clone(rows)
	for i, r := range rows {
		rows[i].Verdict = r.Layers[layer]
		rows[i].Layers = map[string]gate.Verdict{layer: r.Layers[layer]}
	}
	return rows
}

// line is one line of the table of totals.
func line(b *strings.Builder, name string, rows []row) {
	var bad, good []row
	incomplete := 0
	for _, r := range rows {
		if r.Label == benign {
			good = append(good, r)
		} else {
			bad = append(bad, r)
		}
		if r.Verdict == gate.Incomplete {
			incomplete++
		}
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %d |\n", name,
		share(bad, gate.Suspicious), share(bad, gate.Dangerous), share(good, gate.Suspicious), share(good, gate.Dangerous), incomplete)
}

// share says how many rows are at least as bad as v, with the 95 % interval of the share.
func share(rows []row, v gate.Verdict) string {
	n := 0
	for _, r := range rows {
		if r.at(v) {
			n++
		}
	}
	s := eval.ShareOf(n, len(rows))
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d, %.0f %% [%.0f–%.0f]", s.Count, s.Of, percent(s.Value), percent(s.Low), percent(s.High))
}

func percent(share float64) float64 { return math.Round(100 * share) }

// list is a table of the samples for which something holds; nothing where it holds for none.
func list(b *strings.Builder, title string, rows []row, holds func(row) bool) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !holds(r) })
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n\n| Sample | Language | Difficulty | Verdict | File | Technique | Rules |\n|---|---|---|---|---|---|---|\n", title)
	for _, r := range rows {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", cell(r.ID), cell(r.Language), cell(r.Difficulty), r.Verdict, cell(r.File),
			cell(cmp.Or(r.Technique, r.CWE)), cell(strings.Join(append(slices.Clone(r.Rules), r.Gaps...), "; ")))
	}
}

// cell is text of others as one cell of a table.
func cell(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("|", "¦", "<", "‹", "`", "'").Replace(text)), " ")
}
