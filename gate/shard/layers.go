package shard

import (
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
)

// layers says of every layer what the parts say of it. One that ran in one part
// and was not there for the files of another has begun and did not complete.
func layers(parts []Result) ([]gate.LayerResult, []gate.Gap) {
	var out []gate.LayerResult
	var gaps []gate.Gap
	for _, name := range gate.Layers() {
		merged := gate.LayerResult{Name: name}
		var skipped, used *Result
		ran := false
		for i, p := range parts {
			l := layer(p, name)
			merged.DurationMS += l.DurationMS
			switch {
			case l.Status == gate.LayerFailed:
				if merged.Status != gate.LayerFailed {
					merged.Status, merged.Reason = gate.LayerFailed, l.Reason
				}
				if !slices.ContainsFunc(p.Incomplete, func(g gate.Gap) bool { return g.Layer == name }) {
					gaps = append(gaps, gate.Gap{Layer: name, Reason: l.Reason})
				}
			case l.Status == gate.LayerSkipped && (skipped == nil || len(skipped.Files) == 0):
				skipped = &parts[i]
			case l.Status.Completed():
				ran = true
				if didSomething(p, name) {
					used = &parts[i]
				}
			}
		}
		switch {
		case merged.Status == gate.LayerFailed:
		case skipped == nil, ran && len(skipped.Files) == 0:
			merged.Status = gate.LayerRan
		case used == nil:
			merged.Status, merged.Reason = gate.LayerSkipped, layer(*skipped, name).Reason
		default:
			merged.Status = gate.LayerFailed
			merged.Reason = fmt.Sprintf("it ran in shard %d and not in shard %d: %s", used.Shard.Index, skipped.Shard.Index, layer(*skipped, name).Reason)
			gaps = append(gaps, gate.Gap{Layer: name, Reason: merged.Reason})
		}
		out = append(out, merged)
	}
	return out, gaps
}

// layer is what a part says of a layer. One that says nothing does not count as
// one that ran.
func layer(p Result, name gate.Layer) gate.LayerResult {
	for _, l := range p.Layers {
		if l.Name == name {
			return l
		}
	}
	return gate.LayerResult{Name: name, Status: gate.LayerFailed, Reason: fmt.Sprintf("shard %d does not say what became of it", p.Shard.Index)}
}

// didSomething reports whether a layer needed what can be missing: a model, or an
// engine. A part in whose files there is nothing to run never asks for one.
func didSomething(p Result, name gate.Layer) bool {
	for _, f := range p.Files {
		switch name {
		case gate.LayerStatic:
			return true
		case gate.LayerJudge:
			if f.Judge != nil {
				return true
			}
		case gate.LayerSandbox:
			if f.Execution != nil && f.Execution.Status != gate.ExecutionNotRun {
				return true
			}
		}
	}
	return false
}
