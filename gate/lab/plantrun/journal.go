package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// row is what became of one attack.
type row struct {
	Attack      string       `json:"attack"`
	Language    string       `json:"language"`
	Project     string       `json:"project"`
	Planted     gate.Verdict `json:"planted"` // the verdict in the history
	Alone       gate.Verdict `json:"alone"`   // and in the empty repository
	TwinPlanted gate.Verdict `json:"twin_planted"`
	TwinAlone   gate.Verdict `json:"twin_alone"`
}

func (r row) milder() bool { return r.Planted < r.Alone }

// journal is the file of rows.
type journal struct {
	file *os.File
	rows []row
}

func openJournal(folder string) (*journal, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	name := filepath.Join(folder, "planted.jsonl")
	data, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	j := &journal{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil || r.Attack == "" {
			return nil, fmt.Errorf("%s:%d: want one attack as JSON (%w)", name, n, err)
		}
		j.rows = append(j.rows, r)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	j.file, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return j, err
}

func (j *journal) close() error { return j.file.Close() }

func (j *journal) has(r row) bool {
	return slices.ContainsFunc(j.rows, func(o row) bool { return o.Attack == r.Attack && o.Project == r.Project })
}

// alone gives a row the verdicts of the empty repository, where they are known.
func (j *journal) alone(r *row) {
	for _, o := range j.rows {
		if o.Attack == r.Attack {
			r.Alone, r.TwinAlone = o.Alone, o.TwinAlone
		}
	}
}

func (j *journal) add(r row) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	j.rows = append(j.rows, r)
	_, err = j.file.Write(append(line, '\n'))
	return err
}

func (j *journal) milder() (n int) {
	for _, r := range j.rows {
		n += one(r.milder())
	}
	return n
}

// markdown is the table of totals, and of the attacks with a milder verdict below it.
func markdown(rows []row) string {
	var b strings.Builder
	b.WriteString("| project | attacks | DANGEROUS | found | milder than alone | twins not SAFE, here and alone |\n|---|---|---|---|---|---|\n")
	projects := map[string][]row{}
	var names []string
	for _, r := range rows {
		if projects[r.Project] == nil {
			names = append(names, r.Project)
		}
		projects[r.Project] = append(projects[r.Project], r)
	}
	slices.Sort(names)
	for _, name := range names {
		total(&b, name, projects[name])
	}
	total(&b, "all", rows)
	alone := slices.Clone(rows)
	for i, r := range alone {
		alone[i].Planted, alone[i].TwinPlanted = r.Alone, r.TwinAlone
	}
	total(&b, "all, in an empty repository", alone)
	b.WriteString("\n| milder in | attack | there | alone |\n|---|---|---|---|\n")
	for _, r := range rows {
		if r.milder() {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Project, r.Attack, r.Planted, r.Alone)
		}
	}
	return b.String()
}

func total(b *strings.Builder, name string, rows []row) {
	var dangerous, found, milder, twins, twinsAlone int
	for _, r := range rows {
		dangerous += one(r.Planted == gate.Dangerous)
		found += one(r.Planted != gate.Safe)
		milder += one(r.milder())
		twins += one(r.TwinPlanted != gate.Safe)
		twinsAlone += one(r.TwinAlone != gate.Safe)
	}
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d, %d |\n", name, len(rows), dangerous, found, milder, twins, twinsAlone)
}

func one(holds bool) int {
	if holds {
		return 1
	}
	return 0
}
