package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/cache/housekeeping"
	"github.com/aigate/gate/gate/cache/ledger"
	"github.com/aigate/gate/gate/engine"
)

func cacheCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "cache", Short: "Show, explain or prune what is known from earlier runs",
		Long: `cache is about the folder in which gate keeps what the model answered and what
programs did in the sandbox, so that the very same question is not asked and the
very same run not repeated. docs/cache.md says what the very same is.`,
		Example: `  gate cache show
  gate cache explain
  gate cache prune --max-age 7d`,
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		cacheViewCommand(a, "show", "Show where the cache is and how large", "", housekeeping.Show),
		cacheViewCommand(a, "explain", "Say why the last scan reused runs or ran them again", ledger.Help, ledger.Show),
		cachePruneCommand(a),
	)
	return cmd
}

// cacheViewCommand is a command that shows something of the cache in one of two forms.
func cacheViewCommand(a *app, use, short, long string, view func(dir, format string, w io.Writer) error) *cobra.Command {
	var o engine.CacheOptions
	var format string
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: cobra.NoArgs,
		Example: "  gate cache " + use + "\n  gate cache " + use + " --format json",
		RunE:    func(*cobra.Command, []string) error { return view(a.engine().CachePlace(o).Dir, format, a.stdout) },
	}
	registerCacheDir(cmd, &o)
	cmd.Flags().StringVarP(&format, "format", "f", "text", "text or json")
	complete(cmd, "format", housekeeping.Formats()...)
	return cmd
}

func cachePruneCommand(a *app) *cobra.Command {
	var o engine.CacheOptions
	var b housekeeping.Bounds
	cmd := &cobra.Command{
		Use: "prune", Short: "Remove what is old, what is too much, or everything",
		Long: `prune removes entries that were not used for the time of --max-age, and then those
that were not used for longest, until the rest is no more than --max-size. Runs that
write to the cache do the same by themselves, within the bounds that "gate cache
show" names. Files in the folder that are no entries stay.`,
		Example: `  gate cache prune
  gate cache prune --max-age 7d --max-size 200MiB
  gate cache prune --all`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return housekeeping.Prune(a.engine().CachePlace(o).Dir, b, a.stdout)
		},
	}
	registerCacheDir(cmd, &o)
	fl := cmd.Flags()
	fl.BoolVar(&b.All, "all", false, "remove everything")
	fl.StringVar(&b.MaxAge, "max-age", "", "remove what was not used for this `TIME`, such as 7d")
	fl.StringVar(&b.MaxSize, "max-size", "", "keep at most this `SIZE`, such as 200MiB")
	cmd.MarkFlagsMutuallyExclusive("all", "max-age")
	cmd.MarkFlagsMutuallyExclusive("all", "max-size")
	return cmd
}
