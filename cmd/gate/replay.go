package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/lab/replayrun"
)

func replayCommand(a *app) *cobra.Command {
	var o replayrun.Options
	var quiet bool
	cmd := &cobra.Command{
		Use:   "replay [FOLDER]",
		Short: "Say what gate would have said about the repository's own history",
		Long: `replay puts what was merged, commit by commit of the first-parent history, through
the layers as it would have run then: with the base and the policy of each. The report
says how many changes would have been blocked, incomplete or flagged, by which rules,
in which folders and by which kind of author, and which lines of .gate.yml would have
let more of them pass, with what else each line lets through.

Only the static layer runs unless --layers names others. Nothing is checked out. A
replay that was ended goes on where it was.`,
		Example: `  gate replay
  gate replay --commits 500 --format html -o replay.html
  gate replay --pull-requests --since 2026-01-01
  gate replay --suggest --layers static --commits 500`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Path = args[0]
			}
			return replayrun.Run(cmd.Context(), replayrun.Process{Engine: a.engine(), Stdout: a.stdout, Progress: a.progress(quiet)}, o)
		},
	}
	registerLayers(cmd, &o.Engine)
	registerCache(cmd, &o.Cache)
	fl := cmd.Flags()
	fl.Lookup("layers").Usage = "run these `LAYERS`: static, judge, sandbox (default: static)"
	fl.IntVarP(&o.Commits, "commits", "n", 150, "look at so many changes, the newest")
	fl.StringVar(&o.Since, "since", "", "leave out what was merged before this `DAY`, such as 2026-01-31")
	fl.BoolVar(&o.PullRequests, "pull-requests", false, "only merges, and commits whose subject ends with the number of a pull request")
	fl.IntVar(&o.Parallel, "parallel", 0, "look at so many changes side by side (default: one a processor)")
	fl.BoolVar(&o.Suggest, "suggest", false, "also propose rules.usage entries from what the team dismisses again and again")
	fl.BoolVar(&o.Fresh, "fresh", false, "look again at what an earlier replay has looked at")
	fl.StringVarP(&o.Format, "format", "f", "text", "format of the report: text, json, html")
	fl.StringVarP(&o.Output, "output", "o", "", "write the report to `FILE` instead of standard output")
	fl.BoolVarP(&quiet, "quiet", "q", false, "no progress on standard error")
	complete(cmd, "format", "text", "json", "html")
	return cmd
}

// replayHistory writes what the static layer would have said about the last changes.
func (a *app) replayHistory(ctx context.Context, root string, commits int) error {
	return replayrun.Run(ctx, replayrun.Process{Engine: a.engine(), Stdout: a.stdout, Progress: a.progress(false)}, replayrun.Options{Path: root, Commits: commits, Format: "text"})
}
