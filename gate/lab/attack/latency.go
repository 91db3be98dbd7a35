package attack

import (
	"cmp"
	"slices"

	"github.com/aigate/gate/gate"
)

// Latency is how long a layer took for one attack or twin.
type Latency struct {
	Layer    gate.Layer `json:"layer"`
	Runtime  string     `json:"runtime"` // "" for layers that run nothing
	Trials   int        `json:"trials"`
	MedianMS int64      `json:"median_ms"`
	P95MS    int64      `json:"p95_ms"`
	// Of a layer with containers: the medians of what programs ran, and of what the
	// containers around them took.
	ProgramsMS int64 `json:"programs_ms,omitempty"`
	AroundMS   int64 `json:"around_ms,omitempty"`
}

// latencies sums up the phases of rows. A layer that runs nothing was asked once
// for all runtimes.
func latencies(rows []Row) []Latency {
	type key struct {
		layer   gate.Layer
		runtime string
	}
	type once struct {
		layer  gate.Layer
		id     string
		benign bool
	}
	took, programs, around := map[key][]int64{}, map[key][]int64{}, map[key][]int64{}
	seen := map[once]bool{}
	for _, r := range rows {
		for _, layer := range sortedLayers(r.Phases) {
			k := key{layer: layer}
			if layer == gate.LayerSandbox {
				k.runtime = r.Runtime
				if r.ProgramsMS+r.AroundMS > 0 { // nothing was started for the others
					programs[k], around[k] = append(programs[k], r.ProgramsMS), append(around[k], r.AroundMS)
				}
			} else if o := (once{layer, r.ID, r.Benign}); seen[o] {
				continue
			} else {
				seen[o] = true
			}
			took[k] = append(took[k], r.Phases[layer])
		}
	}
	out := []Latency{}
	for k, ms := range took {
		slices.Sort(ms)
		l := Latency{Layer: k.layer, Runtime: k.runtime, Trials: len(ms), MedianMS: quantile(ms, 50), P95MS: quantile(ms, 95)}
		if p, a := programs[k], around[k]; len(p) > 0 {
			slices.Sort(p)
			slices.Sort(a)
			l.ProgramsMS, l.AroundMS = quantile(p, 50), quantile(a, 50)
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b Latency) int {
		return cmp.Or(slices.Index(gate.Layers(), a.Layer)-slices.Index(gate.Layers(), b.Layer), cmp.Compare(a.Runtime, b.Runtime))
	})
	return out
}

// quantile returns the smallest value that at least percent of the sorted values
// do not exceed.
func quantile(sorted []int64, percent int) int64 {
	i := (len(sorted)*percent + 99) / 100
	return sorted[max(i-1, 0)]
}
