package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/deps"
	"github.com/aigate/gate/gate/engine"
)

func depsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deps",
		Short: "Images with the dependencies of a commit",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(depsBuildCommand(a), depsListCommand(a), depsPruneCommand(a))
	return cmd
}

func depsBuildCommand(a *app) *cobra.Command {
	var o engine.DependencyOptions
	var verbose bool
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build images with what the lock files of a commit name",
		Long: `build reads the lock files of a commit, never those of the work tree, installs what
they name without the code, and makes an image of it for each language. scan, pr and
run find it by the digest of those files, and build it themselves with deps: auto.

Which files those are: docs/dependencies-of-a-change.md. Nothing of a package is
executed: only built packages of Python are taken, and install scripts of npm
packages do not run, unless --allow-scripts says so. What private registries
need comes from this machine and stays in gate, which fetches for the container that
installs: it has no network and sees no credential.`,
		Example: `  gate deps build
  gate deps build --base origin/main
  gate deps build --secret-env NPM_TOKEN --secret-file netrc=$HOME/.netrc`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if verbose {
				o.Log = a.stderr
			}
			return a.engine().BuildDependencies(cmd.Context(), o, a.stdout)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.Base, "base", "", "take the lock files that a change since `REV` starts from (default: those of HEAD)")
	fl.StringSliceVar(&o.Languages, "language", nil, "only for these `LANGUAGES`: "+strings.Join(deps.Languages(), ", "))
	fl.BoolVar(&o.Scripts, "allow-scripts", false, "let packages run code of their own while they are installed")
	fl.StringSliceVar(&o.SecretEnv, "secret-env", nil, "environment `VARIABLES` that must be set, such as the NPM_TOKEN of an .npmrc, PIP_INDEX_URL, GOPROXY")
	fl.StringSliceVar(&o.SecretFiles, "secret-file", nil, "this machine's registry settings from `KIND=FILE` instead of the usual places: netrc, npmrc, pip.conf")
	fl.StringVar(&o.CA, "ca", "", "certificates in PEM form that the installers trust as well, in a `FILE`")
	fl.DurationVar(&o.Within, "within", deps.DefaultWithin, "time for the dependencies of one language")
	fl.BoolVar(&o.Force, "force", false, "build also what is current")
	fl.BoolVarP(&verbose, "verbose", "v", false, "show what the installers say")
	complete(cmd, "language", deps.Languages()...)
	return cmd
}

func depsListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the images with dependencies",
		Example: "  gate deps list",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return deps.List(cmd.Context(), a.stdout) },
	}
}

func depsPruneCommand(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove images with dependencies that are more than a month old",
		Long: `prune removes images that "gate deps build" made and that are more than a month old,
because what they hold lacks the fixes since then. It touches no other image.`,
		Example: "  gate deps prune\n  gate deps prune --all",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return deps.Prune(cmd.Context(), all, a.stdout) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "remove those that are younger, too")
	return cmd
}
