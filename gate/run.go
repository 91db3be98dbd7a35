package gate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing/fstest"
	"time"
)

// MaxDerived bounds how many decoded texts, members of archives and pieces of
// run-time code one run follows; what is beyond it is a gap.
const MaxDerived = 3000

// Request is everything that one run depends on.
type Request struct {
	Tool    Tool
	Change  *Change
	Policy  Policy
	Stages  []Stage // in the order in which they run
	Handler Handler
	// Override, when set, turns a decision that is not a pass into one. Who may
	// set it is for the caller to have checked.
	Override *Overridden
	// Suppress, when set, is asked about every finding. What it suppresses is
	// reported and decides nothing.
	Suppress Suppressor
	// Shard, when set, says of which run this is a part.
	Shard *Shard
}

// Run puts a change through the stages, decides, and sends everything to the
// handler. The result is complete also when an error is returned with it: the
// error then says that ctx ended or that the handler could not write.
func Run(ctx context.Context, req Request) (Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{Request: req, handleFailed: cancel}
	r.found = NewFindings(slices.Concat(req.Change.Targets, req.Change.OtherShards), r.emit)
	r.otherShards = map[string]bool{}
	for _, t := range req.Change.OtherShards {
		r.otherShards[t.Path] = true
	}
	r.found.suppressor = req.Suppress
	for _, l := range Layers() {
		r.layers = append(r.layers, LayerResult{Name: l, Status: LayerSkipped, Reason: "not selected"})
	}
	started := Started{Tool: req.Tool, Targets: len(req.Change.Targets)}
	for _, s := range req.Stages {
		started.Layers = append(started.Layers, s.Name())
	}
	r.emit(started)

	r.allRounds(ctx)
	res := r.result()
	for _, f := range res.Files {
		r.emit(FileDone{File: f})
	}
	r.emit(Finished{Result: res})
	return res, context.Cause(ctx)
}

// run is the state of one Run.
type run struct {
	Request
	found        *Findings
	layers       []LayerResult
	targets      []*Target // of all rounds, in order
	gaps         []Gap
	skipped      []Skip
	judgements   map[string]*Judgement
	executions   map[string]*Execution
	digests      map[string]string
	masked       map[string]bool
	accounts     map[string]Account
	otherShards  map[string]bool // paths of targets that other shards report
	emitMu       sync.Mutex
	handleFailed context.CancelCauseFunc
}

func (r *run) emit(e Event) {
	if f, ok := e.(Found); ok && r.otherShards[f.Path] {
		return
	}
	r.emitMu.Lock()
	defer r.emitMu.Unlock()
	if err := Catch(func() error { return r.Handler.Handle(e) }); err != nil {
		r.handleFailed(fmt.Errorf("write report: %w", err))
	}
}

// allRounds runs the stages over the change, then over the derived targets that this
// led to, MaxDepth times at most.
func (r *run) allRounds(ctx context.Context) {
	r.judgements, r.executions, r.digests = map[string]*Judgement{}, map[string]*Execution{}, map[string]string{}
	r.masked, r.accounts = map[string]bool{}, map[string]Account{}
	r.skipped = slices.Clone(r.Change.Skipped)
	r.gaps = slices.Clone(r.Change.Incomplete)
	budget, cancel := context.WithTimeoutCause(ctx, r.Policy.Limits.Budget,
		fmt.Errorf("the time budget of %s was used up", r.Policy.Limits.Budget))
	defer cancel()

	round := r.Change
	for depth := 0; len(round.Targets) > 0 || depth == 0; depth++ {
		r.targets = append(r.targets, round.Targets...)
		var derived []Derived
		for _, s := range r.Stages {
			derived = append(derived, r.stage(budget, s, round, depth)...)
		}
		round = r.nextRound(derived, depth+1)
	}
	for _, l := range r.Policy.Require {
		if !slices.ContainsFunc(r.Stages, func(s Stage) bool { return s.Name() == l }) {
			r.gaps = append(r.gaps, Gap{Layer: l, Reason: "the policy requires this layer and it was not run"})
		}
	}
	if len(r.targets) > 0 && !slices.ContainsFunc(r.layers, func(l LayerResult) bool { return l.Status != LayerSkipped }) {
		r.gaps = append(r.gaps, Gap{Layer: LayerStatic, Reason: "no layer looked at the change"})
	}
}

