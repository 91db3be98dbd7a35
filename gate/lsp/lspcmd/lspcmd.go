// Package lspcmd is the flags of the command `gate lsp`.
//
// It promises what every command does: mistakes on the command line have the exit code 2,
// and standard output carries the protocol and nothing else. It serves nothing itself;
// package lsp does.
package lspcmd

import (
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lsp"
)

// Command returns the command. host is asked for when it runs, and containers adds the
// flags for containers that all commands share.
func Command(host func() *engine.Engine, containers func(*cobra.Command, *engine.Options), in io.Reader, out, log io.Writer) *cobra.Command {
	var o lsp.Options
	var stdio bool
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Be a language server: findings in the editor, while typing",
		Long: `lsp speaks the Language Server Protocol on standard input and output. Editors start
it; they show what the static rules find while you type, why it is dangerous and what to
do instead, and offer quick fixes, a run in the sandbox, and to accept a finding with a
reason.

Policy, rules and suppressions are those of --base, as it is when the editor opens the
folder, and of your own configuration. What is written in the folder has no say.
docs/editors.md has the settings for each editor.`,
		Example: `  gate lsp
  gate lsp --base origin/main`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exit.Usagef("no argument is expected, and %q is given; the editor says which folders are open", args[0])
			}
			o.Engine = host()
			o.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
			s, err := lsp.New(o)
			if err != nil {
				return exit.Usagef("%w", err)
			}
			return exit.Failed(s.Serve(cmd.Context(), in, out))
		},
	}
	containers(cmd, &o.Run)
	fl := cmd.Flags()
	fl.StringVar(&o.Base, "base", "HEAD", "compare with `REVISION`, and take policy and suppressions from it")
	fl.StringVar(&o.Run.Config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	fl.StringVar(&o.Run.FailOn, "fail-on", "", "block from this verdict on: dangerous or suspicious (default: the policy's)")
	fl.DurationVar(&o.Wait, "wait", lsp.DefaultWait, "look at a text when it has not changed for this `TIME`")
	fl.BoolVar(&stdio, "stdio", true, "speak on standard input and output; there is no other way, and some editors add it")
	// The error means that the flag does not exist.
	_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{"dangerous", "suspicious"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
