package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/aigate/gate/gate"
)

// origin says what a row was measured on, and with what: digests as SHA-256 in hexadecimal.
type origin struct {
	Set    string `json:"set"`
	Gate   string `json:"gate"`
	Layers string `json:"asked"` // as in the option -layers
}

// row is what gate says about one sample.
type row struct {
	Sample
	origin
	Verdict gate.Verdict            `json:"verdict"`
	Layers  map[string]gate.Verdict `json:"layers"` // of the findings of each layer by themselves
	Rules   []string                `json:"rules"`  // "layer:rule severity", what decides
	Gaps    []string                `json:"gaps,omitempty"`
}

// at reports whether what was found is at least as bad as v. A gap is no finding: what is only
// INCOMPLETE was not found.
func (r row) at(v gate.Verdict) bool {
	for _, l := range r.Layers {
		if l >= v {
			return true
		}
	}
	return r.Verdict >= v && r.Verdict != gate.Incomplete
}

// journal is the file of rows.
type journal struct {
	file *os.File
	rows []row
}

func openJournal(folder string, of origin) (*journal, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	name := filepath.Join(folder, "samples.jsonl")
	data, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	j := &journal{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil || r.ID == "" {
			return nil, fmt.Errorf("%s:%d: want one sample as JSON (%w)", name, n, err)
		}
		if r.origin != of {
			return nil, fmt.Errorf("%s:%d is a result of another set, another gate or other layers; use another -out", name, n)
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

func (j *journal) has(id string) bool {
	return slices.ContainsFunc(j.rows, func(o row) bool { return o.ID == id })
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
