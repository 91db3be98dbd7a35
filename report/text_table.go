package report

import (
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
)

// table writes file × (static | judge | sandbox | verdict, risk), worst first.
func (t *text) table() {
	if len(t.rows) == 0 {
		return
	}
	rows, rest := t.rows, unlisted{}
	if !t.opts.Verbose {
		rows, rest = t.listed(textSafeRows)
	}
	t.line("")
	more := len(rows) - textRows
	if more > 0 && !t.opts.Verbose {
		rows = rows[:textRows]
	}
	if len(rows) > 0 {
		t.grid(rows)
	}
	if more > 0 && !t.opts.Verbose {
		t.line("  %s", t.sgr.dim(plural(more, "more file")+" below, less bad than these (--verbose lists them)"))
	}
	for _, s := range rest.sentences() {
		t.line("  %s", t.sgr.dim(s+" (--verbose lists them)"))
	}
}

// grid aligns the rows; the paths get what the other columns leave.
func (t *text) grid(rows []row) {
	head := []cell{{text: "file"}}
	for _, l := range gate.Layers() {
		head = append(head, cell{text: string(l)})
	}
	head = append(head, cell{text: "verdict"}, cell{text: "risk"})

	table := make([][]cell, len(rows))
	widths := make([]int, len(head))
	for i, c := range head {
		widths[i] = columns(c.text)
	}
	for i, r := range rows {
		table[i] = append(table[i], cell{text: visible(r.file.Path)})
		for _, c := range r.layers {
			if s := ranShort(r.file.Execution); s != "" && strings.HasSuffix(c.text, ", "+s) {
				c.text = strings.TrimSuffix(c.text, s) + ranNarrow(r.file.Execution)
			}
			table[i] = append(table[i], c)
		}
		table[i] = append(table[i], r.verdict, cell{text: fmt.Sprintf("%4d", r.file.RiskScore)})
		for j, c := range table[i] {
			widths[j] = max(widths[j], columns(c.text))
		}
	}
	rest := 2
	for _, w := range widths[1:] {
		rest += w + 2
	}
	widths[0] = min(widths[0], max(t.opts.Width-rest, 16))

	t.gridLine(head, widths, func(_ cell, s string) string { return t.sgr.dim(s) })
	for i, cells := range table {
		cells[0].text = shortened(cells[0].text, widths[0])
		t.gridLine(cells, widths, func(c cell, s string) string { return t.sgr.tone(c.tone, s) })
		if s := rows[i].story.Summary; len(s) > 0 && !rows[i].story.Told {
			t.painted("    ", "    ", s.Shown(visible, visible), t.sgr.toner(rows[i].verdict.tone))
		}
	}
}

func (t *text) gridLine(cells []cell, widths []int, paint func(cell, string) string) {
	var b strings.Builder
	for i, c := range cells {
		b.WriteString("  " + paint(c, c.text))
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", max(widths[i]-columns(c.text), 0)))
		}
	}
	t.line("%s", b.String())
}

// executions writes what ran in containers and what it was seen to do.
func (t *text) executions() {
	runs, left := t.telling()
	if t.opts.Verbose {
		runs, left = t.runs, 0
	}
	if len(runs) > 0 {
		t.section("What ran in the container")
	}
	for _, r := range runs {
		e := r.exec
		t.paragraph("  ", "    ", fileList(r.files))
		if len(e.Units) == 0 || e.Reason != "" {
			status := executionCell(e)
			s := status.text
			if e.Reason != "" {
				s += ": " + visible(e.Reason)
			}
			t.painted("    ", "      ", s, t.sgr.toner(status.tone))
		}
		printed := map[string]bool{}
		for _, u := range e.Units {
			t.unit(u, printed)
		}
		did, caches := e.Behaviour, ""
		if !t.opts.Verbose {
			did, caches = withoutCaches(did)
		}
		for i, b := range did {
			if i == textBehaviour && !t.opts.Verbose {
				t.more("    ", len(did)-i, "thing")
				break
			}
			t.paragraph("    did ", "        ", behaviour(b))
		}
		if caches != "" {
			t.line("    %s", t.sgr.dim("... "+caches+" (--verbose lists them)"))
		}
		for _, c := range r.coverage(visible) {
			t.paragraph("    ", "      ", c)
		}
		if len(e.StandIns) > 0 {
			t.paragraph("    ", "      ", "stand-ins for what was missing: "+visible(strings.Join(e.StandIns, ", ")))
		}
		if where := environment(e); where != "" {
			t.painted("    ", "      ", where, t.sgr.dim)
		}
	}
	if left > 0 {
		t.line("")
		t.line("%s", t.sgr.dim(plural(left, "run")+" of files without findings not shown (--verbose shows what they did)"))
	}
}

// unit writes one run. printed is what the runs before it printed: no one reads it twice.
func (t *text) unit(u gate.Unit, printed map[string]bool) {
	status := unitCell(u)
	t.paragraph("    $ ", "      ", visible(strings.Join(u.Command, " ")))
	s := status.text + ", " + milliseconds(u.DurationMS) + ", " + visible(u.Kind) + cachedWord(u.Cached)
	if u.Reason != "" {
		s += ": " + visible(u.Reason)
	}
	t.painted("      ", "        ", s, t.sgr.toner(status.tone))
	both := u.Stdout.Text + "\x00" + u.Stderr.Text
	if printed[both] && len(both) > 1 && !t.opts.Verbose {
		t.line("      %s", t.sgr.dim("... printed the same as a run above (--verbose shows it)"))
		return
	}
	printed[both] = true
	t.output("out", u.Stdout)
	t.output("err", u.Stderr)
}

func (s sgr) toner(of tone) func(string) string {
	return func(text string) string { return s.tone(of, text) }
}

func (t *text) output(name string, o gate.Output) {
	shown, more := visibleLines(o.Text, textOutputLines)
	for _, l := range shown {
		t.paragraph("      "+name+" | ", "          |   ", l)
	}
	if more > 0 || o.Truncated {
		t.line("      %s", t.sgr.dim("... "+outputRest(more, o)))
	}
}
