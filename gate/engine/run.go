package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/shard"
	"github.com/aigate/gate/gate/suppress"
)

// Origin is where a change and its policy come from. The change is asked for after the
// settings, because the policy says which files are looked at.
type Origin interface {
	Settings(ctx context.Context) (Settings, error)
	Change(ctx context.Context, p gate.Policy) (*gate.Change, error)
}

// Request is one change that is put through the layers.
type Request struct {
	Origin   Origin
	Selected []gate.Layer
	// Require, when set, takes the place of the policy's required layers: for a run that
	// is only a part of the whole.
	Require []gate.Layer
	Cache   CachePlace
	// Part is the shard that is looked at, and Base and Head the revisions by which shards
	// know that they are of one run.
	Part       shard.Part
	Base, Head string
	Suppress   Suppressions
	// RefuseEmpty makes a change without targets an error, [ErrEmpty].
	RefuseEmpty bool
	// Folders are those of this machine from which programs are given files and to which
	// they hand some out.
	Folders Folders
	// Handler, when set, makes what takes the events. It is called when everything is
	// known that a report needs.
	Handler func(Prepared) (gate.Handler, error)
	// Override, when set, says who lets the change pass regardless; nil is no override.
	Override func(context.Context, gate.Policy) *gate.Overridden
}

// Prepared is what is known of a run before it begins.
type Prepared struct {
	Settings
	Change *gate.Change // of the shard
}

// Outcome is what came out of a request. It holds what is known also where there is an
// error.
type Outcome struct {
	Result   gate.Result
	Settings Settings
	Change   *gate.Change // the whole, also of a shard
	// Suppressed says what is accepted; nil for nothing.
	Suppressed gate.Suppressor
}

// ErrEmpty is a change in which nothing is looked at.
var ErrEmpty = errors.New("nothing to look at")

// Run puts a change through the layers, in the one order that there is.
func (e *Engine) Run(ctx context.Context, r Request) (out Outcome, err error) {
	if out.Settings, err = r.Origin.Settings(ctx); err != nil {
		return out, err
	}
	set := out.Settings
	if r.Require != nil {
		set.Policy.Require = r.Require
	}
	if out.Change, err = r.Origin.Change(ctx, set.Policy); err != nil {
		return out, err
	}
	if r.RefuseEmpty && len(out.Change.Targets) == 0 && len(out.Change.Incomplete) == 0 {
		return out, ErrEmpty
	}
	accepted, err := r.Suppress.baseline(set)
	if err != nil {
		return out, err
	}
	carried, err := r.Folders.open()
	if err != nil {
		return out, err
	}
	if carried != nil {
		r.Cache = CachePlace{} // what is known of runs is without files of others
	}
	layers, err := e.Open(ctx, Setup{Settings: set, Selected: r.Selected, Cache: r.Cache, Base: r.Base, Prepare: e.preparation(out.Change, r, set.Policy), Export: carried.export()})
	if err != nil {
		return out, err
	}
	defer func() { err = exit.Failed(errors.Join(err, layers.Close())) }()
	mine, info, err := layers.part(out.Change, r, set.Policy)
	if err != nil {
		return out, err
	}
	var h gate.Handler = gate.Discard{}
	if r.Handler != nil {
		if h, err = r.Handler(Prepared{Settings: set, Change: mine}); err != nil {
			return out, err
		}
	}
	job := Job{
		Change: mine, Policy: set.Policy, Handler: h, Shard: info,
		Suppress: r.Suppress, whole: out.Change, Accepted: accepted,
		accounts: r.Suppress.ask(ctx, set.Policy, accepted, out.Change),
	}
	if r.Override != nil {
		job.Override = r.Override(ctx, set.Policy)
	}
	out.Result, out.Suppressed, err = layers.run(ctx, job)
	e.saySuppressed(out.Result, r.Suppress)
	return out, errors.Join(err, carried.deliver(e, out.Result.Verdict))
}

// saySuppressed tells the user of a scan how many findings the tree itself suppresses: it
// may be another user's.
func (e *Engine) saySuppressed(res gate.Result, s Suppressions) {
	if !s.On || s.AgainstBase || s.NoBaseline {
		return
	}
	n := 0
	for _, f := range res.Files {
		for _, finding := range f.Findings {
			if finding.Suppressed != nil {
				n++
			}
		}
	}
	if n > 0 {
		e.Noticef("findings that the scanned tree's own comments and baseline suppress: %d (--no-suppressions lets them decide)", n)
	}
}

