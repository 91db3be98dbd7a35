package main

import (
	"github.com/spf13/cobra"

	"github.com/aigate/gate/report"
)

func (a *app) reportCommand() *cobra.Command {
	out := report.OutputOptions{Quiet: true}
	var dir string
	cmd := &cobra.Command{
		Use:   "report RESULT",
		Short: "Render a saved result in another format",
		Long: `report reads a result that was saved with --save or --format json and renders
it. "-" reads standard input. The exit code is that of the result: 0, 1 or 3.

The html format shows the lines around a finding where the file is below --source
and is still what was scanned; otherwise only the evidence.`,
		Example: `  gate scan ./ --save result.json
  gate report result.json --format html -o report.html
  gate report - --format sarif < result.json`,
		Args: exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			res, err := report.DecodeFile(args[0], a.stdin)
			if err != nil {
				return err
			}
			return a.replay(res, out, dir)
		},
	}
	registerOutput(cmd, &out)
	cmd.Flags().StringVar(&dir, "source", ".", "`FOLDER` with the files that were scanned, for the lines around findings")
	return cmd
}
