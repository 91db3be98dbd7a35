package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/lab/attackrun"
)

func attackCommand(a *app) *cobra.Command {
	var o attackrun.Options
	var quiet bool
	cmd := &cobra.Command{
		Use:   "attack [DIR]",
		Short: "Attack this gate: does every layer still stop what it has to, does containment hold",
		Long: `attack puts samples of attacks, and for each of them a benign twin, through the
layers of this machine and configuration. Every layer is asked by itself, and also
what the static rules call dangerous is executed in the sandbox. DIR holds the
samples (default: ` + attackrun.SamplesFolder + ` of a checkout of gate).

An attack is contained when it was executed and nothing was seen of it from outside
of its containers: in what the engine says of them, at listeners and decoys on this
machine, and in what is left of them. An attack that should have run and did not is
a failure. docs/attacks.md says what each column means.

Exit codes: 0 when nothing is wrong, 1 when an attack was missed, not executed or
not contained or a twin was called dangerous; with --baseline, when something is
worse than there. 3 when something could not be looked at.`,
		Example: `  gate attack --layers static
  gate attack --runtime runc,runsc --baseline attacks.json
  gate attack --only 'exfiltration-*' --technique T1048
  gate attack --save result.json --format markdown
  gate attack --from result.json --format text
  gate attack --generate 10 --language python --keep generated/`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Samples = strings.Join(args, "")
			p := attackrun.Process{Engine: a.engine(), Stdout: a.stdout, Progress: a.progress(quiet), MaxWait: a.apiWait}
			return attackrun.Run(cmd.Context(), p, o)
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&o.Engine.Layers, "layers", []string{"static", "sandbox"}, "ask these `LAYERS`: static, judge, sandbox")
	fl.StringSliceVar(&o.Runtimes, "runtime", nil, "`NAMES` of the container runtimes, side by side: runc,runsc (default: the policy's, or $GATE_RUNTIME)")
	fl.StringSliceVar(&o.Filter.Only, "only", nil, "only the attacks whose id, group or GROUP/ID matches a `GLOB`")
	fl.StringSliceVar(&o.Filter.Techniques, "technique", nil, "only these ATT&CK `IDS`; T1048 stands for T1048.003 too")
	fl.StringSliceVar(&o.Filter.Languages, "language", nil, "only these `LANGUAGES`")
	fl.BoolVar(&o.Filter.Blind, "blind", false, "only those written without having seen the rules")
	fl.BoolVar(&o.Agent, "agent", false, "attack gate agent instead: hostile tasks, data and skills, a model that obeys them, a judge that finds nothing (takes --only and --format)")
	fl.BoolVar(&o.Probes, "probes", false, "only the probes of the containment, which a run of all attacks begins with")
	fl.IntVar(&o.Generate, "generate", 0, "instead of the samples, `N` attacks that the judge's model writes")
	fl.StringVar(&o.Keep, "keep", "", "write what the model wrote to `DIR`, as samples to look at")
	fl.StringVar(&o.Shard, "shard", "", shardUsage)
	fl.IntVar(&o.Parallel, "parallel", 0, "how many attacks are under way at a time (default: the processors of this machine)")
	fl.StringVarP(&o.Output.Format, "format", "f", "text", "format of the result: "+strings.Join(attackrun.Formats(), ", "))
	fl.StringVarP(&o.Output.File, "output", "o", "", "write the result to `FILE` instead of standard output")
	fl.StringVar(&o.Output.Save, "save", "", "also save the result as JSON to `FILE`")
	fl.StringVar(&o.From, "from", "", "attack nothing, show the saved result in `FILE`")
	fl.StringVar(&o.Baseline, "baseline", "", "compare with `FILE`: only what is worse fails")
	fl.StringVar(&o.Accept, "accept", "", "write to the file of --baseline what is `BETTER` (default) or all that is different")
	fl.Lookup("accept").NoOptDefVal = attackrun.AcceptBetter
	fl.StringVar(&o.Engine.Memory, "memory", "", "memory of one container, such as 512m")
	fl.StringVar(&o.Engine.Timeout, "timeout", "", "time of one run, such as 10s")
	fl.StringVar(&o.Engine.Ollama, "ollama", "", "`URL` of the Ollama server (default: the policy's, or $OLLAMA_HOST)")
	fl.StringVar(&o.Engine.Model, "model", "", "`NAME` of the model that judges")
	fl.StringVar(&o.Engine.Config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	fl.BoolVarP(&quiet, "quiet", "q", false, "no progress on standard error")
	fl.StringVar(&o.History, "history", "", "add a line about the run to `FILE`, which gate attack trend draws")
	fl.BoolVar(&o.Issue, "issue", false, "in GitHub Actions: keep an issue open while the run does not pass, and close it when it does")
	cmd.AddCommand(attackrun.TrendCommand(a.stdout, exactArgs(1)))
	complete(cmd, "format", attackrun.Formats()...)
	complete(cmd, "runtime", "runc", "runsc", "runc,runsc")
	complete(cmd, "layers", "static", "static,sandbox", "static,judge,sandbox")
	complete(cmd, "accept", attackrun.AcceptBetter, attackrun.AcceptAll)
	return cmd
}
