package attack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
)

// Trial is one tree that one layer looks at.
type Trial struct {
	Attack  *Attack
	Twin    bool
	Layer   gate.Layer
	Runtime string // "" where the layer runs nothing
}

// Observation is what a layer made of a trial. Err means that gate failed.
type Observation struct {
	Result     gate.Result
	Containers []engine.Container // in which it was run
	Duration   time.Duration
	Err        error
}

// Pipeline puts a tree through one layer, as a change that adds all of its files;
// also what another layer calls dangerous is executed.
type Pipeline func(ctx context.Context, t Trial) Observation

// Options are everything that a run depends on.
type Options struct {
	Tool     gate.Tool
	Layers   []gate.Layer
	Runtimes []string // of the sandbox
	// Parallel is how many trials run at a time.
	Parallel int
	Pipeline Pipeline
	// Host looks from outside after each trial of the sandbox; nil sees nothing, and
	// then nothing is contained.
	Host HostMonitor
	// Probes tries the containment itself before anything is attacked; nil tries
	// nothing.
	Probes func(ctx context.Context) ([]Probed, error)
	// Finish is called when all trials are over: it ends what they ran in and
	// returns what is left of the containers.
	Finish func() ([]engine.Leftover, error)
	// Environment is what the result says of the machine; nil is nothing.
	Environment *Environment
	// Progress is told how many trials are over. It may be called concurrently.
	Progress func(done, total int, last Trial)
}

// Run puts attacks and twins through the layers. The result is complete, and says
// what is missing, also when ctx ends.
func Run(ctx context.Context, suite Suite, o Options) Result {
	r := &runner{Options: o, observed: map[Trial]Observation{}, flying: map[Trial]bool{}, breaches: map[Trial][]Breach{}}
	probed, unprobed := r.probe(ctx)
	trials := r.trials(suite)
	done := 0
	failed := gate.ForEach(ctx, o.Parallel, len(trials), func(ctx context.Context, i int) error {
		r.try(ctx, trials[i])
		r.mu.Lock()
		defer r.mu.Unlock()
		done++
		if o.Progress != nil {
			o.Progress(done, len(trials), trials[i])
		}
		return nil
	})
	var leftovers []engine.Leftover
	var ended error
	if o.Finish != nil {
		leftovers, ended = o.Finish()
	}
	res := Result{SchemaVersion: SchemaVersion, Tool: o.Tool, Layers: o.Layers, Runtimes: slices.Clone(o.Runtimes), Environment: o.Environment}
	if !slices.Contains(o.Layers, gate.LayerSandbox) {
		res.Runtimes = nil
	}
	res.tally(probed)
	for _, err := range []error{unprobed, failed, ended} {
		if err != nil {
			res.Incomplete = append(res.Incomplete, err.Error())
		}
	}
	for _, a := range suite {
		for _, twin := range []bool{false, true} {
			for _, runtime := range r.runtimesOf(a) {
				res.Attacks = append(res.Attacks, r.row(a, twin, runtime))
			}
		}
	}
	res.left(leftovers)
	res.count()
	return res
}

// probe tries the containment. What the host monitor sees of it is the outcome of a
// probe as well.
func (r *runner) probe(ctx context.Context) ([]Probed, error) {
	if r.Probes == nil {
		return nil, nil
	}
	out, err := r.Probes(ctx)
	if r.Host == nil {
		return out, err
	}
	seen, lerr := r.Host.Look()
	for _, b := range seen {
		out = append(out, Probed{Name: "what this machine saw of the probes", Category: string(b.Concern), Runtime: "host", Outcome: b.What})
	}
	return out, errors.Join(err, lerr)
}

// runner is the state of one Run.
type runner struct {
	Options
	mu       sync.Mutex
	observed map[Trial]Observation
	flying   map[Trial]bool // sandbox trials under way
	breaches map[Trial][]Breach
}

// runtimesOf returns the runtimes that an attack is run on: those of the run that
// it is for.
func (r *runner) runtimesOf(a *Attack) []string {
	if !slices.Contains(r.Layers, gate.LayerSandbox) {
		return []string{""}
	}
	var out []string
	for _, name := range r.Runtimes {
		// Another runtime than the two of the samples is the user's own, and has to
		// hold everything.
		if slices.Contains(a.Runtimes, name) || !slices.Contains([]string{"runc", "runsc"}, name) {
			out = append(out, name)
		}
	}
	return out
}