// Job is one change for layers that are open.
type Job struct {
	Change   *gate.Change
	Policy   gate.Policy
	Handler  gate.Handler // nil drops every event
	Suppress Suppressions
	// Accepted is the baseline that [Suppressions.On] lets count; nil is none.
	Accepted *suppress.Baseline
	Shard    *gate.Shard
	Override *gate.Overridden
	// Container, when set, is told of every container that is started for the change,
	// where the layers were opened with [Setup.Audit]. It may be called concurrently.
	Container func(Container)

	whole    *gate.Change // of which Change is a shard; nil where it is all
	accounts map[string]suppress.Account
}

// Run puts a change through open layers, as often as the caller wants.
func (l *Layers) Run(ctx context.Context, j Job) (gate.Result, error) {
	res, _, err := l.run(ctx, j)
	return res, err
}

// run is the only caller of gate.Run.
func (l *Layers) run(ctx context.Context, j Job) (gate.Result, gate.Suppressor, error) {
	if j.Handler == nil {
		j.Handler = gate.Discard{}
	}
	req := gate.Request{
		Tool: l.tool, Change: j.Change, Policy: j.Policy, Handler: j.Handler, Stages: l.stages,
		Shard: j.Shard, Override: j.Override,
	}
	if set := l.suppressions(j); set != nil {
		req.Suppress = set
		req.Stages = slices.Clone(l.stages) // the suppressions of each change are its own
		for i, s := range req.Stages {
			if s.Name() == gate.LayerStatic {
				req.Stages[i] = set.Stage(s)
			}
		}
	}
	if j.Container != nil {
		ctx = withAudit(ctx, j.Container)
	}
	res, err := gate.Run(ctx, req)
	return res, req.Suppress, err
}

// Suppressions say what can keep a finding from deciding. With the zero value, nothing
// can.
type Suppressions struct {
	// On lets comments, the baseline and the policy's safe usages do it.
	On bool
	// AgainstBase says that only what the base commit has counts.
	AgainstBase bool
	// NoBaseline leaves out the baseline, but for its dismissals.
	NoBaseline bool
	// Accounts, when set, finds out which accounts have the right to dismiss; without it
	// that is not checked, and the report says so.
	Accounts func(ctx context.Context, p gate.Policy, names []string) map[string]suppress.Account
}

func (s Suppressions) baseline(set Settings) (*suppress.Baseline, error) {
	if !s.On {
		return nil, nil
	}
	all, err := set.Baseline()
	if s.NoBaseline {
		return all.Dismissals(), nil // what can't be read is for the caller to say
	}
	return all, err
}

// ask finds out about the accounts whose dismissals could count for a change.
func (s Suppressions) ask(ctx context.Context, p gate.Policy, b *suppress.Baseline, c *gate.Change) map[string]suppress.Account {
	if s.Accounts == nil {
		return nil
	}
	names := b.Dismissers(c, time.Now())
	if len(names) == 0 {
		return map[string]suppress.Account{}
	}
	return s.Accounts(ctx, p, names)
}

// suppressions are what is accepted in one change, nil for nothing.
func (l *Layers) suppressions(j Job) *suppress.Set {
	if !j.Suppress.On {
		return nil
	}
	whole := j.whole
	if whole == nil {
		whole = j.Change
	}
	return suppress.New(suppress.Options{
		Change: whole, AgainstBase: j.Suppress.AgainstBase, Rules: l.rules,
		Baseline: j.Accepted, Usage: j.Policy.Rules.Usage, Accounts: j.accounts, Today: time.Now(),
	})
}

// grouper is a layer that looks at some targets together, so that they have to be
// in one shard, and to which the other targets matter.
type grouper interface {
	Together(c *gate.Change) map[string]string
}

// part narrows a change to what a shard looks at; info is nil for the whole.
func (l *Layers) part(c *gate.Change, r Request, p gate.Policy) (mine *gate.Change, info *gate.Shard, err error) {
	if r.Part.Whole() {
		return c, nil, nil
	}
	var together map[string]string
	context := false
	for _, s := range l.stages {
		if g, ok := s.(grouper); ok {
			together, context = g.Together(c), true
		}
	}
	mine, info, err = shard.Split(c, r.Part, p, together, context)
	if err != nil {
		return nil, nil, fmt.Errorf("split the change: %w", err)
	}
	info.Base, info.Head = r.Base, r.Head
	return mine, info, nil
}
