package attackrun

import (
	"io"

	"github.com/spf13/cobra"
)

// TrendCommand draws the history of the attack suite. args checks that there is one
// argument, with the usage error of the command it belongs to.
func TrendCommand(stdout io.Writer, args cobra.PositionalArgs) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "trend HISTORY",
		Short: "Draw the history of gate attack as a picture",
		Long: `trend reads what "gate attack --history" keeps, and draws the last 90 nights as one
SVG that needs nothing else: the shares of attacks that were caught and contained,
and how many were missed, not contained or taken for an attack without being one.`,
		Example: "  gate attack trend history.jsonl -o trend.svg",
		Args:    args,
		RunE: func(_ *cobra.Command, args []string) error {
			return Trend(args[0], file, stdout)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "write the picture to `FILE` instead of standard output")
	return cmd
}
