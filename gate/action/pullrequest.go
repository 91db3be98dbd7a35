package action

import (
	"context"
	"errors"
	"fmt"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/attribution"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/event"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
)

// PullRequest gates the change of the event and publishes the verdict.
func (j Job) PullRequest(ctx context.Context, o Options) error {
	r, err := j.start(o, event.Names()...)
	if err != nil {
		return err
	}
	out, err := r.gate(ctx)
	if err != nil && len(out.Result.Layers) == 0 && !o.Part.Whole() {
		return err // a result that is not there is missed; one without a shard is refused
	}
	return r.finish(ctx, out.Result, out.Settings.Policy, err)
}

// gate puts the change of the event through the layers.
func (r *run) gate(ctx context.Context) (engine.Outcome, error) {
	origin, err := r.open(ctx)
	if err != nil {
		return engine.Outcome{}, err
	}
	defer origin.repo.Close()
	return r.Engine.Run(ctx, engine.Request{
		Origin: origin, Selected: r.o.Engine.Selected(), Cache: keeps(r),
		Part: r.o.Part, Base: origin.base, Head: r.event.Head,
		Suppress: engine.Suppressions{On: true, AgainstBase: true, Accounts: dismissers{r, r.event.Base}.find},
		Override: r.override,
		Handler:  r.prepare,
	})
}

// keeps is where a run keeps what it finds out.
func keeps(r *run) engine.CachePlace {
	c := r.Engine.CachePlace(r.o.Cache)
	// What a fork brings about must not be known to anybody else's run.
	c.ReadOnly = r.event.Fork()
	c.Fresh = r.event.Fresh(r.Engine.Getenv("GITHUB_REF_PROTECTED") == "true")
	return c
}

// prepare documents the rules while the base commit is at hand.
func (r *run) prepare(p engine.Prepared) (gate.Handler, error) {
	if own, err := p.UserRules(); err == nil && len(own) > 0 {
		if docs, err := r.Rules(own...); err == nil {
			r.rules = docs
		}
	}
	if r.Progress == nil {
		return gate.Discard{}, nil
	}
	return r.Progress, nil
}

// checkout is an [engine.Origin]: the commits of the event in the runner's checkout.
type checkout struct {
	engine  *engine.Engine
	options engine.Options
	event   event.Event
	repo    *change.Repo
	base    string // the commit from which the change starts
}

var _ engine.Origin = (*checkout)(nil)

// open finds the checkout and the commit from which the change starts.
func (r *run) open(ctx context.Context) (*checkout, error) {
	base, err := r.base()
	if err != nil {
		return nil, exit.Failed(err)
	}
	repo, err := change.Open(ctx, r.workspace())
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	return &checkout{engine: r.Engine, options: r.o.Engine, event: r.event, repo: repo, base: base}, nil
}

// base is the commit from which the change starts. A new branch and a manual run
// have none: they start where the default branch was left.
func (r *run) base() (string, error) {
	if r.event.Base != "" {
		return r.event.Base, nil
	}
	if r.event.BaseRef == "" {
		return "", errors.New("the event names neither a base commit nor a default branch")
	}
	return "refs/remotes/origin/" + r.event.BaseRef, nil
}

// Settings implements [engine.Origin]: the commits are fetched first, because the policy
// is the base's. The flags are in a workflow file, which a pull request can change: they
// can require more layers, and not fewer.
func (c *checkout) Settings(ctx context.Context) (engine.Settings, error) {
	if err := c.repo.Fetch(ctx, c.base, c.event.Head); err != nil {
		return engine.Settings{}, exit.Failed(err)
	}
	plain, err := c.engine.Settings(ctx, c.repo, c.base, engine.Options{})
	if err != nil {
		return engine.Settings{}, err
	}
	set, err := c.engine.Settings(ctx, c.repo, c.base, c.options)
	return set.RequireMore(plain), err
}

// Change implements [engine.Origin].
func (c *checkout) Change(ctx context.Context, p gate.Policy) (*gate.Change, error) {
	found, err := c.repo.Between(ctx, c.base, c.event.Head, change.Options{Paths: p.Paths, Targets: p.Limits.Files})
	if err != nil {
		return nil, exit.Failed(err)
	}
	return found, exit.Failed(c.attribute(ctx, found, p))
}

// attribute finds out who wrote the change. Notes that some tools keep are not
// part of a clone; that they could not be fetched is a doubt, not a failure.
func (c *checkout) attribute(ctx context.Context, found *gate.Change, p gate.Policy) error {
	history, doubt, err := engine.History(ctx, c.repo, c.base, c.event.Head)
	if err != nil {
		return err
	}
	e := c.event
	in := attribution.Input{Change: found, History: history, Doubt: doubt, Policy: p, Pull: attribution.Pull{
		Branch: e.HeadRef, Title: e.Title, Body: e.Body, Author: e.Author, Labels: e.Labels,
	}}
	for _, ref := range []string{attribution.GitAINotes, attribution.AgentTraceNotes} {
		fetched, err := c.repo.FetchNotes(ctx, ref)
		switch {
		case err != nil:
			in.Doubt = fmt.Sprintf("the notes in %s could not be fetched: %v", ref, err)
		case fetched != "":
			in.Notes = append(in.Notes, fetched)
		}
	}
	return attribution.Attribute(ctx, in)
}

// override returns who passes this change regardless, and why, or nil. Only the event of
// setting the label counts, because only that says who did; a later push is a new
// change and wants the label anew. The reason is a comment of the same person.
func (r *run) override(ctx context.Context, p gate.Policy) *gate.Overridden {
	e := r.event
	if e.Action != "labeled" || e.Label == "" || e.Label != p.Override.Label || r.client == nil {
		return nil
	}
	has, err := r.client.Permission(ctx, e.Sender)
	if err != nil {
		r.action.Warningf("The label %q does not count: %v", e.Label, err)
		return nil
	}
	if !atLeast(has, p.Override.Permission) {
		r.action.Warningf("The label %q does not count: %s has the permission %q and %q is needed", e.Label, e.Sender, has, p.Override.Permission)
		return nil
	}
	reason, err := r.client.Reason(ctx, e.Number, e.Sender, e.Label)
	if err != nil {
		r.action.Warningf("The label %q does not count: %v", e.Label, err)
		return nil
	}
	if reason == "" {
		r.action.Warningf("The label %q does not count: it has no reason. %s writes a comment that begins with %q and says why, and sets the label again", e.Label, e.Sender, e.Label+":")
		return nil
	}
	return &gate.Overridden{By: e.Sender, Label: e.Label, Reason: reason}
}

// atLeast compares permissions. An unknown name, such as a custom role, is not enough
// for anything.
func atLeast(has, want string) bool {
	rank := map[string]int{"write": 1, "maintain": 2, "admin": 3}
	return rank[has] > 0 && rank[has] >= rank[want] && rank[want] > 0
}
