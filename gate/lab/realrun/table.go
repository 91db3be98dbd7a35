package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/atomicfile"
)

// table is what was measured, kept as lines of JSON.
type table struct {
	dir  string
	rows []row
}

// openTable reads what earlier runs measured.
func openTable(dir string) (*table, error) {
	t := &table{dir: dir}
	text, err := os.ReadFile(t.lines())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", t.lines(), n, err)
		}
		t.rows = append(t.rows, r)
	}
	return t, lines.Err()
}

func (t *table) lines() string { return filepath.Join(t.dir, "table.jsonl") }

func (t *table) has(project, commit string) bool {
	return slices.ContainsFunc(t.rows, func(r row) bool { return r.Project == project && r.Commit == commit })
}

// add keeps a row at once.
func (t *table) add(r row) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(t.lines(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	t.rows = append(t.rows, r)
	return err
}

// write writes the table for people.
func (t *table) write() error {
	return atomicfile.Write(filepath.Join(t.dir, "table.md"), []byte(markdown(t.rows)))
}

// markdown is the table, and below it what was missed and did not run.
func markdown(rows []row) string {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a.Project, b.Project) })
	var out, causes strings.Builder
	out.WriteString("| Project | Commit | Changes | Lines with code | Ran | Of added lines, here | Plainly | Cold s | Push s | Cold, CPU s | Push, CPU s | Plainly s | Verdict |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	var sum row
	for _, r := range rows {
		plain, here := fmt.Sprint(r.Plain), fmt.Sprintf("%d of %d", r.Here, r.PlainOf)
		if r.PlainTime == 0 {
			plain, here = "?", "?"
		}
		fmt.Fprintf(&out, "| %s | %.8s | %s | %d | %d | %s | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %s |\n", cell(r.Project), r.Commit, r.Kind, r.Executable, r.Executed, here, plain, r.Cold, r.Push, r.ColdCPU, r.PushCPU, r.PlainTime, r.Verdict)
		sum.Executable, sum.Executed, sum.Plain = sum.Executable+r.Executable, sum.Executed+r.Executed, sum.Plain+r.Plain
		sum.Here, sum.PlainOf = sum.Here+r.Here, sum.PlainOf+r.PlainOf
		for _, cause := range r.causes() {
			fmt.Fprintf(&causes, "- %s %.8s, %s\n", cell(r.Project), r.Commit, cell(cause))
		}
	}
	fmt.Fprintf(&out, "| all | %d | | %d | %d | %d of %d | %d | | | | | | |\n", len(rows), sum.Executable, sum.Executed, sum.Here, sum.PlainOf, sum.Plain)
	out.WriteString("\n" + perProject(rows))
	if causes.Len() > 0 {
		out.WriteString("\n" + causes.String())
	}
	return out.String()
}

// perProject is a table with one line for each project, of rows in the order of projects. What
// could not be scanned is not among its lines, and what the own tests could not tell of is not
// among theirs.
func perProject(rows []row) string {
	var out strings.Builder
	out.WriteString("| Project | Commits | Lines with code | Ran | Own tests run | Of these under gate | Cold s, median | Push s, median | Verdicts | Not scanned |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for len(rows) > 0 {
		name := rows[0].Project
		n := 0
		var sum row
		var cold, push []float64
		verdicts, failed := map[string]int{}, 0
		for ; n < len(rows) && rows[n].Project == name; n++ {
			r := rows[n]
			if r.Verdict == "" {
				failed++
				continue
			}
			verdicts[r.Verdict]++
			sum.Executable, sum.Executed = sum.Executable+r.Executable, sum.Executed+r.Executed
			cold = append(cold, r.Cold)
			if r.Push > 0 {
				push = append(push, r.Push)
			}
			if r.PlainTime > 0 {
				sum.Plain, sum.Here = sum.Plain+r.Plain, sum.Here+r.Plain-missedOf(r)
			}
		}
		var ended []string
		for _, v := range slices.Sorted(maps.Keys(verdicts)) {
			ended = append(ended, fmt.Sprintf("%d %s", verdicts[v], v))
		}
		fmt.Fprintf(&out, "| %s | %d | %d | %d | %d | %d | %s | %s | %s | %d |\n", cell(name), n, sum.Executable, sum.Executed, sum.Plain, sum.Here, median(cold), median(push), strings.Join(ended, ", "), failed)
		rows = rows[n:]
	}
	return out.String()
}

// missedOf is how many lines the project's own tests ran and gate did not.
func missedOf(r row) int {
	n := 0
	for _, m := range r.Missed { // path:1,2,3
		n += strings.Count(m[strings.LastIndexByte(m, ':')+1:], ",") + 1
	}
	return min(n, r.Plain)
}

// median is the one in the middle, of two the mean of both, "–" of none.
func median(seconds []float64) string {
	if len(seconds) == 0 {
		return "–"
	}
	slices.Sort(seconds)
	half := len(seconds) / 2
	return fmt.Sprintf("%.0f", (seconds[half]+seconds[(len(seconds)-1)/2])/2)
}

// causes are why something of a row is less than it could be.
func (r row) causes() []string {
	var out []string
	for what, lines := range map[string][]string{"missed": r.Missed, "did not run": r.Unrun, "incomplete": r.Incomplete, "found": r.Found} {
		for _, line := range lines {
			out = append(out, what+": "+line)
		}
	}
	for what, text := range map[string]string{"not measured plainly": r.PlainWhy, "error": r.Error} {
		if text != "" {
			out = append(out, what+": "+text)
		}
	}
	slices.Sort(out)
	return out
}

// cell is text without what Markdown or a terminal would take for its own.
func cell(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f:
			return ' '
		case strings.ContainsRune("|<>`[]*", r):
			return '.'
		}
		return r
	}, text)
}
