package attack

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/aigate/gate/gate"
)

// MaxBaseline is the largest baseline that is read, in bytes.
const MaxBaseline = 4 << 20

// Baseline is what an earlier run came to, for the next ones to be no worse.
type Baseline struct {
	SchemaVersion int          `json:"schema_version"`
	Layers        []gate.Layer `json:"layers"`
	Attacks       []Known      `json:"attacks"` // in order of id, kind and runtime
}

// Known is one row of a baseline.
type Known struct {
	ID         string `json:"id"`
	Benign     bool   `json:"benign"`
	Runtime    string `json:"runtime"`
	Caught     bool   `json:"caught"` // of a twin: called dangerous
	Executed   bool   `json:"executed"`
	Contained  bool   `json:"contained"`
	Incomplete bool   `json:"incomplete"`
}

type rowKey struct {
	id      string
	benign  bool
	runtime string
}

func (k Known) key() rowKey { return rowKey{k.ID, k.Benign, k.Runtime} }

// known is a row as a baseline has it.
func (r *Row) known() Known {
	k := Known{ID: r.ID, Benign: r.Benign, Runtime: r.Runtime, Caught: r.Caught, Executed: r.Executed, Contained: r.Contained, Incomplete: len(r.Incomplete) > 0}
	if r.Benign {
		k.Caught = r.Verdict == gate.Dangerous
	}
	return k
}

// ParseBaseline reads a baseline strictly.
func ParseBaseline(name string, data []byte) (*Baseline, error) {
	if len(data) > MaxBaseline {
		return nil, fmt.Errorf("%s has more than %d bytes", name, MaxBaseline)
	}
	var b Baseline
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(&b)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more follows behind the document")
		}
	}
	line := 1 + bytes.Count(data[:min(int(dec.InputOffset()), len(data))], []byte("\n"))
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	if b.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("%s: schema_version is %d, this gate knows %d", name, b.SchemaVersion, SchemaVersion)
	}
	seen := map[rowKey]bool{}
	for _, k := range b.Attacks {
		if !idPattern.MatchString(k.ID) || k.Runtime != "" && !runtimePattern.MatchString(k.Runtime) {
			return nil, fmt.Errorf("%s: %q on %q is no attack on a runtime", name, gate.Clip(k.ID, maxTitle), gate.Clip(k.Runtime, maxTitle))
		}
		if seen[k.key()] {
			return nil, fmt.Errorf("%s: %s is there twice", name, k.ID)
		}
		seen[k.key()] = true
	}
	for _, l := range b.Layers {
		if !slices.Contains(gate.Layers(), l) {
			return nil, fmt.Errorf("%s: %q is not a layer", name, gate.Clip(string(l), maxTitle))
		}
	}
	return &b, nil
}

// Encode writes a baseline, one attack a line so that a diff of it can be read.
func (b *Baseline) Encode() ([]byte, error) {
	rows := slices.Clone(b.Attacks)
	slices.SortFunc(rows, func(x, y Known) int {
		return cmp.Or(cmp.Compare(x.ID, y.ID), cmp.Compare(fmt.Sprint(x.Benign), fmt.Sprint(y.Benign)), cmp.Compare(x.Runtime, y.Runtime))
	})
	layers, err := json.Marshal(b.Layers)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\"schema_version\": %d, \"layers\": %s, \"attacks\": [", SchemaVersion, layers)
	for i, k := range rows {
		line, err := json.Marshal(k)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "\n%s", line)
	}
	out.WriteString("\n]}\n")
	return out.Bytes(), nil
}

// Change is a row that is not what the baseline says.
type Change struct {
	ID      string `json:"id"`
	Benign  bool   `json:"benign,omitempty"`
	Runtime string `json:"runtime"`
	What    string `json:"what"` // "newly missed"
}

// Comparison is a run beside a baseline.
type Comparison struct {
	File         string   `json:"file"`
	Regressions  []Change `json:"regressions"`
	Improvements []Change `json:"improvements"`
	// Gaps are rows that a layer could not look at and could before.
	Gaps []Change `json:"gaps,omitempty"`
}

