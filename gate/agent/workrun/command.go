package workrun

import (
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/agent/work"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
)

// Command returns `gate agent` with the commands below it. p is asked for when one runs, and
// containers adds the flags for containers that all commands share.
func Command(p func() Process, containers func(*cobra.Command, *engine.Options)) *cobra.Command {
	cmd := taskCommand(p, containers)
	former := taskCommand(p, containers)
	former.Use, former.Hidden = "work [TASK]", true
	former.PreRun = func(*cobra.Command, []string) {
		p().Engine.Noticef(`"gate agent TASK" does the same as "gate agent work TASK", which will be removed`)
	}
	cmd.AddCommand(former, clearCommand(p))
	return cmd
}

func taskCommand(p func() Process, containers func(*cobra.Command, *engine.Options)) *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "agent [TASK]",
		Short: "Let the model work on a task in a workspace, and hand out the results",
		Long: `agent has the model do a task in a workspace, with the tools of gate mcp: it writes
files, runs programs and reads what came of them, until it answers. The next task goes
on in the same workspace, and the model remembers the last six; gate agent clear ends
it. Without TASK, tasks are read from standard input, one a line.

Every program and every file beside it pass the static layer and the judge before they
run, each run in a fresh container without network. Files that programs leave in
/output are written to --out when all of them pass, none of them executable.

Data (--data) is copied in and can be read only. gate fetches addresses, never the
program, from the hosts that the setting agent.data of your own configuration or of
--config lists. What is found in the data is reported, and the model is told that it is
data. docs/agent.md has it all.`,
		Example: `  gate agent "write stats.py with a mean and a median, and tests; run the tests"
  gate agent "draw a chart of the columns" --data values.csv --out charts
  gate agent "the mean of each column" --data https://data.example.com/values.csv
  gate agent "summarise the README" --data ./project
  gate agent --web
  gate agent clear`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && args[0] == "" {
				return exit.Usagef(whichTask)
			}
			if len(args) == 1 {
				o.Task = args[0]
			}
			return Run(cmd.Context(), p(), o)
		},
	}
	containers(cmd, &o.Engine)
	fl := cmd.Flags()
	fl.StringVar(&o.Engine.Ollama, "ollama", "", "`URL` of the model server (default: the policy's, or $OLLAMA_HOST)")
	fl.StringVar(&o.Engine.Model, "model", "", "`NAME` of the model that writes and judges")
	fl.StringVar(&o.Engine.Config, "config", "", "take the policy from `FILE`")
	fl.StringVar(&o.Engine.FailOn, "fail-on", "", "refuse from this verdict on: dangerous or suspicious (default: the policy's)")
	fl.StringVar(&o.Name, "name", "default", "`NAME` of the workspace")
	fl.StringVar(&o.Language, "language", "", "`NAME` of the language of programs: python, node, typescript, shell or go (default: the model chooses)")
	fl.StringArrayVar(&o.Data, "data", nil, "let programs read a file, a folder or what an address has, in /input: `PATH` or URL; several times for several")
	fl.StringArrayVar(&o.Skills, "skills", nil, "offer the skills in `DIR`, whose folders have a SKILL.md; several times for several")
	fl.IntVar(&o.Steps, "steps", work.DefaultSteps, "how many calls of tools a task may take, 1 to 64")
	fl.StringVar(&o.Calls, "tool-calls", CallsAuto, "how the model calls tools: native, json (a strict form, for models without tool calls) or auto")
	fl.StringVar(&o.Out, "out", "gate-out", "write results to `DIR`")
	fl.BoolVar(&o.Force, "force", false, "replace files that are in --out already")
	fl.BoolVar(&o.Keep, "keep", false, "write the files of the workspace to --out as well, below workspace/")
	fl.StringVar(&o.Web, "web", "", "serve a page on `ADDRESS` of this machine, such as 127.0.0.1:7778, that takes the tasks")
	fl.Lookup("web").NoOptDefVal = "127.0.0.1:0"
	fl.StringVarP(&o.Format, "format", "f", "text", "format of the report: text, json")
	fl.StringVarP(&o.Output, "output", "o", "", "write the report to `FILE` instead of standard output")
	fl.BoolVarP(&o.Quiet, "quiet", "q", false, "no progress on standard error")
	for name, values := range map[string][]string{
		"format": {"text", "json"}, "tool-calls": {CallsAuto, CallsNative, CallsJSON}, "fail-on": {"dangerous", "suspicious"}, "language": languageNames(),
	} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	}
	_ = cmd.MarkFlagDirname("skills")
	_ = cmd.MarkFlagDirname("out")
	return cmd
}

func clearCommand(p func() Process) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:               "clear",
		Short:             "Remove a workspace and what is remembered of it",
		Long:              `clear removes the files of a workspace of gate agent, and its memory. What was handed out stays.`,
		Example:           "  gate agent clear\n  gate agent clear --name reports",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return Clear(cmd.Context(), p().Engine, name)
		},
	}
	cmd.Flags().StringVar(&name, "name", "default", "`NAME` of the workspace")
	return cmd
}
