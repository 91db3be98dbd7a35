package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/policy"
)

// runFlags are the flags of `gate run`.
type runFlags struct {
	layerFlags
	cache  cacheFlags
	out    outputFlags
	config string
	python string
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE...",
		Short: "Run files in the sandbox and show what they did",
		Long: `run executes files in fresh containers without network, together with the files
of the repository that they belong to, and shows how they ended and what they
wrote. Other layers are not asked: also code that the static rules call dangerous
is run. The exit code is gate's verdict, never the program's.`,
		Example: `  gate run script.py
  gate run --runtime runsc --timeout 10s tool.ts
  gate run --python restricted plugin.py
  gate run --format json build.sh`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("which file? gate %s", cmd.Use)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), f, args) },
	}
	f.registerSandbox(cmd)
	f.out.register(cmd)
	f.out.registerRun(cmd)
	f.cache.register(cmd)
	cmd.Flags().StringVar(&f.config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	cmd.Flags().StringVar(&f.python, "python", "", "`MODE` of Python: standard or restricted (default: the policy's)")
	complete(cmd, "python", "standard", "restricted")
	return cmd
}

func (a *app) run(ctx context.Context, f runFlags, paths []string) error {
	repo, err := change.Open(ctx, paths)
	if err != nil {
		return usage("%w", err)
	}
	defer repo.Close()
	f.layers = []string{string(gate.LayerSandbox)}
	set, err := a.policyOf(ctx, repo, "", f.config, &f.layerFlags)
	if err != nil {
		return err
	}
	if f.python != "" {
		if err := policy.Set(&set.policy, "sandbox.python", f.python, "--python"); err != nil {
			return usage("%w", err)
		}
	}
	set.policy.Sandbox.RunDangerous = true
	set.policy.Paths = gate.DefaultPolicy().Paths // who names a file wants that file
	f.out.verbose = true
	h, err := a.reporter(f.out, set.policy)
	if err != nil {
		return err
	}
	c, err := repo.Folder(ctx, change.Options{Paths: set.policy.Paths, Targets: set.policy.Limits.Files})
	if err != nil {
		return usage("%w", err)
	}
	if len(c.Targets) == 0 {
		return usage("nothing to run: %s holds no file%s", orHere(paths), whySkipped(c.Skipped))
	}
	w := a.wiring(set, f.selected())
	w.cache = a.cachePlace(f.cache)
	return a.runLayers(ctx, c, w, h, nil)
}
