package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent"
	"github.com/aigate/gate/gate/agent/agentrun"
	"github.com/aigate/gate/gate/agent/workrun"
	"github.com/aigate/gate/report"
)

func agentCommand(a *app) *cobra.Command {
	var o agentrun.Options
	var web string
	work := func() workrun.Process {
		return workrun.Process{Engine: a.engine(), Stdin: a.stdin, Stdout: a.stdout}
	}
	out := report.OutputOptions{Format: "text"}
	cmd := &cobra.Command{
		Use:   "agent TASK",
		Short: "Let the model write a program for a task, and hand out its files",
		Long: `agent asks the judge's model for a program that does the task, puts it through all
three layers like any change that an AI wrote, and runs it in a container without
network. Only when all layers completed, the policy lets it pass and it ran without
an error are the files that it wrote below out/ written to --out, none of them
executable. What the layers object to and errors go back to the model, up to six
times; --session remembers the last six turns for the next task.

"gate agent work" goes on with several files over several turns. --web is its page: a
conversation in the browser, with the workspace that "gate agent work" has.

Data (--data) is fetched by gate, never by the program, from the hosts that the
setting agent.data of your own configuration or of --config lists; the program reads
it in data/. docs/agent.md has it all.`,
		Example: `  gate agent "write the first 100 prime numbers to primes.txt"
  gate agent "a table of the mean of each column" --data https://data.example.com/values.csv --out results
  gate agent "the same as JSON" --session work.json --language python
  gate agent "count words" --format json --keep
  gate agent --web`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if web != "" {
				return workrun.Page(cmd.Context(), work(), workrun.Options{Web: web, Engine: o.Engine, Out: o.Out, Force: o.Force, Keep: o.Keep}, args, cmd.Flags().Changed)
			}
			if len(args) != 1 {
				return usage("which task? gate agent \"TASK\" (in quotes)")
			}
			o.Task = args[0]
			p := agentrun.Process{Engine: a.engine(), Stdout: a.stdout, Progress: a.progress(out.Quiet), Findings: a.findings(out, o.Output)}
			return agentrun.Run(cmd.Context(), p, o)
		},
	}
	registerSandbox(cmd, &o.Engine)
	fl := cmd.Flags()
	fl.StringVar(&o.Engine.Ollama, "ollama", "", "`URL` of the Ollama server (default: the policy's, or $OLLAMA_HOST)")
	fl.StringVar(&o.Engine.Model, "model", "", "`NAME` of the model that writes and judges")
	fl.StringVar(&o.Engine.Config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	fl.StringVar(&o.Engine.FailOn, "fail-on", "", "block from this verdict on: dangerous or suspicious (default: the policy's)")
	fl.StringVar(&o.Out, "out", "gate-out", "write the files to `DIR`")
	fl.BoolVar(&o.Force, "force", false, "replace files that are in --out already")
	fl.BoolVar(&o.Keep, "keep", false, "write the program to --out as well")
	fl.StringVar(&o.Language, "language", "", "`NAME` of the language: python, node, typescript, shell or go (default: the model chooses)")
	fl.StringArrayVar(&o.Data, "data", nil, "fetch `URL` for the program; several times for several")
	fl.IntVar(&o.Turns, "turns", agent.MaxTurns, "how often the model may try, 1 to 6")
	fl.StringVar(&o.Session, "session", "", "remember the last six turns in `FILE`, and begin with what it remembers")
	workrun.RegisterWeb(cmd, &web)
	fl.StringVarP(&o.Format, "format", "f", "text", "format of the report: text, json")
	fl.StringVarP(&o.Output, "output", "o", "", "write the report to `FILE` instead of standard output")
	fl.StringVar(&out.Color, "color", "auto", "colour in the text report: auto, always or never")
	fl.BoolVarP(&out.Verbose, "verbose", "v", false, "show notes and everything that is folded otherwise")
	registerOutputOfRun(cmd, &out)
	complete(cmd, "format", "text", "json")
	complete(cmd, "color", "auto", "always", "never")
	complete(cmd, "language", agent.Languages()...)
	complete(cmd, "fail-on", "dangerous", "suspicious")
	complete(cmd, "turns", "1", "2", "3", "4", "5", "6")
	_ = cmd.MarkFlagDirname("out")
	cmd.AddCommand(workrun.Commands(work, registerSandbox)...)
	return cmd
}

// findings renders what the layers found, in colour where the report goes to a terminal.
func (a *app) findings(o report.OutputOptions, file string) func(io.Writer, agentrun.Last) error {
	return func(w io.Writer, last agentrun.Last) error {
		own, err := last.Settings.UserRules()
		if err != nil {
			return err
		}
		rules, err := a.reportRules(own...)
		if err != nil || last.Result == nil {
			return err
		}
		if o.Color == "auto" && file == "" && width(a.stdout) > 0 && a.getenv("NO_COLOR") == "" {
			o.Color = "always"
		}
		o.Quiet = true
		h, err := report.NewOutput(o, report.Console{Stdout: w, Stderr: a.stderr}, report.Options{
			FailOn: last.Settings.Policy.FailOn, Rules: rules, Source: report.SourceOfChange(last.Change).Lines,
		})
		if err != nil {
			return err
		}
		return errors.Join(gate.Replay(*last.Result, h), h.Close())
	}
}
