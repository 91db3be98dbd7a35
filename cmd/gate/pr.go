package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/action"
)

func (a *app) prCommand() *cobra.Command {
	var o action.Options
	var part string
	cmd := &cobra.Command{
		Use:   "pr",
		Short: "In GitHub Actions: gate the change of the event and publish the verdict",
		Long: `pr reads the event that started the workflow, puts the change through the layers,
and publishes the verdict as a check run named "gate", a comment, annotations, a
step summary, an upload to code scanning, and step outputs.

The policy, the rules that it names, the baseline and the suppressions come from the
base commit. A pull request from a
fork has a read-only token: there the result is only saved, for "gate publish".

With --shard I/N, pr looks at a part of the change and only saves the result;
"gate merge --publish" publishes what all shards come to.`,
		Example: `  gate pr
  gate pr --layers static,sandbox --save gate-result.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.pr(cmd.Context(), o, part) },
	}
	registerLayers(cmd, &o.Engine)
	registerCache(cmd, &o.Cache)
	fl := cmd.Flags()
	fl.StringVar(&o.Save, "save", "gate-result.json", "save the result as JSON to `FILE`")
	fl.StringVar(&o.SARIF, "sarif", "gate.sarif", "save the SARIF report to `FILE`")
	fl.BoolVar(&o.Publish, "publish", true, "publish the verdict to GitHub")
	fl.StringVar(&part, "shard", "", shardUsage)
	return cmd
}

func (a *app) pr(ctx context.Context, o action.Options, part string) error {
	var err error
	if o.Part, err = partOf(part); err != nil {
		return err
	}
	return a.job().PullRequest(ctx, o)
}

// job is the job of a workflow that this process runs in.
func (a *app) job() action.Job {
	return action.Job{Engine: a.engine(), Stdout: a.stdout, Rules: a.reportRules, Progress: newLogProgress(a.stderr), Wait: a.apiWait}
}
