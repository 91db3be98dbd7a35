package main

import (
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/action"
)

func (a *app) publishCommand() *cobra.Command {
	var artifact string
	cmd := &cobra.Command{
		Use:   "publish [RESULT]",
		Short: "In a workflow_run job: check and publish what the job of a fork has found",
		Long: `publish is the trusted half for pull requests from forks. It takes the pull request
and its commits from the API, never from the result; runs the static layer itself
on the head's files, read through the API; and publishes the worse of both. A
result whose workflow the pull request has changed is unverified and does not
pass. Nothing of the pull request is checked out or run.

RESULT is a file; without it, the artifact of the run is downloaded.`,
		Example: `  gate publish
  gate publish gate-result.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			if len(args) > 0 {
				file = args[0]
			}
			return a.job().Publish(cmd.Context(), artifact, file)
		},
	}
	cmd.Flags().StringVar(&artifact, "artifact", action.DefaultArtifact, "`NAME` of the artifact that holds the result")
	return cmd
}
