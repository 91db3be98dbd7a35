package attack

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/shard"
)

// Shard says which part of a run a result is. Parts belong together when they
// agree in everything but Index.
type Shard struct {
	Index   int    `json:"index"` // 1..Of
	Of      int    `json:"of"`
	Attacks int    `json:"attacks"` // of all shards together
	Plan    string `json:"plan"`    // SHA-256 of their ids
}

// Shard returns the attacks of one shard, by the hash of their ids, and what the
// result says of that. An attack that none of the runtimes is for is in no plan.
func (s Suite) Shard(part shard.Part, layers []gate.Layer, runtimes []string) (Suite, *Shard) {
	all := &runner{Options: Options{Layers: layers, Runtimes: runtimes}}
	var mine Suite
	var ids []string
	for _, a := range s {
		if len(all.runtimesOf(a)) == 0 {
			continue
		}
		ids = append(ids, a.ID)
		if part.Holds(a.ID) {
			mine = append(mine, a)
		}
	}
	return mine, &Shard{Index: part.Index, Of: part.Of, Attacks: len(ids), Plan: planDigest(ids)}
}

func planDigest(ids []string) string {
	h := sha256.New()
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		fmt.Fprintf(h, "%q\n", id)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Named is the result of one shard, as ParseResult leaves it.
type Named struct {
	Name string // of the file, for errors
	Result
}

// Merge puts the results of all shards of one run together. Shards that are not
// there make the result incomplete. An error means that the parts do not belong
// together.
func Merge(parts []Named) (Result, error) {
	if len(parts) == 0 {
		return Result{}, fmt.Errorf("no results to merge")
	}
	from := map[int]string{}
	for _, p := range parts {
		if err := p.belongsTo(parts[0]); err != nil {
			return Result{}, err
		}
		if other, twice := from[p.Shard.Index]; twice {
			return Result{}, fmt.Errorf("%s is shard %d of %d, and so is %s", p.Name, p.Shard.Index, p.Shard.Of, other)
		}
		from[p.Shard.Index] = p.Name
	}
	parts = slices.SortedFunc(slices.Values(parts), func(a, b Named) int { return cmp.Compare(a.Shard.Index, b.Shard.Index) })
	first := parts[0]
	res := Result{SchemaVersion: SchemaVersion, Tool: first.Tool, Layers: first.Layers, Runtimes: first.Runtimes, Environment: first.Environment}
	var ids []string
	for _, p := range parts {
		for _, r := range p.Attacks {
			ids = append(ids, r.ID)
		}
		res.Attacks = append(res.Attacks, p.Attacks...)
		res.Probes = mergeProbes(res.Probes, p.Probes)
		res.ProbeCounts = mergeCounts(res.ProbeCounts, p.ProbeCounts)
		res.Left = append(res.Left, p.Left...)
		res.Incomplete = append(res.Incomplete, p.Incomplete...)
		if p.Environment == nil || res.Environment != nil && *p.Environment != *res.Environment {
			res.Environment = nil // one machine cannot stand for all
		}
	}
	for i := 1; i <= first.Shard.Of; i++ {
		if from[i] == "" {
			res.Incomplete = append(res.Incomplete, fmt.Sprintf("the result of shard %d of %d is missing", i, first.Shard.Of))
		}
	}
	if len(parts) == first.Shard.Of && planDigest(ids) != first.Shard.Plan {
		return Result{}, fmt.Errorf("the attacks of these %d results are not the %d of this run: a result lacks some, or has others", len(parts), first.Shard.Attacks)
	}
	slices.SortStableFunc(res.Attacks, func(a, b Row) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.ID, b.ID)) })
	slices.Sort(res.Incomplete)
	res.Incomplete = slices.Compact(res.Incomplete)
	res.count()
	return res, nil
}

// belongsTo holds a part against the first one, and its attacks against the plan.
func (p Named) belongsTo(first Named) error {
	s, f := p.Shard, first.Shard
	if s == nil {
		return fmt.Errorf("%s is not the result of a shard (one is written with --shard I/N)", p.Name)
	}
	part, err := shard.Parse(shard.Part{Index: s.Index, Of: s.Of}.String())
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	for _, d := range []struct {
		what string
		same bool
	}{
		{"of another number of shards", s.Of == f.Of},
		{"written by another version of gate", p.Tool == first.Tool},
		{"of other layers", slices.Equal(p.Layers, first.Layers)},
		{"of other runtimes", slices.Equal(p.Runtimes, first.Runtimes)},
		{"of other attacks", s.Plan == f.Plan && s.Attacks == f.Attacks},
	} {
		if !d.same {
			return fmt.Errorf("%s is %s than %s; all shards have to be of one run", p.Name, d.what, first.Name)
		}
	}
	type key struct {
		id, runtime string
		benign      bool
	}
	seen := map[key]bool{}
	for _, r := range p.Attacks {
		k := key{r.ID, r.Runtime, r.Benign}
		switch {
		case !part.Holds(r.ID):
			return fmt.Errorf("%s is shard %s and has %s, which is for shard %d", p.Name, part, r.ID, shard.Of(r.ID, s.Of))
		case seen[k]:
			return fmt.Errorf("%s has %s twice", p.Name, r.ID)
		}
		seen[k] = true
	}
	return nil
}

// mergeProbes keeps each probe once: as one that held only where it held on every
// machine.
func mergeProbes(have, more []Probed) []Probed {
	return worstOf(have, more, func(a, b Probed) bool {
		return a.Name == b.Name && a.Image == b.Image && a.Runtime == b.Runtime
	}, func(a, b Probed) bool { return !a.Held && b.Held })
}

// mergeCounts keeps the count of each category once, as that of the machine on which
// least held: every machine tries the same probes.
func mergeCounts(have, more []ProbeCount) []ProbeCount {
	return worstOf(have, more, func(a, b ProbeCount) bool {
		return a.Runtime == b.Runtime && a.Image == b.Image && a.Category == b.Category
	}, func(a, b ProbeCount) bool { return a.Held < b.Held })
}

// worstOf adds more to have, with one entry for all that are about the same thing: the
// first than which no other is worse.
func worstOf[T any](have, more []T, same, worse func(a, b T) bool) []T {
	for _, m := range more {
		i := slices.IndexFunc(have, func(h T) bool { return same(h, m) })
		switch {
		case i < 0:
			have = append(have, m)
		case worse(m, have[i]):
			have[i] = m
		}
	}
	return have
}
