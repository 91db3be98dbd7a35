package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing/fstest"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/event"
	"github.com/aigate/gate/gate/fork"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/suppress"
	"github.com/aigate/gate/report"
	"github.com/aigate/gate/report/github"

	"github.com/sethvargo/go-githubactions"
)

// defaultArtifact is the artifact in which the untrusted half leaves its result.
const defaultArtifact = "gate-result"

func (a *app) publishCommand() *cobra.Command {
	var artifact string
	cmd := &cobra.Command{
		Use:   "publish [RESULT]",
		Short: "In a workflow_run job: check and publish what the job of a fork has found",
		Long: `publish is the trusted half for pull requests from forks. It takes the pull request
and its commits from the API, never from the result; runs the static layer itself
on the head's files, read through the API; and publishes the worse of both. A
result whose workflow the pull request has changed is unverified and does not
pass. Nothing of the pull request is checked out or run.

RESULT is a file; without it, the artifact of the run is downloaded.`,
		Example: `  gate publish
  gate publish gate-result.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.publish(cmd.Context(), artifact, args)
		},
	}
	cmd.Flags().StringVar(&artifact, "artifact", defaultArtifact, "`NAME` of the artifact that holds the result")
	return cmd
}

func (a *app) publish(ctx context.Context, artifact string, args []string) error {
	r := &prRun{
		app: a, server: a.getenv("GITHUB_SERVER_URL"), flags: prFlags{save: "gate-result.json", sarif: "gate.sarif", publish: true},
		action: githubactions.New(githubactions.WithWriter(a.stdout), githubactions.WithGetenv(a.getenv)),
	}
	if err := r.readEvent(event.WorkflowRun); err != nil {
		return usage("%w", err)
	}
	if err := r.connect(); err != nil {
		return usage("%w", err)
	}
	run, pr, err := r.origin(ctx)
	if err != nil {
		return incomplete(err)
	}
	r.event.Number, r.event.Head, r.event.HeadRepo = pr.Number, run.HeadSHA, pr.HeadRepo

	res, p, err := r.verify(ctx, run, pr, artifact, args)
	if err != nil {
		res = nothingDone(err)
		p = gate.DefaultPolicy()
	}
	if published := r.tell(context.WithoutCancel(ctx), res, p); published != nil {
		err = errors.Join(err, published)
	}
	if err != nil {
		return incomplete(err)
	}
	return exitFor(res, nil)
}

// origin takes from the API which pull request the run was about, and holds it
// against what the run claims.
func (r *prRun) origin(ctx context.Context) (github.Run, github.PullRequest, error) {
	run, err := r.client.Run(ctx, r.event.RunID)
	if err != nil {
		return run, github.PullRequest{}, err
	}
	if run.Event != event.PullRequest {
		return run, github.PullRequest{}, fmt.Errorf("workflow run %d was started by %q, not by a pull request", run.ID, run.Event)
	}
	numbers, err := r.client.PullRequestsOf(ctx, run.HeadSHA)
	if err != nil {
		return run, github.PullRequest{}, err
	}
	for _, n := range numbers {
		pr, err := r.client.PullRequest(ctx, n)
		if err != nil {
			return run, pr, err
		}
		if pr.HeadSHA == run.HeadSHA && strings.EqualFold(pr.HeadRepo, run.HeadRepo) {
			return run, pr, nil
		}
	}
	return run, github.PullRequest{}, fmt.Errorf("no pull request has the commit %s of run %d as its head (any more)", run.HeadSHA, run.ID)
}

// verify looks at the change itself and lets the untrusted result only worsen
// what it sees.
func (r *prRun) verify(ctx context.Context, run github.Run, pr github.PullRequest, artifact string, args []string) (gate.Result, gate.Policy, error) {
	base, err := r.client.MergeBase(ctx, pr.BaseSHA, run.HeadSHA)
	if err != nil {
		return gate.Result{}, gate.Policy{}, err
	}
	remote := apiTree{r.client}
	set, older, err := r.remotePolicy(ctx, remote, base)
	if err != nil {
		return gate.Result{}, gate.Policy{}, err
	}
	c, err := change.Compare(ctx, remote, base, run.HeadSHA, change.Options{Paths: set.policy.Paths, Targets: set.policy.Limits.Files})
	if err != nil {
		return gate.Result{}, set.policy, err
	}
	accepted, err := set.baseline()
	if err != nil {
		return gate.Result{}, set.policy, err
	}
	claimed, problem := r.claimed(ctx, artifact, args)
	if problem == nil {
		problem = fork.Unverified(c, run.Path)
	}
	w := r.app.wiring(set, []gate.Layer{gate.LayerStatic})
	required := w.policy.Require
	w.policy.Require = []gate.Layer{gate.LayerStatic}
	l, err := r.app.stages(ctx, w)
	if err != nil {
		return gate.Result{}, set.policy, err
	}
	c.Base = older
	silenced := l.suppressions(silencing{change: c, againstBase: true, baseline: accepted, usage: set.policy.Rules.Usage})
	own, err := gate.Run(ctx, gate.Request{Tool: tool(), Change: c, Policy: w.policy, Stages: l.stages, Suppress: silenced, Handler: gate.Discard{}})
	if err = errors.Join(err, l.shut()); err != nil {
		return gate.Result{}, set.policy, err
	}
	return fork.Combine(own, claimed, problem, required, set.policy, silenced), set.policy, nil
}

// claimed reads the result of the untrusted half.
func (r *prRun) claimed(ctx context.Context, artifact string, args []string) (gate.Result, error) {
	var data []byte
	var err error
	if len(args) > 0 {
		var f *os.File
		if f, err = os.Open(args[0]); err == nil {
			defer f.Close()
			data, err = io.ReadAll(io.LimitReader(f, 64<<20))
		}
	} else {
		data, err = r.client.Artifact(ctx, r.event.RunID, artifact)
	}
	if err != nil {
		return gate.Result{}, err
	}
	res, err := report.Decode(bytes.NewReader(data))
	if err != nil {
		return gate.Result{}, fmt.Errorf("the result of the fork's job is not one of gate: %w", err)
	}
	if res.Shard != nil {
		return gate.Result{}, fmt.Errorf("the result of the fork's job is shard %d of %d; put all of them together there with `gate merge --publish` (which only saves, for a fork)", res.Shard.Index, res.Shard.Of)
	}
	return res, nil
}

// remotePolicy reads the policy, and the rules and the baseline beside it, from
// the base commit. The other files of that commit are read when they are needed.
func (r *prRun) remotePolicy(ctx context.Context, remote apiTree, base string) (settings, fs.FS, error) {
	files, err := remote.Tree(ctx, base)
	if err != nil {
		return settings{}, nil, err
	}
	older := remoteTree{ids: map[string]string{}, open: func(id string) ([]byte, error) { return remote.Blob(ctx, id, suppress.MaxFile) }}
	tree := fstest.MapFS{}
	fetch := func(path string, limit int64) error {
		id, ok := older.ids[path]
		if !ok {
			return fmt.Errorf("%s of the base commit is not a regular file", path)
		}
		data, err := remote.Blob(ctx, id, limit)
		if err != nil {
			return fmt.Errorf("read %s of the base commit: %w", path, err)
		}
		tree[path] = &fstest.MapFile{Data: data, Mode: 0o644}
		return nil
	}
	for _, f := range files {
		if f.Mode == 0o100644 || f.Mode == 0o100755 {
			older.ids[f.Path] = f.ID
		}
	}
	var sources []policy.Source
	for _, f := range files {
		switch f.Path {
		case policyFile:
			if err := fetch(f.Path, policy.MaxBytes); err != nil {
				return settings{}, nil, err
			}
			sources = append(sources, policy.Source{Name: policyFile, Data: tree[policyFile].Data, Trust: policy.Base})
		case suppress.BaselineFile:
			if err := fetch(f.Path, suppress.MaxBytes); err != nil {
				return settings{}, nil, err
			}
		}
	}
	p, _, err := policy.Load(sources...)
	if err != nil {
		return settings{}, nil, err
	}
	for _, f := range files {
		for _, dir := range p.Rules.Dirs {
			if strings.HasPrefix(f.Path, dir+"/") && f.Mode == 0o100644 {
				if err := fetch(f.Path, policy.MaxBytes); err != nil {
					return settings{}, nil, err
				}
			}
		}
	}
	protectItself(&p)
	return settings{policy: p, tree: tree}, older, nil
}

// apiTree lets package change read through package github.
type apiTree struct{ client *github.Client }

func (t apiTree) Tree(ctx context.Context, commit string) ([]change.RemoteFile, error) {
	files, err := t.client.Tree(ctx, commit)
	out := make([]change.RemoteFile, len(files))
	for i, f := range files {
		out[i] = change.RemoteFile(f)
	}
	return out, err
}

func (t apiTree) Blob(ctx context.Context, id string, limit int64) ([]byte, error) {
	return t.client.Blob(ctx, id, limit)
}

// nothingDone is the result of a run that failed before it looked at anything.
// A required check that is merely absent could be taken for one that still runs.
func nothingDone(err error) gate.Result {
	return gate.Result{
		SchemaVersion: gate.SchemaVersion, Tool: tool(), Decision: gate.DecisionIncomplete, Verdict: gate.Incomplete,
		Layers: []gate.LayerResult{}, Files: []gate.FileResult{}, Skipped: []gate.Skip{},
		Incomplete: []gate.Gap{{Layer: gate.LayerStatic, Reason: err.Error()}},
	}
}