// stage runs one stage over one round and files its outcome.
func (r *run) stage(ctx context.Context, s Stage, round *Change, depth int) []Derived {
	layer := r.layer(s.Name())
	if depth > 0 && layer.Status != LayerRan {
		return nil // its absence is on record already
	}
	view := *round
	if s.Name() == LayerStatic {
		view.Targets = slices.Concat(round.Targets, round.OtherShards)
		view.Base = r.Change.Base // what the base names is not new in what comes out of a file either
	} else {
		view.Targets = notStaticOnly(round.Targets)
		view.OtherShards = notStaticOnly(round.OtherShards)
	}
	if depth == 0 {
		layer.Status, layer.Reason = LayerRan, ""
	}
	if depth > 0 && len(view.Targets) == 0 {
		return nil
	}

	begin := time.Now()
	var out Outcome
	err := Catch(func() (err error) {
		out, err = s.Run(ctx, &view, r.found)
		return err
	})
	layer.DurationMS += time.Since(begin).Milliseconds()

	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx) // a stage that does not notice the end has not seen everything
	}
	for i := range out.Incomplete {
		out.Incomplete[i].Layer = cmp.Or(out.Incomplete[i].Layer, s.Name())
	}
	// Whether a stage lists what it did not reach when its time is up is checked;
	// after any other error nothing that it says is known to be all.
	itemised := len(out.Incomplete) > 0 && ctx.Err() != nil
	if err == nil || itemised {
		out.Incomplete = append(out.Incomplete, unaccounted(s.Name(), view.Targets, out)...)
	}
	out.Incomplete = append(out.Incomplete, unsaid(s.Name(), out.Accounts)...)
	r.gaps = append(r.gaps, slices.DeleteFunc(out.Incomplete, func(g Gap) bool { return r.otherShards[g.Path] })...)
	r.skip(slices.DeleteFunc(out.Skipped, func(s Skip) bool { return r.otherShards[s.Path] }))
	maps.Copy(r.judgements, out.Judgements)
	maps.Copy(r.executions, out.Executions)
	maps.Copy(r.digests, out.Digests)
	maps.Copy(r.masked, out.Masked)
	maps.Copy(r.accounts, out.Accounts)
	if err != nil {
		r.failed(ctx, layer, err, depth, itemised)
	}
	return slices.DeleteFunc(out.Derived, func(c Derived) bool { return r.otherShards[c.Target.Parent] })
}

// skip records what a stage left out. A reason that goes on where one of the change ends takes its
// place.
func (r *run) skip(more []Skip) {
	for _, s := range more {
		i := slices.IndexFunc(r.skipped, func(o Skip) bool {
			return o.Path == s.Path && o.Reason != s.Reason && strings.HasPrefix(s.Reason, o.Reason)
		})
		if i < 0 {
			r.skipped = append(r.skipped, s)
			continue
		}
		r.skipped[i] = s
	}
}

func notStaticOnly(targets []*Target) []*Target {
	return slices.DeleteFunc(slices.Clone(targets), func(t *Target) bool { return t.StaticOnly })
}

// unaccounted returns a gap for every target of which a stage that says it
// completed has said nothing: a stage that loses a file must not make it safe.
func unaccounted(layer Layer, targets []*Target, out Outcome) []Gap {
	said := map[string]bool{}
	for _, g := range out.Incomplete {
		said[g.Path] = true
	}
	for _, s := range out.Skipped {
		said[s.Path] = true
	}
	var gaps []Gap
	for _, t := range targets {
		if said[t.Path] || !t.Exists() || !t.Mode.IsRegular() || out.Digests[t.Path] != "" ||
			out.Judgements[t.Path] != nil || out.Executions[t.Path] != nil {
			continue
		}
		gaps = append(gaps, Gap{Layer: layer, Path: t.Path, Reason: "the layer said nothing about this file"})
	}
	return gaps
}

// failed records that a stage did not complete. Only a layer that nothing
// requires, and that was not there from the start, is merely skipped.
func (r *run) failed(ctx context.Context, layer *LayerResult, err error, depth int, itemised bool) {
	layer.Reason = err.Error()
	var missing *Unavailable
	switch {
	case ctx.Err() != nil:
		// Before everything else: a server does not answer either when the time
		// is up, and a change that eats the budget must not skip a layer.
		layer.Reason = context.Cause(ctx).Error()
	case errors.As(err, &missing) && depth == 0 && !slices.Contains(r.Policy.Require, layer.Name):
		layer.Status = LayerSkipped
		return
	}
	layer.Status = LayerFailed
	if !itemised || missing != nil {
		r.gaps = append(r.gaps, Gap{Layer: layer.Name, Reason: layer.Reason})
	}
}

