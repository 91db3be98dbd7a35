package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// cell counts the payloads of one carrier under one disguise.
type cell struct {
	Tried      int `json:"tried"`
	Caught     int `json:"caught"`      // DANGEROUS, or noticed where gate cannot read it
	Noticed    int `json:"noticed"`     // SUSPICIOUS or INCOMPLETE where it should be DANGEROUS
	Safe       int `json:"safe"`        // missed
	TwinAlarms int `json:"twin_alarms"` // benign twins that are not SAFE
}

func (c *cell) add(o outcome) {
	if !o.applies {
		return
	}
	c.Tried++
	switch {
	case o.caught():
		c.Caught++
	case o.noticed():
		c.Noticed++
	default:
		c.Safe++
	}
	if o.twin != gate.Safe {
		c.TwinAlarms++
	}
}

// text is a cell as the tables show it.
func (c cell) text() string {
	switch {
	case c.Tried == 0:
		return "·"
	case c.Caught == c.Tried:
		return fmt.Sprint(c.Caught)
	default:
		return fmt.Sprintf("%d/%d/%d", c.Caught, c.Noticed, c.Safe)
	}
}

// failure is a combination that is not what it has to be.
type failure struct {
	Name    string   `json:"name"`
	Path    string   `json:"path"`
	Verdict string   `json:"verdict"`
	Rules   []string `json:"rules"`
	Hole    string   `json:"hole,omitempty"` // why it is known
	Command string   `json:"command"`
}

type matrixRow struct {
	Carrier string `json:"carrier"`
	Path    string `json:"path"`
	Runs    string `json:"runs"`
	Cells   []cell `json:"cells"` // in the order of the disguises
	Sum     cell   `json:"sum"`
}

type matrixColumn struct {
	Disguise string `json:"disguise"`
	About    string `json:"about"`
	Sum      cell   `json:"sum"`
}

// matrix is the report.
type matrix struct {
	Columns    []matrixColumn `json:"disguises"`
	Rows       []matrixRow    `json:"carriers"`
	Sum        cell           `json:"sum"`
	OrdinaryOf int            `json:"ordinary_twins"`      // twins that an honest change could look like
	OrdinaryOK int            `json:"ordinary_twins_safe"` // of them, those that are SAFE
	OddOf      int            `json:"odd_twins"`           // twins in a disguise that no honest change has
	OddOK      int            `json:"odd_twins_safe"`      // of them, those that are SAFE
	Known      int            `json:"known_holes"`         // failures that the list of holes has
	Missed     []failure      `json:"missed"`              // SAFE
	Weak       []failure      `json:"weak"`                // noticed only
	Alarms     []failure      `json:"false_alarms"`        // ordinary twins that are not SAFE
	Stale      []string       `json:"stale_holes"`         // holes that no combination needs any more
}

// newMatrix counts outcomes. Rows and columns are those that occur.
func newMatrix(outcomes []outcome, holes []hole) matrix {
	m := matrix{Missed: []failure{}, Weak: []failure{}, Alarms: []failure{}, Stale: []string{}}
	rows, columns := map[string]int{}, map[string]int{}
	for _, o := range outcomes {
		if _, ok := columns[o.disguise.name]; !ok {
			columns[o.disguise.name] = len(m.Columns)
			m.Columns = append(m.Columns, matrixColumn{Disguise: o.disguise.name, About: o.disguise.about})
		}
	}
	needed := make([]bool, len(holes))
	for _, o := range outcomes {
		if _, ok := rows[o.carrier.name]; !ok {
			rows[o.carrier.name] = len(m.Rows)
			m.Rows = append(m.Rows, matrixRow{Carrier: o.carrier.name, Path: o.carrier.path, Runs: o.carrier.runs, Cells: make([]cell, len(m.Columns))})
		}
		row, column := &m.Rows[rows[o.carrier.name]], columns[o.disguise.name]
		for _, c := range []*cell{&row.Cells[column], &row.Sum, &m.Columns[column].Sum, &m.Sum} {
			c.add(o)
		}
		m.list(o, holes, needed)
	}
	for i, h := range holes {
		if !needed[i] {
			m.Stale = append(m.Stale, h.reason)
		}
	}
	return m
}

func (m *matrix) list(o outcome, holes []hole, needed []bool) {
	if !o.applies {
		return
	}
	f := failure{Name: o.name(), Path: o.carrier.path, Verdict: o.evil.String(), Rules: o.rules, Command: "go run ./gate/lab/carriers -only " + o.name() + " -write DIR"}
	if !o.caught() {
		if i := slices.IndexFunc(holes, func(h hole) bool { return h.matches(o.combination) }); i >= 0 {
			f.Hole, needed[i] = holes[i].reason, true
			m.Known++
		}
	}
	switch {
	case o.caught():
	case o.noticed():
		m.Weak = append(m.Weak, f)
	default:
		m.Missed = append(m.Missed, f)
	}
	switch quiet := o.twin == gate.Safe; {
	case o.odd() != "":
		m.OddOf++
		if quiet {
			m.OddOK++
		}
	default:
		m.OrdinaryOf++
		if quiet {
			m.OrdinaryOK++
			return
		}
		f.Verdict, f.Rules, f.Hole, f.Command = o.twin.String(), o.alarms, "", f.Command+" -twin"
		m.Alarms = append(m.Alarms, f)
	}
}

