package main

import (
	"fmt"
	"strings"

	"github.com/aigate/gate/gate/glob"
)

// combination is one payload in one carrier under one disguise.
type combination struct {
	carrier  *carrier
	disguise *disguise
	payload  *payload
}

// name is how a command line selects it.
func (c combination) name() string {
	return c.carrier.name + "/" + c.disguise.name + "/" + c.payload.name
}

// program is the change, or its benign twin; ok is false where the disguise does not
// apply to the carrier.
func (c combination) program(benign bool) (p *program, ok bool) {
	p = c.carrier.program(c.payload.code(benign))
	return p, c.disguise.apply(p)
}

// odd says why the twin may be noticed, "" when it must not.
func (c combination) odd() string {
	if c.disguise.odd != "" {
		return c.disguise.odd
	}
	return c.carrier.odd
}

// unreadable says why gate cannot read the code, "" when it can.
func (c combination) unreadable() string {
	if c.disguise.noticed != "" {
		return c.disguise.noticed
	}
	return c.carrier.unreadable
}

// catalogue is what combinations are made of.
type catalogue struct {
	carriers  []carrier
	disguises []disguise
	payloads  []payload
}

func newCatalogue() catalogue { return catalogue{carriers(), disguises(), payloads()} }

// selection says which combinations are wanted.
type selection struct {
	only string // CARRIER/DISGUISE/PAYLOAD, each a glob; what is left out at the end is all
	each int    // payloads for every cell but those of the plain column; 0 is all
}

// combinations returns those that are selected, in the order of rows, columns and
// payloads. Those that do not apply are among them: that takes making them.
func (c *catalogue) combinations(s selection) ([]combination, error) {
	globs := strings.Split(s.only, "/")
	if len(globs) > 3 {
		return nil, fmt.Errorf("-only is CARRIER/DISGUISE/PAYLOAD, not %q", s.only)
	}
	wanted := func(i int, name string) bool {
		if i >= len(globs) || globs[i] == "" {
			return true
		}
		return glob.MatchName(globs[i], name)
	}
	var out []combination
	for i := range c.carriers {
		row := &c.carriers[i]
		spelled := c.spelled(row.family)
		for j := range c.disguises {
			column := &c.disguises[j]
			if !wanted(0, row.name) || !wanted(1, column.name) {
				continue
			}
			n := len(spelled)
			if column.heavy {
				n = 1
			}
			if s.each > 0 && column.name != plain {
				n = min(n, s.each)
			}
			// Every cell begins with another payload, so that each meets every
			// disguise somewhere.
			for k := range n {
				p := spelled[(i+j+k)%len(spelled)]
				if wanted(2, p.name) {
					out = append(out, combination{row, column, p})
				}
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no combination %q", s.only)
	}
	return out, nil
}

// spelled are the payloads of a family.
func (c *catalogue) spelled(f family) []*payload {
	var out []*payload
	for i := range c.payloads {
		if c.payloads[i].family == f {
			out = append(out, &c.payloads[i])
		}
	}
	return out
}

// sample returns a part of the combinations: every carrier in the plain column, and in
// each other column a few carriers to which the disguise applies, others in each.
func sample(all []combination, perColumn int) []combination {
	var names []string
	columns := map[string][]combination{}
	for _, c := range all {
		if columns[c.disguise.name] == nil {
			names = append(names, c.disguise.name)
		}
		columns[c.disguise.name] = append(columns[c.disguise.name], c)
	}
	var out []combination
	for j, name := range names {
		most, rows := perColumn, map[string]bool{}
		if name == plain {
			most = len(all)
		}
		for _, c := range spread(columns[name], j) {
			if len(rows) == most || rows[c.carrier.name] {
				continue
			}
			if _, ok := c.program(false); ok {
				rows[c.carrier.name] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// spread orders combinations so that those which follow each other are far apart.
func spread(all []combination, from int) []combination {
	const step = 61
	out := make([]combination, 0, len(all))
	taken := make([]bool, len(all))
	for k := range 2 * len(all) {
		i := (from*37 + k*step) % len(all)
		if k >= len(all) { // what the steps left out
			i = k - len(all)
		}
		if !taken[i] {
			taken[i] = true
			out = append(out, all[i])
		}
	}
	return out
}
