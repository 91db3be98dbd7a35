package main

import (
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/engine"
)

func dismissCommand(a *app) *cobra.Command {
	var o engine.DismissOptions
	cmd := &cobra.Command{
		Use:   "dismiss PATH:LINE",
		Short: "Dismiss a finding, so that it does not come back where its line moves",
		Long: `dismiss writes an entry to the baseline, for one rule, one file and the tokens of the
statements from source to sink. In a pull request it counts once the base commit has it,
while the account has the override permission and takes no part in the change.`,
		Example: `  gate dismiss tools/build.py:12 --by ada --reason "the command is a constant"
  gate dismiss src/run.ts:40 --result gate-result.json --by ada --reason "reviewed" --expires 2027-01-31`,
		Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Where = args[0]
			return a.engine().Dismiss(cmd.Context(), o, a.stdout)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.By, "by", "", "`ACCOUNT` on GitHub that dismisses the finding")
	fl.StringVar(&o.Reason, "reason", "", "why; `TEXT` for those who read the reports")
	fl.StringVar(&o.Expires, "expires", "", "last `DATE` (YYYY-MM-DD) on which it counts, at most a year ahead (default: in 90 days)")
	fl.StringVar(&o.Rule, "rule", "", "`RULE` that found it, where there is more than one")
	fl.StringVar(&o.Result, "result", "", "take the finding from a saved result in `FILE`, about the same content, instead of a scan")
	return cmd
}
