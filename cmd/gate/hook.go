package main

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/hook"
	"github.com/aigate/gate/gate/hook/hookrun"
)

func hookCommand(a *app) *cobra.Command {
	var o hookrun.Options
	cmd := &cobra.Command{
		Use:   "hook TOOL [EVENT]",
		Short: "Answer the hooks of coding agents and of git",
		Long: `hook reads what a coding agent (claude, codex, cursor, gemini, copilot) sends to its
hooks before a tool runs and after an edit, puts it through the static rules, and
answers in that tool's own words. What the rules block, what could not be looked at,
a message that can't be read and a deadline that passes are refused.

The policy is that of your own configuration, or of --config or --policy; never that
of the folder in which the agent works. An agent that runs as you can get past its
hooks: CI enforces. docs/hook.md has the settings of every tool.`,
		Example: `  gate hook claude PreToolUse < message.json
  gate hook settings cursor > ~/.cursor/hooks.json
  gate hook git pre-commit`,
		ValidArgs: hook.Names(),
		Args:      cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			tool, ok := hook.Find(args[0])
			if !ok {
				return usage("%q is no tool whose hooks gate knows (%s, git)", args[0], strings.Join(hook.Names(), ", "))
			}
			return hookrun.Run(cmd.Context(), a.hookProcess(), tool, strings.Join(args[1:], ""), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Config, "config", "", "take the policy from `FILE`")
	f.StringVar(&o.Policy, "policy", "", "take the policy from .gate.yml of revision `REV`, such as origin/main")
	f.DurationVar(&o.Deadline, "deadline", hook.Deadline*time.Second, "refuse after this `TIME`; it has to be shorter than the tool's")
	cmd.AddCommand(hookSettingsCommand(a))
	return cmd
}

func hookSettingsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:       "settings TOOL",
		Short:     "Print what goes into the settings of a tool",
		Long:      "settings prints the hooks of a tool with the absolute path of this gate. docs/hook.md says\nwhich file they go to.",
		Example:   "  gate hook settings claude\n  gate hook settings cursor > ~/.cursor/hooks.json",
		ValidArgs: hook.Names(),
		Args:      exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			tool, ok := hook.Find(args[0])
			if !ok {
				return usage("%q is no tool whose hooks gate knows (%s)", args[0], strings.Join(slices.Sorted(slices.Values(hook.Names())), ", "))
			}
			_, err := a.stdout.Write([]byte(tool.Settings(a.hookProcess().Program)))
			return err
		},
	}
}

// hookProcess is this process as hooks see it. A path that can't be found out is left
// empty: less is protected then, and nothing passes because of it.
func (a *app) hookProcess() hookrun.Process {
	program, err := os.Executable()
	if err != nil {
		program = ""
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	return hookrun.Process{Engine: a.engine(), Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr, Program: program, Cwd: dir}
}
