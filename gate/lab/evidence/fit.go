package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// row is what the first run of a set said about one sample.
type row struct {
	ID      string       `json:"id"`
	Label   string       `json:"label"`
	Verdict gate.Verdict `json:"verdict"`
	Rules   []string     `json:"rules"` // "layer:rule severity", what decides

	kinds  []gate.Kind
	attack bool
}

func readRows(name string) (rows []row, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if r.Label == "weakening" {
			continue // neither an attack nor an honest change
		}
		r.attack = r.Label != "benign"
		if r.kinds, err = kindsOf(r.Rules); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

// kindsOf reads the kinds of evidence among what decided.
func kindsOf(rules []string) ([]gate.Kind, error) {
	var found []gate.Finding
	for _, text := range rules {
		id, severity, ok := strings.Cut(text, " ")
		layer, rule, named := strings.Cut(id, ":")
		if !ok || !named {
			return nil, fmt.Errorf("want layer:rule severity, have %q", text)
		}
		f := gate.Finding{Layer: gate.Layer(layer), Rule: rule, InChange: true}
		f.Category, _, _ = strings.Cut(rule, "/")
		if err := f.Severity.UnmarshalText([]byte(severity)); err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	return gate.KindsOf(found), nil
}

// Of the fit: steps and rate of the descent, and the penalty that keeps weights small which few
// samples speak for.
const (
	steps   = 4000
	rate    = 0.3
	penalty = 1.0
)

// fit is the logistic model of rows that no rule calls dangerous. Weights are rounded to hundredths.
func fit(rows []row) gate.Agreement {
	kinds := gate.Kinds()
	rows = undecided(rows)
	w := make([]float64, len(kinds)+1)
	alike := grouped(rows)
	for range steps {
		slope := make([]float64, len(w))
		for _, g := range alike {
			at := g.all*model(w).Likelihood(g.kinds) - g.attacks
			slope[0] += at
			for i, k := range kinds {
				if slices.Contains(g.kinds, k) {
					slope[i+1] += at
				}
			}
		}
		for i := range w {
			if i > 0 {
				slope[i] += penalty * w[i]
			}
			w[i] -= rate * slope[i] / float64(len(rows))
		}
	}
	for i := range w {
		w[i] = math.Round(w[i]*100) / 100
	}
	return model(w)
}

// group is rows with the same kinds of evidence, which the model can't tell apart.
type group struct {
	kinds        []gate.Kind
	all, attacks float64
}

// grouped returns the groups of rows, in the order of their first rows.
func grouped(rows []row) []group {
	var out []group
	for _, r := range rows {
		i := slices.IndexFunc(out, func(g group) bool { return slices.Equal(g.kinds, r.kinds) })
		if i < 0 {
			i = len(out)
			out = append(out, group{kinds: r.kinds})
		}
		out[i].all++
		if r.attack {
			out[i].attacks++
		}
	}
	return out
}

func model(w []float64) gate.Agreement {
	e := gate.Agreement{Bias: w[0], Weights: map[gate.Kind]float64{}}
	for i, k := range gate.Kinds() {
		e.Weights[k] = w[i+1]
	}
	return e
}

// undecided are the rows about which the model is asked.
func undecided(rows []row) []row {
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.Verdict == gate.Dangerous })
}

// allowed is the share of honest changes that may be raised where the set was left out.
const allowed = 0.003

// fitAll fits on all sets together, and chooses the limit by leaving out each in turn.
func fitAll(sets map[string][]row) gate.Agreement {
	var all []row
	left := map[string]gate.Agreement{}
	for _, out := range fitted {
		var rest []row
		for _, name := range fitted {
			if name != out {
				rest = append(rest, sets[name]...)
			}
		}
		left[out] = fit(rest)
		all = append(all, sets[out]...)
	}
	e := fit(all)
	for e.RaiseAt = 0.5; e.RaiseAt < 0.99; e.RaiseAt = math.Round(e.RaiseAt*100+1) / 100 {
		honest, raised := 0, 0
		for _, name := range fitted {
			m := left[name]
			m.RaiseAt = e.RaiseAt
			for _, r := range sets[name] {
				if r.attack {
					continue
				}
				honest++
				if r.Verdict != gate.Dangerous && m.Agree(r.kinds) {
					raised++
				}
			}
		}
		if float64(raised) <= allowed*float64(honest) {
			break
		}
	}
	return e
}