// Compare puts the result beside a baseline and decides anew. all says that the
// whole suite was run, so that what is not in the result is gone.
func (res *Result) Compare(file string, b *Baseline, all bool) error {
	if !slices.Equal(b.Layers, res.Layers) {
		return fmt.Errorf("%s was taken with the layers %s and this run has %s; use the same --layers, or take another baseline with --accept",
			file, join(b.Layers, ","), join(res.Layers, ","))
	}
	c := &Comparison{File: file, Regressions: []Change{}, Improvements: []Change{}}
	before := map[rowKey]Known{}
	for _, k := range b.Attacks {
		before[k.key()] = k
	}
	now := map[rowKey]bool{}
	for i := range res.Attacks {
		k := res.Attacks[i].known()
		now[k.key()] = true
		old, had := before[k.key()]
		c.row(&res.Attacks[i], k, old, had)
	}
	for _, k := range b.Attacks {
		asked := slices.Contains(res.Runtimes, k.Runtime) || k.Runtime == "" && len(res.Runtimes) == 0
		if all && asked && !now[k.key()] {
			c.Regressions = append(c.Regressions, Change{k.ID, k.Benign, k.Runtime, "is no longer in the suite"})
		}
	}
	res.Baseline = c
	res.decide()
	return nil
}

// row compares one row. A row that the baseline has not got is held to what every
// attack has to be.
func (c *Comparison) row(r *Row, now, old Known, had bool) {
	add := func(list *[]Change, what string) {
		*list = append(*list, Change{now.ID, now.Benign, now.Runtime, what})
	}
	if !had {
		old = Known{Caught: true, Executed: true, Contained: true}
	}
	if now.Incomplete && !(had && old.Incomplete) {
		add(&c.Gaps, "could not be looked at")
	}
	fresh := "newly "
	if !had {
		fresh = "new, and "
	}
	if now.Benign {
		switch {
		case now.Caught && (!had || !old.Caught):
			add(&c.Regressions, fresh+"called dangerous")
		case had && old.Caught && !now.Caught:
			add(&c.Improvements, "no longer called dangerous")
		}
	} else {
		switch {
		case r.missed() && old.Caught:
			add(&c.Regressions, fresh+"missed")
		case had && now.Caught && !old.Caught:
			add(&c.Improvements, "newly caught")
		}
		switch {
		case r.notExecuted() && old.Executed:
			add(&c.Regressions, fresh+"not executed")
		case had && now.Executed && !old.Executed:
			add(&c.Improvements, "newly executed")
		}
	}
	switch {
	case now.Executed && !now.Contained && old.Contained:
		add(&c.Regressions, fresh+"not contained")
	case now.Executed && !now.Contained && had && !old.Executed:
		add(&c.Regressions, "newly executed, and not contained")
	case had && now.Contained && !old.Contained && old.Executed:
		add(&c.Improvements, "newly contained")
	}
}

// Accept returns the baseline after this run: with what is better now and what is
// new, and with regressions only where they are accepted as well. old may be nil.
func (res *Result) Accept(old *Baseline, regressions bool) *Baseline {
	next := &Baseline{SchemaVersion: SchemaVersion, Layers: res.Layers}
	worse := map[rowKey]bool{}
	if res.Baseline != nil && !regressions {
		for _, c := range res.Baseline.Regressions {
			worse[rowKey{c.ID, c.Benign, c.Runtime}] = true
		}
	}
	taken := map[rowKey]bool{}
	for i := range res.Attacks {
		if k := res.Attacks[i].known(); !worse[k.key()] {
			next.Attacks = append(next.Attacks, k)
			taken[k.key()] = true
		}
	}
	gone := map[rowKey]bool{}
	if res.Baseline != nil && regressions {
		for _, c := range res.Baseline.Regressions {
			gone[rowKey{c.ID, c.Benign, c.Runtime}] = true
		}
	}
	if old != nil {
		for _, k := range old.Attacks {
			if !taken[k.key()] && !gone[k.key()] {
				next.Attacks = append(next.Attacks, k)
			}
		}
	}
	return next
}