func (r *run) layer(name Layer) *LayerResult {
	for i := range r.layers {
		if r.layers[i].Name == name {
			return &r.layers[i]
		}
	}
	r.layers = append(r.layers, LayerResult{Name: name})
	return &r.layers[len(r.layers)-1]
}

// nextRound turns derived targets into a change of their own. Those that appeared
// too deep, too late or under a path that is taken are gaps of their parents.
func (r *run) nextRound(derived []Derived, depth int) *Change {
	tree := fstest.MapFS{}
	next := &Change{Head: tree, Base: r.Change.Base}
	taken := map[string]bool{}
	at := map[string]int{}
	for i, t := range r.targets {
		taken[t.Path] = true
		at[t.Path] = i
	}
	// In the order of what they came out of, which shards can restore.
	slices.SortStableFunc(derived, func(a, b Derived) int { return cmp.Compare(at[a.Target.Parent], at[b.Target.Parent]) })
	for _, c := range derived {
		t := *c.Target
		t.Depth = depth
		// The made-up path is shown; the tree needs one that fs.FS accepts.
		t.Path = path.Clean(strings.ReplaceAll(t.Path, "\x00", ""))
		if same, ok := tree[t.Path]; ok && bytes.Equal(same.Data, c.Content) {
			continue
		}
		reason := ""
		switch {
		case t.Parent == "" || !strings.HasPrefix(t.Path, t.Parent+"!") || !fs.ValidPath(t.Path):
			reason = fmt.Sprintf("decoded text has no valid path: %q", c.Target.Path)
		case taken[t.Path]:
			reason = fmt.Sprintf("decoded text has the path of another file: %q", t.Path)
		case depth > MaxDepth:
			reason = fmt.Sprintf("text decoded more than %d times was not looked at", MaxDepth)
		case len(r.targets)-len(r.Change.Targets)+len(next.Targets) >= MaxDerived:
			reason = fmt.Sprintf("more than %d decoded texts", MaxDerived)
		}
		if reason != "" {
			r.gaps = append(r.gaps, Gap{Layer: LayerStatic, Path: t.Parent, Reason: reason})
			continue
		}
		taken[t.Path] = true
		t.Mode, t.Size = 0o644|t.Mode.Perm(), int64(len(c.Content))
		if t.Kind != ChangeNone { // of a plain folder, where nothing is known to have changed
			t.Kind = ChangeAdded
		}
		tree[t.Path] = &fstest.MapFile{Data: c.Content, Mode: t.Mode}
		next.Targets = append(next.Targets, &t)
		next.Files = append(next.Files, t.Path)
	}
	r.found.Track(next.Targets)
	return next
}

// result decides about every file and about the run.
func (r *run) result() Result {
	res := Result{
		SchemaVersion: SchemaVersion,
		Tool:          r.Tool,
		Shard:         r.Shard,
		Layers:        r.layers,
		Files:         make([]FileResult, 0, len(r.targets)),
		Incomplete:    notNil(r.gaps),
		Skipped:       notNil(r.skipped),
	}
	for _, t := range r.targets {
		res.Files = append(res.Files, r.file(t))
	}
	res = Conclude(res, r.Policy)
	return LetPass(res, r.Override)
}

func (r *run) file(t *Target) FileResult {
	var gaps []Gap
	for _, g := range r.gaps {
		if g.Path == t.Path || g.Path == "" && (g.Layer == LayerStatic || !t.StaticOnly) {
			gaps = append(gaps, g)
		}
	}
	f := FileResult{
		Path: t.Path, OldPath: t.OldPath, Parent: t.Parent, Origin: Clip(t.Origin, MaxEvidence),
		Language: t.Language, Role: t.Role, Change: t.Kind,
		SHA256:      r.digests[t.Path],
		Masked:      r.masked[t.Path],
		Size:        r.accounts[t.Path].Size,
		Read:        r.accounts[t.Path].Read,
		Unread:      r.accounts[t.Path].Unread,
		Attribution: t.Attribution,
		Findings:    r.found.Of(t.Path),
		Judge:       r.judgements[t.Path],
		Execution:   r.executions[t.Path],
	}
	if f.Attribution.Basis == "" {
		f.Attribution.Basis = "unknown"
	}
	f.Attribution.Agents = notNil(f.Attribution.Agents)
	f.Attribution.Evidence = notNil(f.Attribution.Evidence)
	f.Attribution.Lines = notNil(f.Attribution.Lines)
	return r.Policy.DecideFile(f, gaps)
}

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
