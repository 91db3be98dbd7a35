package attack

import (
	"slices"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
)

// Row is what became of one attack, or its twin, on one runtime.
type Row struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Group     string `json:"group"`
	Technique string `json:"technique"`
	Language  string `json:"language"`
	Blind     bool   `json:"blind,omitempty"`
	Generated bool   `json:"generated,omitempty"` // by a model
	Benign    bool   `json:"benign"`              // it is the twin
	// Runtime is that of its containers; "" where the sandbox was not asked.
	Runtime string `json:"runtime"`
	// Verdict is that of all layers together, each asked by itself.
	Verdict gate.Verdict `json:"verdict"`
	// Layers are the verdicts of the layers that were asked; UNKNOWN for one that
	// could not answer.
	Layers map[gate.Layer]gate.Verdict `json:"layers"`
	// Expected are the layers of which one has to catch it, among those asked.
	Expected []gate.Layer `json:"expected"`
	// Unasked are the other layers that may catch it.
	Unasked []gate.Layer `json:"unasked,omitempty"`
	// Caught says that a layer calls it at least suspicious.
	Caught   bool         `json:"caught"`
	CaughtBy []gate.Layer `json:"caught_by"`
	// Executable says that it has something that gate executes.
	Executable bool `json:"executable"`
	Executed   bool `json:"executed"`
	// Contained says that it was executed and that nothing was seen from outside.
	Contained  bool                 `json:"contained"`
	Breaches   []Breach             `json:"breaches,omitempty"`
	Incomplete []string             `json:"incomplete,omitempty"` // what a layer could not look at
	DurationMS int64                `json:"duration_ms"`          // of all layers together
	Phases     map[gate.Layer]int64 `json:"phases"`               // milliseconds of each layer
	// ProgramsMS is how long programs ran in its containers, added up; AroundMS is
	// what starting, watching and removing the containers took beside that.
	ProgramsMS int64 `json:"programs_ms,omitempty"`
	AroundMS   int64 `json:"around_ms,omitempty"`

	containers []string // ids, to find what is left of them
}

// add files the result of one layer.
func (r *Row) add(a *Attack, layer gate.Layer, o Observation) {
	r.Phases[layer] = o.Duration.Milliseconds()
	r.DurationMS += r.Phases[layer]
	var programs, around time.Duration
	for _, c := range o.Containers {
		programs, around = programs+c.Program, around+c.Around
	}
	r.ProgramsMS += programs.Milliseconds()
	r.AroundMS += around.Milliseconds()
	if o.Err != nil {
		r.Incomplete = append(r.Incomplete, string(layer)+": "+o.Err.Error())
		r.Layers[layer] = gate.VerdictUnknown
		return
	}
	r.Layers[layer] = o.Result.Verdict
	if !ran(o.Result, layer) {
		r.Layers[layer] = gate.VerdictUnknown
	}
	for _, g := range o.Result.Incomplete {
		text := string(g.Layer) + ": " + g.Reason
		if g.Path != "" {
			text = string(g.Layer) + ": " + g.Path + ": " + g.Reason
		}
		r.Incomplete = append(r.Incomplete, gate.Clip(text, 300))
	}
	if catches(o.Result) {
		r.Caught = true
		r.CaughtBy = append(r.CaughtBy, layer)
	}
	if layer == gate.LayerSandbox {
		r.contain(a, o)
	}
}

// ran reports whether a layer was there and did its work.
func ran(res gate.Result, layer gate.Layer) bool {
	return slices.ContainsFunc(res.Layers, func(l gate.LayerResult) bool { return l.Name == layer && l.Status.Completed() })
}

// catches reports whether a finding of a result decides. A file that could not be
// looked at is not caught: it stops a change for another reason.
func catches(res gate.Result) bool {
	for _, f := range res.Files {
		if v := (gate.Policy{}).Decide(f.Findings, nil); v == gate.Suspicious || v == gate.Dangerous {
			return true
		}
	}
	return false
}

// contain says whether it ran and whether what the engine says of its containers
// holds.
func (r *Row) contain(a *Attack, o Observation) {
	r.Executed = executed(a, r.Benign, o)
	if !r.Executed {
		return
	}
	for _, c := range o.Containers {
		r.containers = append(r.containers, c.Container)
		r.breach(breachesOf(c)...)
	}
	if len(o.Containers) == 0 {
		r.breach(Breach{Processes, "the engine knows of no container in which it ran"})
	}
}

func (r *Row) breach(more ...Breach) {
	for _, b := range more {
		if !slices.Contains(r.Breaches, b) {
			r.Breaches = append(r.Breaches, b)
		}
	}
}

// executed reports whether the entry of an attack ran. The twin may have another
// one: there any file counts.
func executed(a *Attack, twin bool, o Observation) bool {
	return slices.ContainsFunc(o.Result.Files, func(f gate.FileResult) bool {
		if !twin && f.Path != a.Entry || f.Execution == nil {
			return false
		}
		if c := f.Execution.Coverage; c["executable"] > 0 && c["executed"] == 0 {
			return false // something was started, and not this
		}
		switch f.Execution.Status {
		case gate.ExecutionExited, gate.ExecutionTimeout, gate.ExecutionWaiting, gate.ExecutionServing, gate.ExecutionOOM, gate.ExecutionKilled:
			return true
		case gate.ExecutionMissingModule, gate.ExecutionImportFailed, gate.ExecutionStoppedEarly:
			return f.Execution.Coverage["executed"] > 0 // some of it ran
		case gate.ExecutionFailed:
			// It ran, and no one knows what it did: what the engine says still counts.
			return slices.ContainsFunc(o.Containers, func(c engine.Container) bool { return c.Broke })
		}
		return false
	})
}

// decide completes a row when all layers have spoken.
func (r *Row) decide(results []gate.Result) {
	r.Verdict = together(results)
	if len(r.Incomplete) > 0 {
		r.Verdict = r.Verdict.Worst(gate.Incomplete)
	}
	r.Contained = r.Executed && len(r.Breaches) == 0
}

// together is the verdict of the layers when a file's findings are
// side by side, as in a scan.
func together(results []gate.Result) gate.Verdict {
	findings := map[string][]gate.Finding{}
	v := gate.Safe
	if len(results) == 0 {
		v = gate.VerdictUnknown
	}
	for _, res := range results {
		for _, f := range res.Files {
			findings[f.Path] = append(findings[f.Path], f.Findings...)
		}
		if len(res.Incomplete) > 0 {
			v = v.Worst(gate.Incomplete)
		}
	}
	for _, fs := range findings {
		v = v.Worst(gate.Policy{}.DecideFile(gate.FileResult{Findings: fs}, nil).Verdict)
	}
	return v
}
