package shard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// Result is the result of one shard, well-formed as report.Decode leaves it.
type Result struct {
	Name string // of the file, for errors
	gate.Result
}

// Merge puts the results of all shards of one run together. Shards that are not
// there are gaps of the result. An error means that the parts do not belong
// together, and then there is no result.
func Merge(parts []Result) (gate.Result, error) {
	if len(parts) == 0 {
		return gate.Result{}, fmt.Errorf("no results to merge")
	}
	parts = slices.Clone(parts)
	if err := belongTogether(parts); err != nil {
		return gate.Result{}, err
	}
	slices.SortFunc(parts, func(a, b Result) int { return cmp.Compare(a.Shard.Index, b.Shard.Index) })
	first := parts[0]
	out := gate.Result{SchemaVersion: gate.SchemaVersion, Tool: first.Tool}
	for _, p := range parts {
		out.Incomplete = append(out.Incomplete, p.Incomplete...)
		out.Skipped = append(out.Skipped, p.Skipped...)
	}
	var gaps []gate.Gap
	out.Layers, gaps = layers(parts)
	out.Incomplete = append(append(out.Incomplete, gaps...), missing(parts)...)
	files, err := files(parts)
	if err != nil {
		return gate.Result{}, err
	}
	out.Files = files
	return gate.Conclude(out, gate.Policy{FailOn: first.Shard.FailOn}), nil
}

// belongTogether holds every part against the first one.
func belongTogether(parts []Result) error {
	byIndex := map[int]string{}
	for _, p := range parts {
		s := p.Shard
		if s == nil {
			return fmt.Errorf("%s is not the result of a shard (one is written with --shard I/N)", p.Name)
		}
		if p.Override != nil {
			return fmt.Errorf("%s: an override let this shard pass; only the merged result can be overridden", p.Name)
		}
		if _, err := Parse(Part{s.Index, s.Of}.String()); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		first := parts[0]
		f := first.Shard
		for _, d := range []struct {
			what      string
			same      bool
			got, want any
		}{
			{"of another number of shards", s.Of == f.Of, s.Of, f.Of},
			{"written by another version of gate", p.Tool == first.Tool, p.Tool, first.Tool},
			{"of another base commit", s.Base == f.Base, s.Base, f.Base},
			{"of another head commit", s.Head == f.Head, s.Head, f.Head},
			{"of another policy", s.Policy == f.Policy && s.FailOn == f.FailOn, s.Policy, f.Policy},
			{"of other files or contents", s.Change == f.Change && s.Targets == f.Targets, s.Change, f.Change},
			{"of another plan", s.Plan == f.Plan, s.Plan, f.Plan},
		} {
			if !d.same {
				return fmt.Errorf("%s is %s than %s (%.60q, not %.60q); all shards have to be of one run", p.Name, d.what, first.Name, fmt.Sprint(d.got), fmt.Sprint(d.want))
			}
		}
		if other, twice := byIndex[s.Index]; twice {
			return fmt.Errorf("%s is shard %d of %d, and so is %s", p.Name, s.Index, s.Of, other)
		}
		byIndex[s.Index] = p.Name
	}
	return nil
}

// missing is a gap for every shard that is not there.
func missing(parts []Result) []gate.Gap {
	var gaps []gate.Gap
	of := parts[0].Shard.Of
	for i := 1; i <= of; i++ {
		if !slices.ContainsFunc(parts, func(p Result) bool { return p.Shard.Index == i }) {
			gaps = append(gaps, gate.Gap{Layer: gate.LayerStatic, Reason: fmt.Sprintf("the result of shard %d of %d is missing: no one knows what is in its files", i, of)})
		}
	}
	return gaps
}

// files puts the files of all parts into the order of a run that was not split,
// and decides about each of them anew. Parts that are all there must have exactly
// the files of the plan.
func files(parts []Result) ([]gate.FileResult, error) {
	plan := map[string]int{}
	from := map[string]string{}
	children := map[string][]gate.FileResult{}
	var round []gate.FileResult
	for _, p := range parts {
		for _, f := range p.Files {
			if other, twice := from[f.Path]; twice {
				return nil, fmt.Errorf("%s has the file %q, and so has %s", p.Name, f.Path, other)
			}
			from[f.Path] = p.Name
			f = gate.Policy{}.DecideFile(f, gapsOf(f.Path, p.Incomplete))
			if f.Parent != "" {
				children[f.Parent] = append(children[f.Parent], f)
				continue
			}
			plan[f.Path] = p.Shard.Index
			round = append(round, f)
		}
	}
	shard := parts[0].Shard
	if len(parts) == shard.Of && (planDigest(plan) != shard.Plan || len(plan) != shard.Targets) {
		var names []string
		for _, p := range parts {
			names = append(names, p.Name)
		}
		return nil, fmt.Errorf("the files of %s are not those that the plan of this run gave to each shard: %d files of %d, or in other shards", strings.Join(names, ", "), len(plan), shard.Targets)
	}
	slices.SortFunc(round, func(a, b gate.FileResult) int { return cmp.Compare(a.Path, b.Path) })
	var out []gate.FileResult
	for len(round) > 0 {
		out = append(out, round...)
		var next []gate.FileResult
		for _, f := range round {
			next = append(next, children[f.Path]...)
		}
		round = next
	}
	return out, nil
}

// gapsOf returns the gaps that name a file. Those that name none are in its verdict.
func gapsOf(path string, gaps []gate.Gap) []gate.Gap {
	return slices.DeleteFunc(slices.Clone(gaps), func(g gate.Gap) bool { return g.Path != path })
}
