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
	took := map[key][]int64{}
	seen := map[once]bool{}
	for _, r := range rows {
		for _, layer := range sortedLayers(r.Phases) {
			k := key{layer: layer}
			if layer == gate.LayerSandbox {
				k.runtime = r.Runtime
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
		out = append(out, Latency{Layer: k.layer, Runtime: k.runtime, Trials: len(ms), MedianMS: quantile(ms, 50), P95MS: quantile(ms, 95)})
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
