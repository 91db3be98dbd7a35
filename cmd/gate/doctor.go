package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/doctor"
	"github.com/aigate/gate/report"
)

func doctorCommand(a *app) *cobra.Command {
	var o doctor.Options
	var apparmor, falco bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "See what is there, what is missing, and how to get it",
		Long: `doctor looks for everything that the layers need: git, a container engine, its
runtimes and the sandbox images, an Ollama server and its models; for free disk
space and for what killed runs have left; and in a job of GitHub Actions, whether
the runner outlives the job. Each failed check is followed by the command that
fixes it.

It changes nothing, except that --build builds sandbox images, which needs a
network, --sweep removes what killed runs have left, and --pull lets the Ollama
server fetch the model that judges, several gigabytes. The exit code is 3 when
something is missing that the policy requires.`,
		Example: `  gate doctor
  gate doctor --build python,node
  gate doctor --sweep
  gate doctor --pull --model qwen2.5-coder:7b
  gate doctor --layers static,sandbox
  gate doctor --ollama http://gpu.example.com:11434`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case apparmor:
				fmt.Fprint(a.stdout, doctor.AppArmorProfile())
				return nil
			case falco:
				fmt.Fprint(a.stdout, doctor.FalcoRules())
				return nil
			}
			o.Progress = report.NewProgress(a.stderr, width(a.stderr))
			return doctor.Run(cmd.Context(), a.engine(), o, a.stdout)
		},
	}
	registerLayers(cmd, &o.Engine)
	fl := cmd.Flags()
	fl.StringSliceVar(&o.Build, "build", nil, "first build or renew the sandbox `IMAGES`: "+strings.Join(doctor.Images(), ", "))
	fl.BoolVar(&o.Outdated, "outdated", false, "only list the sandbox images that are missing or not current: language, name, name in a registry, digest of what it is built from")
	fl.BoolVar(&o.Sweep, "sweep", false, "first remove containers and volumes of runs that have ended")
	fl.BoolVar(&o.Pull, "pull", false, "first let the Ollama server fetch the model that judges")
	fl.BoolVar(&apparmor, "print-apparmor", false, "write the AppArmor profile for the containers to standard output, and nothing else")
	fl.BoolVar(&falco, "print-falco", false, "write rules for Falco about the containers to standard output, and nothing else")
	complete(cmd, "build", doctor.Images()...)
	return cmd
}
