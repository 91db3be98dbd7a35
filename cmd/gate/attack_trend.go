package main

import (
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/lab/attackrun"
)

func (a *app) trendCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "trend HISTORY",
		Short: "Draw the history of gate attack as a picture",
		Long: `trend reads what "gate attack --history" keeps, and draws the last 90 nights as one
SVG that needs nothing else: the shares of attacks that were caught and contained,
and how many were missed, not contained or taken for an attack without being one.`,
		Example: "  gate attack trend history.jsonl -o trend.svg",
		Args:    exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return attackrun.Trend(args[0], file, a.stdout)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "write the picture to `FILE` instead of standard output")
	return cmd
}
