package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/shard"
	"github.com/aigate/gate/report"
)

// scanFlags are the flags of `gate scan`.
type scanFlags struct {
	engine.LocalOptions
	cache engine.CacheOptions
	out   report.OutputOptions
	shard string
	// noSuppressions lets every finding decide.
	noSuppressions bool
}

func scanCommand(a *app) *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan [PATH...]",
		Short: "Put a folder, a change or the staged content through the layers",
		Long: `scan looks at files and folders (default: the current one), at what changed since
a revision (--base), or at exactly what would be committed (--staged).

In a git work tree, ignored files are left out. Layers that are not there are
skipped with the command that gets them, unless --layers or the policy's
"require" names them: then the result is incomplete.`,
		Example: `  gate scan ./
  gate scan --base origin/main
  gate scan --staged --layers static
  gate scan src/ --format json -o result.json
  gate scan ./ --layers static,sandbox --runtime runsc --cpus 2`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.Base == "" && cmd.Flags().Changed("base") { // a variable that is not set
				return usage("--base has an empty value: name a revision or leave the flag out")
			}
			return a.scan(cmd.Context(), f, args)
		},
	}
	registerLayers(cmd, &f.Options)
	registerOutput(cmd, &f.out)
	registerOutputOfRun(cmd, &f.out)
	registerCache(cmd, &f.cache)
	fl := cmd.Flags()
	fl.StringVar(&f.Base, "base", "", "look at what changed since the merge base with `REV`, uncommitted changes included")
	fl.BoolVar(&f.Staged, "staged", false, "look at the staged content, as a commit would record it")
	fl.BoolVar(&f.AIOnly, "ai-only", false, "with --base: the judge and the sandbox see only what an AI wrote or may have written")
	fl.BoolVar(&f.noSuppressions, "no-suppressions", false, "ignore inline and baseline suppressions, for scanning third-party code")
	fl.StringVar(&f.Options.Config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	fl.StringVar(&f.Options.FailOn, "fail-on", "", "block from this verdict on: dangerous or suspicious (default: the policy's)")
	fl.StringVar(&f.shard, "shard", "", shardUsage)
	complete(cmd, "fail-on", "dangerous", "suspicious")
	cmd.MarkFlagsMutuallyExclusive("base", "staged")
	return cmd
}

func (a *app) scan(ctx context.Context, f scanFlags, paths []string) error {
	if f.AIOnly && f.Base == "" {
		return usage("--ai-only needs --base REV: who wrote a file is known from the commits since then")
	}
	part, err := partOf(f.shard)
	if err != nil {
		return err
	}
	e := a.engine()
	f.Paths = paths
	local, err := e.OpenLocal(ctx, f.LocalOptions)
	if err != nil {
		return err
	}
	defer local.Close()
	out, err := a.look(ctx, e, f.out, engine.Request{
		Origin: local, Selected: f.Options.Selected(), Cache: e.CachePlace(f.cache), Part: part, Base: f.Base,
		Suppress: engine.Suppressions{On: !f.noSuppressions, AgainstBase: local.PolicyRevision() != ""}, RefuseEmpty: f.Base == "",
	})
	switch {
	case errors.Is(err, engine.ErrEmpty) && f.Staged:
		e.Noticef("nothing is staged")
		return nil
	case errors.Is(err, engine.ErrEmpty):
		return usage("%w", local.Nothing("scan", out.Change))
	}
	return err
}

// look puts a change through the layers and reports.
func (a *app) look(ctx context.Context, e *engine.Engine, o report.OutputOptions, r engine.Request) (engine.Outcome, error) {
	if err := o.Check(); err != nil {
		return engine.Outcome{}, exit.Usagef("%w", err)
	}
	var h *report.Output
	r.Handler = func(p engine.Prepared) (gate.Handler, error) {
		own, err := p.UserRules()
		if err != nil {
			return nil, err
		}
		rules, err := a.reportRules(own...)
		if err != nil {
			return nil, err
		}
		h, err = report.NewOutput(o, a.console(), report.Options{
			FailOn: p.Policy.FailOn, Rules: rules, Source: report.SourceOfChange(p.Change).Lines,
		})
		return h, err
	}
	out, err := e.Run(ctx, r)
	switch {
	case h == nil:
		return out, exit.Failed(err)
	case err != nil:
		return out, exit.Failed(errors.Join(err, h.Close()))
	}
	return out, exit.Reported(out.Result.Decision, h.Close())
}

// partOf reads --shard; "" is the whole.
func partOf(flag string) (shard.Part, error) {
	if flag == "" {
		return shard.Part{}, nil
	}
	part, err := shard.Parse(flag)
	if err != nil {
		return part, usage("--shard: %w", err)
	}
	return part, nil
}
