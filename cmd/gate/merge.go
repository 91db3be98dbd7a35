package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/action"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/gate/lab/attackrun"
	"github.com/aigate/gate/gate/shard"
	"github.com/aigate/gate/report"
)

// mergeFlags are the flags of `gate merge`.
type mergeFlags struct {
	out     report.OutputOptions
	sarif   string
	source  string
	require []string
	publish bool
}

func (a *app) mergeCommand() *cobra.Command {
	var f mergeFlags
	cmd := &cobra.Command{
		Use:   "merge RESULT...",
		Short: "Put the results of all shards of a run together",
		Long: `merge reads the results that --shard I/N of "gate scan", "gate pr" or "gate attack"
saved, one file a shard; a folder stands for the .json files in it. The outcome is
that of a run that was not split: the same verdicts and findings in the same order,
decided by the same functions.

Results are taken as hostile. They must be of one version of gate, one policy, base
and content, each shard once; anything else is an error that names the file. A shard
that is missing makes the outcome incomplete, never a pass.

--publish, in GitHub Actions, publishes what "gate pr" would have: fail-on, the
required layers and the override come from the base commit's policy.`,
		Example: `  gate merge shards/ --format html -o report.html
  gate merge shard-1.json shard-2.json --save result.json
  gate merge shards/ --publish
  gate merge attacks/ --save attacks.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.publish {
				return a.mergeAndPublish(cmd.Context(), f, args)
			}
			return a.merge(f, args)
		},
	}
	registerOutput(cmd, &f.out)
	fl := cmd.Flags()
	fl.StringVar(&f.out.Save, "save", "", "also save the merged result as JSON to `FILE` (default with --publish: gate-result.json)")
	fl.StringVar(&f.source, "source", ".", "`FOLDER` with the files that were scanned, for the lines around findings")
	fl.BoolVar(&f.publish, "publish", false, "publish the verdict to GitHub, as gate pr does")
	fl.StringVar(&f.sarif, "sarif", "gate.sarif", "with --publish: save the SARIF report to `FILE`")
	fl.StringSliceVar(&f.require, "require", nil, "with --publish: `LAYERS` that must have completed, besides those of the policy")
	return cmd
}

// merge renders the merged result.
func (a *app) merge(f mergeFlags, args []string) error {
	files, err := shard.ReadFiles(args)
	if err != nil {
		return usage("%w", err)
	}
	if slices.ContainsFunc(files, func(f shard.File) bool { return engine.IsAttackResult(f.Data) }) {
		return a.mergeAttacks(f, files)
	}
	parts, err := engine.DecodeShards(files)
	if err != nil {
		return usage("%w", err)
	}
	res, err := shard.Merge(parts)
	if err != nil {
		return usage("%w", err)
	}
	f.out.Quiet = true
	return a.replay(res, f.out, f.source)
}

// mergeAttacks does the same for `gate attack`.
func (a *app) mergeAttacks(f mergeFlags, files []shard.File) error {
	if !slices.Contains(attackrun.Formats(), f.out.Format) {
		return usage("there is no format %q of attacks (json, text or markdown)", f.out.Format)
	}
	var named []attack.Named
	for _, p := range files {
		res, err := attack.ParseResult(p.Name, p.Data)
		if err != nil {
			return usage("%w", err)
		}
		named = append(named, attack.Named{Name: p.Name, Result: res})
	}
	res, err := attack.Merge(named)
	if err != nil {
		return usage("%w", err)
	}
	return attackrun.Output{Format: f.out.Format, File: f.out.File, Save: f.out.Save}.Write(a.stdout, res)
}

// mergeAndPublish is the second half of `gate pr --shard`.
func (a *app) mergeAndPublish(ctx context.Context, f mergeFlags, args []string) error {
	o := action.Options{Engine: engine.Options{Require: f.require}, Save: cmp.Or(f.out.Save, "gate-result.json"), SARIF: f.sarif, Publish: true}
	return a.job().Merge(ctx, o, func() ([]shard.Result, error) {
		files, err := shard.ReadFiles(args)
		if err != nil {
			return nil, err
		}
		return engine.DecodeShards(files)
	})
}