// unknown are the failures of a list that no hole explains.
func unknown(list []failure) []failure {
	return slices.DeleteFunc(slices.Clone(list), func(f failure) bool { return f.Hole != "" })
}

// headline is the report in one line.
func (m *matrix) headline() string {
	return fmt.Sprintf("%d combinations of %d carriers and %d disguises: %d caught, %d noticed only, %d SAFE (%d known); benign twins SAFE: %d of %d ordinary (%.2f %%), %d of %d odd",
		m.Sum.Tried, len(m.Rows), len(m.Columns), m.Sum.Caught, m.Sum.Noticed, m.Sum.Safe, m.Known,
		m.OrdinaryOK, m.OrdinaryOf, percent(m.OrdinaryOK, m.OrdinaryOf), m.OddOK, m.OddOf)
}

func percent(n, of int) float64 {
	if of == 0 {
		return 100
	}
	return 100 * float64(n) / float64(of)
}

// writeJSON writes all of it.
func writeJSON(w io.Writer, m matrix) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(m)
}

// writeText writes the sums and the failures: the matrix is too wide for a terminal.
func writeText(w io.Writer, m matrix) error {
	var b strings.Builder
	fmt.Fprintln(&b, m.headline())
	fmt.Fprintf(&b, "\n%-24s %6s %6s %7s %5s %6s\n", "disguise", "tried", "caught", "noticed", "SAFE", "twins")
	for _, c := range m.Columns {
		fmt.Fprintf(&b, "%-24s %6d %6d %7d %5d %6d\n", c.Disguise, c.Sum.Tried, c.Sum.Caught, c.Sum.Noticed, c.Sum.Safe, c.Sum.TwinAlarms)
	}
	fmt.Fprintf(&b, "\n%-24s %6s %6s %7s %5s %6s\n", "carrier", "tried", "caught", "noticed", "SAFE", "twins")
	for _, r := range m.Rows {
		fmt.Fprintf(&b, "%-24s %6d %6d %7d %5d %6d\n", r.Carrier, r.Sum.Tried, r.Sum.Caught, r.Sum.Noticed, r.Sum.Safe, r.Sum.TwinAlarms)
	}
	for _, l := range m.lists() {
		fmt.Fprintf(&b, "\n%s (%d)\n", l.title, len(l.items))
		for _, f := range l.items {
			fmt.Fprintf(&b, "  %-50s %-10s %s\n", f.Name, f.Verdict, strings.Join(f.Rules, ", "))
			if f.Hole != "" {
				fmt.Fprintf(&b, "    known: %s\n", f.Hole)
			}
		}
		if len(l.items) > 0 {
			fmt.Fprintf(&b, "  reproduce: %s\n", l.items[0].Command)
		}
	}
	for _, s := range m.Stale {
		fmt.Fprintf(&b, "\nno combination needs the hole %q any more: remove it\n", s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type titled struct {
	title string
	items []failure
}

func (m *matrix) lists() []titled {
	return []titled{{"SAFE, and must not be", m.Missed}, {"noticed, and must be DANGEROUS", m.Weak}, {"false alarms", m.Alarms}}
}

// writeMarkdown writes the matrix cell by cell.
func writeMarkdown(w io.Writer, m matrix) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Carriers × disguises\n\n%s.\n\n", m.headline())
	b.WriteString("A cell is the number of payloads that were caught, or caught/noticed/SAFE where not all were; · does not apply.\n\n| |")
	for _, c := range m.Columns {
		fmt.Fprintf(&b, " %s |", c.Disguise)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(m.Columns)) + "\n")
	for _, r := range m.Rows {
		fmt.Fprintf(&b, "| %s |", r.Carrier)
		for _, c := range r.Cells {
			fmt.Fprintf(&b, " %s |", c.text())
		}
		b.WriteString("\n")
	}
	for _, l := range m.lists() {
		if len(l.items) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| combination | verdict | rules | known |\n|---|---|---|---|\n", l.title)
		for _, f := range l.items {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Verdict, strings.ReplaceAll(strings.Join(f.Rules, ", "), "|", `\|`), f.Hole)
		}
		fmt.Fprintf(&b, "\nReproduce one: `%s`\n", l.items[0].Command)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
