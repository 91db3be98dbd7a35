package main

import (
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/agent/workrun"
)

func agentCommand(a *app) *cobra.Command {
	return workrun.Command(func() workrun.Process {
		return workrun.Process{Engine: a.engine(), Stdin: a.stdin, Stdout: a.stdout}
	}, registerSandbox)
}
