package action

import (
	"context"
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/event"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/shard"
)

// Merge publishes what the shards of a run come to: the second half of
// [Job.PullRequest] with a part. read returns the results of the shards.
func (j Job) Merge(ctx context.Context, o Options, read func() ([]shard.Result, error)) error {
	r, err := j.start(o, event.Names()...)
	if err != nil {
		return err
	}
	res, set, err := r.merged(ctx, read)
	return r.finish(ctx, res, set.Policy, err)
}

// merged holds the shards against the event and the base commit's policy, which
// decides.
func (r *run) merged(ctx context.Context, read func() ([]shard.Result, error)) (gate.Result, engine.Settings, error) {
	origin, err := r.open(ctx)
	if err != nil {
		return gate.Result{}, engine.Settings{}, err
	}
	defer origin.repo.Close()
	set, err := origin.Settings(ctx)
	if err != nil {
		return gate.Result{}, set, err
	}
	parts, err := read()
	if err != nil {
		return gate.Result{}, set, exit.Failed(err)
	}
	for _, p := range parts {
		if s := p.Shard; s != nil && (s.Head != r.event.Head || s.Base != origin.base) {
			return gate.Result{}, set, exit.Failed(fmt.Errorf("%s is about %.40q on top of %.40q, and this event about %s on top of %s", p.Name, s.Head, s.Base, r.event.Head, origin.base))
		}
	}
	res, err := shard.Merge(parts)
	if err != nil {
		return gate.Result{}, set, exit.Failed(err)
	}
	for _, l := range set.Policy.Require {
		if !slices.ContainsFunc(res.Layers, func(have gate.LayerResult) bool { return have.Name == l && have.Status != gate.LayerSkipped }) {
			res.Incomplete = append(res.Incomplete, gate.Gap{Layer: l, Reason: "the policy requires this layer and it was not run"})
		}
	}
	return gate.LetPass(gate.Conclude(res, set.Policy), r.override(ctx, set.Policy)), set, nil
}
