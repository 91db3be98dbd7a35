// Package hookcmd is the flags of the command `gate hook`, which are too many to keep
// beside those of other commands.
//
// It promises what every command does: mistakes on the command line have the exit code 2,
// which coding agents read as a refusal. It does nothing itself; package hookrun does.
package hookcmd

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/hook"
	"github.com/aigate/gate/gate/hook/hookrun"
)

// Command returns the command. process is asked for when it runs.
func Command(process func() hookrun.Process) *cobra.Command {
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
				return exit.Usagef("%q is no tool whose hooks gate knows (%s, git)", args[0], strings.Join(hook.Names(), ", "))
			}
			return hookrun.Run(cmd.Context(), process(), tool, strings.Join(args[1:], ""), o)
		},
	}
	registerPolicy(cmd, &o)
	cmd.Flags().DurationVar(&o.Deadline, "deadline", hook.Deadline*time.Second, "refuse after this `TIME`; it has to be shorter than the tool's")
	cmd.AddCommand(settingsCommand(process), gitCommand(process))
	return cmd
}

func gitCommand(process func() hookrun.Process) *cobra.Command {
	var o hookrun.Options
	cmd := &cobra.Command{
		Use:   "git pre-commit|pre-push [REMOTE [URL]]",
		Short: "Be a hook of git",
		Long: `git pre-commit puts exactly what is staged through the static rules, and remembers the
tree of a commit that passes. git pre-push puts what is pushed through them, and says
which commits were made without the other hook, as --no-verify does. Exit codes other
than 0 refuse; after --deadline, gate refuses.`,
		Example:   "  exec /usr/local/bin/gate hook git pre-commit\n  exec /usr/local/bin/gate hook git pre-push \"$@\"",
		ValidArgs: []string{"pre-commit", "pre-push"},
		Args:      cobra.RangeArgs(1, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch args[0] {
			case "pre-commit":
				return hookrun.PreCommit(cmd.Context(), process(), o)
			case "pre-push":
				remote := ""
				if len(args) > 1 {
					remote = args[1]
				}
				return hookrun.PrePush(cmd.Context(), process(), remote, o)
			}
			return exit.Usagef("%q is no hook of git that gate is (pre-commit, pre-push)", args[0])
		},
	}
	registerPolicy(cmd, &o)
	cmd.Flags().DurationVar(&o.Deadline, "deadline", hookrun.GitDeadline, "refuse after this `TIME`")
	return cmd
}

// registerPolicy adds the flags that say whose policy counts.
func registerPolicy(cmd *cobra.Command, o *hookrun.Options) {
	cmd.Flags().StringVar(&o.Config, "config", "", "take the policy from `FILE`")
	cmd.Flags().StringVar(&o.Policy, "policy", "", "take the policy from .gate.yml of revision `REV`, such as origin/main")
}

func settingsCommand(process func() hookrun.Process) *cobra.Command {
	return &cobra.Command{
		Use:       "settings TOOL",
		Short:     "Print what goes into the settings of a tool",
		Long:      "settings prints the hooks of a tool with the absolute path of this gate. docs/hook.md says\nwhich file they go to.",
		Example:   "  gate hook settings claude\n  gate hook settings cursor > ~/.cursor/hooks.json",
		ValidArgs: hook.Names(),
		Args:      cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			tool, ok := hook.Find(args[0])
			if !ok {
				return exit.Usagef("%q is no tool whose hooks gate knows (%s)", args[0], strings.Join(slices.Sorted(slices.Values(hook.Names())), ", "))
			}
			p := process()
			_, err := io.WriteString(p.Stdout, tool.Settings(p.Program))
			return exit.Failed(err)
		},
	}
}