// trials lists all trials, those that are fast first.
func (r *runner) trials(suite Suite) []Trial {
	var out []Trial
	for _, layer := range r.Layers {
		for _, a := range suite {
			for _, twin := range []bool{false, true} {
				if layer != gate.LayerSandbox {
					out = append(out, Trial{Attack: a, Twin: twin, Layer: layer})
					continue
				}
				for _, runtime := range r.runtimesOf(a) {
					out = append(out, Trial{Attack: a, Twin: twin, Layer: layer, Runtime: runtime})
				}
			}
		}
	}
	return out
}

// try runs one trial and looks from outside.
func (r *runner) try(ctx context.Context, t Trial) {
	contained := t.Layer == gate.LayerSandbox
	if contained {
		r.mu.Lock()
		r.flying[t] = true
		r.mu.Unlock()
	}
	begin := time.Now()
	var o Observation
	if err := gate.Catch(func() error { o = r.Pipeline(ctx, t); return nil }); err != nil {
		o = Observation{Err: err}
	}
	o.Duration = time.Since(begin)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observed[t] = o
	if contained {
		r.look()
		delete(r.flying, t)
	}
}

// look charges what the host monitor sees to every trial that is under way: which of
// them did it is not known.
func (r *runner) look() {
	seen, err := []Breach{{Processes, "no one looked from outside of the containers"}}, error(nil)
	if r.Host != nil {
		seen, err = r.Host.Look()
	}
	if err != nil {
		seen = append(seen, Breach{Files, "the machine could not be looked at from outside: " + err.Error()})
	}
	for t := range r.flying {
		r.breaches[t] = append(r.breaches[t], seen...)
	}
}

// errNotReached is the state of a trial that did not begin.
var errNotReached = errors.New("it was not reached")

// row puts together what the layers said.
func (r *runner) row(a *Attack, twin bool, runtime string) Row {
	row := Row{
		ID: a.ID, Title: a.Title, Group: a.Group, Technique: a.Technique, Language: a.Language, Blind: a.Blind, Generated: a.Generated,
		Benign: twin, Runtime: runtime, Executable: a.Executes(),
		Layers: map[gate.Layer]gate.Verdict{}, Phases: map[gate.Layer]int64{}, CaughtBy: []gate.Layer{}, Expected: []gate.Layer{},
	}
	if !twin {
		row.Unasked = slices.DeleteFunc(slices.Clone(a.Catch), func(l gate.Layer) bool { return slices.Contains(r.Layers, l) })
	}
	var results []gate.Result
	for _, layer := range r.Layers {
		if slices.Contains(a.Catch, layer) && !twin {
			row.Expected = append(row.Expected, layer)
		}
		t := Trial{Attack: a, Twin: twin, Layer: layer}
		if layer == gate.LayerSandbox {
			t.Runtime = runtime
		}
		o, ok := r.observed[t]
		if !ok {
			o.Err = errNotReached
		}
		if o.Err == nil {
			results = append(results, o.Result)
		}
		row.add(a, layer, o)
		row.breach(r.breaches[t]...)
	}
	if !row.Executed {
		row.Breaches = nil // what others did, or no one
	}
	row.decide(results)
	return row
}

// left charges what is left of containers to those who ran in them.
func (res *Result) left(leftovers []engine.Leftover) {
	owner := map[string][]int{}
	for i, row := range res.Attacks {
		for _, id := range row.containers {
			owner[id] = append(owner[id], i)
		}
	}
	for _, what := range leftovers {
		text := fmt.Sprintf("%s of container %.12s is left", what.What, what.Container)
		res.Left = append(res.Left, text)
		for _, i := range owner[what.Container] {
			row := &res.Attacks[i]
			row.breach(Breach{Processes, text})
			row.Contained = false
		}
	}
}

// sortedLayers returns the layers of a map in the order in which they run.
func sortedLayers[V any](m map[gate.Layer]V) []gate.Layer {
	return slices.SortedFunc(maps.Keys(m), func(a, b gate.Layer) int {
		return slices.Index(gate.Layers(), a) - slices.Index(gate.Layers(), b)
	})
}
