package main

import "github.com/spf13/cobra"

// complete gives a flag fixed completions.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// The error means that the flag does not exist, which the first test of
	// the command would show.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
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
