package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/report"
)

// runFlags are the flags of `gate run`.
type runFlags struct {
	engine.Options
	cache engine.CacheOptions
	out   report.OutputOptions
	files engine.Folders
}

func runCommand(a *app) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE...",
		Short: "Run files in the sandbox and show what they did",
		Long: `run executes files in fresh containers without network, together with the files
of the repository that they belong to, and shows how they ended and what they
wrote. Other layers are not asked: also code that the static rules call dangerous
is run. The exit code is gate's verdict, never the program's.`,
		Example: `  gate run script.py
  gate run --runtime runsc --timeout 10s --memory 1g --cpus 2 tool.ts
  gate run --input data/ --output results/ report.py
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
	registerSandbox(cmd, &f.Options)
	registerReport(cmd, &f.out, "report")
	registerOutputOfRun(cmd, &f.out)
	registerCache(cmd, &f.cache)
	cmd.Flags().StringVar(&f.files.Input, "input", "", "give the files of `DIR` to the program, read-only, as /input")
	cmd.Flags().StringVar(&f.files.Output, "output", "", "write what the program leaves in /output to `DIR`; files that are there stay")
	cmd.Flags().StringVar(&f.Config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	cmd.Flags().StringVar(&f.Python, "python", "", "`MODE` of Python: standard or restricted (default: the policy's)")
	complete(cmd, "python", "standard", "restricted")
	return cmd
}

func (a *app) run(ctx context.Context, f runFlags, paths []string) error {
	e := a.engine()
	f.Layers = []string{string(gate.LayerSandbox)}
	local, err := e.OpenLocal(ctx, engine.LocalOptions{Paths: paths, Options: f.Options, Adjust: func(p *gate.Policy) {
		p.Sandbox.RunDangerous = true
		p.Paths = gate.DefaultPolicy().Paths // a file that was named is wanted
	}})
	if err != nil {
		return err
	}
	defer local.Close()
	f.out.Verbose = true
	out, err := a.look(ctx, e, f.out, engine.Request{
		Origin: local, Selected: f.Selected(), Cache: e.CachePlace(f.cache),
		RefuseEmpty: true, Folders: f.files,
	})
	if errors.Is(err, engine.ErrEmpty) {
		return usage("%w", local.Nothing("run", out.Change))
	}
	return err
}
