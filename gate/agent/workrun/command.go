package workrun

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/agent/work"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
)

// Commands returns the commands below `gate agent`. p is asked for when one runs, and
// containers adds the flags for containers that all commands share.
func Commands(p func() Process, containers func(*cobra.Command, *engine.Options)) []*cobra.Command {
	return []*cobra.Command{workCommand(p, containers), clearCommand(p)}
}

func workCommand(p func() Process, containers func(*cobra.Command, *engine.Options)) *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "work [TASK]",
		Short: "Let the model work in a workspace, with tools, over several turns",
		Long: `work has the model do a task in a workspace, with the tools of gate mcp: it writes
files, runs programs and reads what came of them, until it answers. The next task goes
on in the same workspace, and the model remembers the last six; gate agent clear ends
it. Without TASK, tasks are read from standard input, one a line.

Every program and every file beside it pass the static layer and the judge before they
run, each run in a fresh container without network. Files of --data can be read only
and are copied in; what is found in them is reported, and the model is told that they
are data. Files that programs leave in /output are written to --out when all of them
pass. docs/agent.md has it all.`,
		Example: `  gate agent work "write stats.py with a mean and a median, and tests; run the tests"
  gate agent work "draw a chart of the columns" --data values.csv --out charts
  gate agent work "summarise the README" --data ./project
  gate agent clear`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.Task = args[0]; o.Task == "" {
					return exit.Usagef("the task is empty")
				}
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
	fl.StringVar(&o.Data, "data", "", "let programs read the file or folder `PATH` in /input: at most 1,000 files, 64 MiB")
	fl.StringArrayVar(&o.Skills, "skills", nil, "offer the skills in `DIR`, whose folders have a SKILL.md; several times for several")
	fl.IntVar(&o.Steps, "steps", work.DefaultSteps, "how many calls of tools a task may take, 1 to 64")
	fl.StringVar(&o.Calls, "tool-calls", CallsAuto, "how the model calls tools: native, json (a strict form, for models without tool calls) or auto")
	fl.StringVar(&o.Out, "out", "gate-out", "write results to `DIR`")
	fl.BoolVar(&o.Force, "force", false, "replace files that are in --out already")
	fl.BoolVar(&o.Keep, "keep", false, "write the files of the workspace to --out as well, below workspace/")
	RegisterWeb(cmd, &o.Web)
	fl.StringVarP(&o.Format, "format", "f", "text", "format of the report: text, json")
	for name, values := range map[string][]string{"format": {"text", "json"}, "tool-calls": {CallsAuto, CallsNative, CallsJSON}, "fail-on": {"dangerous", "suspicious"}} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	}
	_ = cmd.MarkFlagDirname("skills")
	_ = cmd.MarkFlagDirname("out")
	return cmd
}

// RegisterWeb adds the flag --web.
func RegisterWeb(cmd *cobra.Command, address *string) {
	fl := cmd.Flags()
	fl.StringVar(address, "web", "", "serve a page on `ADDRESS` of this machine, such as 127.0.0.1:7778, that takes the tasks")
	fl.Lookup("web").NoOptDefVal = "127.0.0.1:0"
}

// Page serves the page of the default workspace for `gate agent --web`, with the address, the
// folder for results and the engine's settings of o. given says which flags were on the command
// line: those that are about one program are refused.
func Page(ctx context.Context, p Process, o Options, args []string, given func(flag string) bool) error {
	if len(args) > 0 {
		return exit.Usagef("--web takes tasks from its page, not from the command line")
	}
	for _, name := range []string{"language", "data", "turns", "session", "format", "output", "save"} {
		if given(name) {
			return exit.Usagef("--%s is about one program; gate agent work --web has the flags of a workspace", name)
		}
	}
	o.Name, o.Steps, o.Calls, o.Format = "default", work.DefaultSteps, CallsAuto, "text"
	return Run(ctx, p, o)
}

func clearCommand(p func() Process) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:               "clear",
		Short:             "Remove a workspace and what is remembered of it",
		Long:              `clear removes the files of a workspace of gate agent work, and its memory. What was handed out stays.`,
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
