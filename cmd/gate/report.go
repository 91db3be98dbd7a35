package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/report"
)

func (a *app) reportCommand() *cobra.Command {
	var out outputFlags
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
		RunE: func(cmd *cobra.Command, args []string) error {
			in := io.NopCloser(a.stdin)
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return usage("%w", err)
				}
				in = f
			}
			defer in.Close()
			res, err := report.Decode(in)
			if err != nil {
				return usage("%s is not a result of gate: %w", args[0], err)
			}
			out.quiet = true
			h, err := a.reporter(out, gate.DefaultPolicy())
			if err != nil {
				return err
			}
			h.source.ofFolder(dir, res)
			if err := gate.Replay(res, h); err != nil {
				return &exit.Error{Code: exitIncomplete, Err: err}
			}
			return exitFor(res, h.close())
		},
	}
	out.register(cmd)
	cmd.Flags().StringVar(&dir, "source", ".", "`FOLDER` with the files that were scanned, for the lines around findings")
	return cmd
}

// exactArgs is cobra.ExactArgs with an error that says what was expected.
func exactArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%d argument(s) expected, %d given: gate %s", n, len(args), cmd.Use)
		}
		return nil
	}
}
