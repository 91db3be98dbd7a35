package main

import (
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/suppress"
)

func baselineCommand(a *app) *cobra.Command {
	var o engine.BaselineOptions
	var quiet bool
	cmd := &cobra.Command{
		Use:   "baseline [PATH...]",
		Short: "Accept the findings of now, so that only new ones decide",
		Long: `baseline scans files and folders (default: the current one) and writes every finding
to ` + suppress.BaselineFile + ` at the root of the tree. A scan that reads it still lists these
findings, with the reason, and lets them decide nothing. An entry is for one rule, one
file and exactly these lines: it ends when they change, and does not cover a copy.

With --base, --staged and in pull requests the baseline of the base commit counts, and
a change to the file is a finding.`,
		Example: `  gate baseline --reason "reviewed on adoption"
  gate baseline --update
  gate baseline --update --reason "the installer needs it" --expires 2027-01-31 tools/
  gate baseline --layers static,sandbox --reason "reviewed"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Local.Paths, o.Progress = args, a.progress(quiet)
			out, err := a.engine().Baseline(cmd.Context(), o)
			if err == nil {
				out.Tell(a.stdout, a.stderr)
			}
			return err
		},
	}
	registerLayers(cmd, &o.Local.Options)
	fl := cmd.Flags()
	fl.StringVar(&o.Reason, "reason", "", "why the findings are accepted; `TEXT` for the person who reads the reports")
	fl.StringVar(&o.Expires, "expires", "", "last `DATE` (YYYY-MM-DD) on which the new entries count")
	fl.StringVar(&o.Severity, "severity", "suspicious", "accept findings from this severity on: note, suspicious or dangerous")
	fl.BoolVar(&o.Update, "update", false, "keep the entries whose findings are still there, drop the others, add what is new")
	fl.StringVar(&o.Local.Options.Config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	fl.BoolVarP(&quiet, "quiet", "q", false, "no progress on standard error")
	fl.Lookup("layers").Usage = "accept the findings of these `LAYERS`: static, judge, sandbox (default: static)"
	complete(cmd, "severity", "note", "suspicious", "dangerous")
	return cmd
}
