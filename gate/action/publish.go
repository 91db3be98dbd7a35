package action

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change/event"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/fork"
	"github.com/aigate/gate/report"
	"github.com/aigate/gate/report/github"
)

// DefaultArtifact is the artifact in which the untrusted half leaves its result.
const DefaultArtifact = "gate-result"

// maxClaim bounds the result of the untrusted half, in bytes.
const maxClaim = 64 << 20

// Publish checks what the job of a fork has found and publishes the worse of that and of
// what it finds itself. file holds the result; "" downloads the artifact of the run.
func (j Job) Publish(ctx context.Context, artifact, file string) error {
	r, err := j.start(Options{Save: "gate-result.json", SARIF: "gate.sarif", Publish: true}, event.WorkflowRun)
	if err != nil {
		return err
	}
	run, all, err := r.origin(ctx)
	if err != nil {
		return exit.Failed(err)
	}
	r.event.Head = run.HeadSHA
	var res gate.Result
	var p gate.Policy
	var failed error
	var worst github.PullRequest
	for i, pr := range all {
		about(&r.event, pr) // who the author is decides which dismissals count
		one, policy, err := r.verify(ctx, run, pr, artifact, file)
		if err != nil {
			one, policy = nothingDone(r.Engine.Tool(), err), gate.DefaultPolicy()
			failed = errors.Join(failed, err)
		}
		if i > 0 && one.Decision <= res.Decision {
			continue
		}
		res, p, worst = one, policy, pr
	}
	about(&r.event, worst)
	if published := r.tell(context.WithoutCancel(ctx), res, p); published != nil {
		failed = errors.Join(failed, published)
	}
	if failed != nil {
		return exit.Failed(failed)
	}
	return exit.For(res.Decision, nil)
}

// about makes an event that of a pull request.
func about(e *event.Event, pr github.PullRequest) {
	e.Number, e.HeadRepo, e.Author = pr.Number, pr.HeadRepo, pr.Author
}

// maxSameHead bounds the pull requests with one head.
const maxSameHead = 5

// origin takes from the API which pull requests have the head of the run, and holds them against what
// the run claims. A check belongs to the commit: where several pull requests have it, with other
// bases, each is looked at, and the worst of them is the answer for all.
func (r *run) origin(ctx context.Context) (github.Run, []github.PullRequest, error) {
	run, err := r.client.Run(ctx, r.event.RunID)
	if err != nil {
		return run, nil, err
	}
	if run.Event != event.PullRequest {
		return run, nil, fmt.Errorf("workflow run %d was started by %q, not by a pull request", run.ID, run.Event)
	}
	numbers, err := r.client.PullRequestsOf(ctx, run.HeadSHA)
	if err != nil {
		return run, nil, err
	}
	var all []github.PullRequest
	for _, n := range numbers {
		pr, err := r.client.PullRequest(ctx, n)
		if err != nil {
			return run, nil, err
		}
		if pr.HeadSHA == run.HeadSHA && strings.EqualFold(pr.HeadRepo, run.HeadRepo) {
			all = append(all, pr)
		}
	}
	if len(all) > maxSameHead {
		return run, nil, fmt.Errorf("%d pull requests have the commit %s of run %d as their head (at most %d are looked at): close those that are not needed", len(all), run.HeadSHA, run.ID, maxSameHead)
	}
	if len(all) > 0 {
		return run, all, nil
	}
	return run, nil, fmt.Errorf("no pull request has the commit %s of run %d as its head (any more)", run.HeadSHA, run.ID)
}

// verify looks at the change itself and lets the untrusted result only worsen
// what it sees.
func (r *run) verify(ctx context.Context, run github.Run, pr github.PullRequest, artifact, file string) (gate.Result, gate.Policy, error) {
	base, err := r.client.MergeBase(ctx, pr.BaseSHA, run.HeadSHA)
	if err != nil {
		return gate.Result{}, gate.Policy{}, err
	}
	only := []gate.Layer{gate.LayerStatic}
	own, err := r.Engine.Run(ctx, engine.Request{
		Origin: &remote{api: apiTree{r.client}, base: base, head: run.HeadSHA}, Selected: only, Require: only,
		Suppress: engine.Suppressions{On: true, AgainstBase: true, Accounts: dismissers{r, base}.find},
	})
	p := own.Settings.Policy
	if err != nil {
		return gate.Result{}, p, err
	}
	claimed, problem := r.claimed(ctx, artifact, file)
	if problem == nil {
		problem = fork.Unverified(own.Change, run.Path)
	}
	return fork.Combine(own.Result, claimed, problem, p.Require, p, own.Suppressed), p, nil
}

// claimed reads the result of the untrusted half.
func (r *run) claimed(ctx context.Context, artifact, file string) (gate.Result, error) {
	var data []byte
	var err error
	if file != "" {
		data, err = bounded.ReadPath(file, maxClaim)
	} else {
		data, err = r.client.Artifact(ctx, r.event.RunID, artifact)
	}
	if err != nil {
		return gate.Result{}, err
	}
	return DecodeClaim(data)
}

// DecodeClaim reads the result of the untrusted half, which may be anything.
func DecodeClaim(data []byte) (gate.Result, error) {
	res, err := report.Decode(bytes.NewReader(data))
	if err != nil {
		return gate.Result{}, fmt.Errorf("the result of the fork's job is not one of gate: %w", err)
	}
	if res.Shard != nil {
		return gate.Result{}, fmt.Errorf("the result of the fork's job is shard %d of %d; put all of them together there with `gate merge --publish` (which only saves, for a fork)", res.Shard.Index, res.Shard.Of)
	}
	return res, nil
}
