// Package mcpcmd is the flags of the command `gate mcp`, and what serves by them.
//
// It promises what every command does: mistakes on the command line have the exit code 2,
// and standard output carries the protocol and nothing else. It serves nothing itself;
// package mcp does.
package mcpcmd

import (
	"cmp"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/mcp"
	"github.com/aigate/gate/gate/workspace"
)

// flags are those of the command.
type flags struct {
	mcp.Options
	address string // to serve on over HTTP; "" is standard input and output
}

// Command returns the command. host is asked for when it runs, and layers adds the flags for
// layers and containers that all commands share.
func Command(host func() *engine.Engine, layers func(*cobra.Command, *engine.Options), in io.Reader, out io.Writer) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve coding agents over the Model Context Protocol",
		Long: `mcp lets a coding agent scan its change, run code in containers without network, and
read why something was refused, while it works. It speaks the Model Context Protocol
on standard input and output, or with --http on an address of this machine.

Files that the agent writes and runs are kept in the workspace of a session, in gate's
own folder; the agent sees no other files. Everything that runs goes through the static
layer before. scan_change sees the folders of --root only. Policy, layers, runtime and
limits are those of this command line; the agent has no say about them.

Over HTTP each request needs the header Authorization: Bearer TOKEN. The token is that
of $GATE_MCP_TOKEN, or one that gate makes and keeps in its own folder.
docs/mcp.md has the settings for each agent.`,
		Example: `  gate mcp --root .
  gate mcp --root . --skills ~/.claude/skills --timeout 60s
  gate mcp --root ~/src/app --http 127.0.0.1:7777
  claude mcp add gate -- gate mcp --root .`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exit.Usagef("no argument is expected, and %q is given; a folder is named with --root", args[0])
			}
			f.Engine = host()
			return f.serve(cmd.Context(), in, out)
		},
	}
	layers(cmd, &f.Run)
	fl := cmd.Flags()
	fl.Lookup("layers").Usage = "scans have and require these `LAYERS`: static, judge, sandbox (default: static)"
	fl.StringVar(&f.Run.Config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	fl.StringVar(&f.Run.FailOn, "fail-on", "", "block from this verdict on: dangerous or suspicious (default: the policy's)")
	fl.StringArrayVar(&f.Roots, "root", nil, "let scan_change look at `DIR`; several times for several")
	fl.StringArrayVar(&f.Skills, "skills", nil, "offer the skills in `DIR`, whose folders have a SKILL.md; several times for several")
	fl.StringVar(&f.address, "http", "", "serve on `ADDRESS` of this machine, such as 127.0.0.1:7777, instead of standard input and output")
	fl.IntVar(&f.RunsPerHour, "runs-per-hour", mcp.DefaultRuns, "how many programs one session may run in an hour")
	fl.DurationVar(&f.Unused, "session-expiry", workspace.DefaultUnused, "remove the workspace of a session after this time without use")
	// The errors mean that a flag does not exist.
	_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{"dangerous", "suspicious"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagDirname("root")
	_ = cmd.MarkFlagDirname("skills")
	return cmd
}

// serve serves until ctx ends or the only client has gone.
func (f flags) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s, err := mcp.New(ctx, f.Options)
	if err != nil {
		return exit.Failed(err)
	}
	defer s.Close()
	if f.address == "" {
		return exit.Failed(s.ServeStdio(ctx, io.NopCloser(in), stays{out}))
	}
	e := f.Engine
	token, from := e.Getenv("GATE_MCP_TOKEN"), "$GATE_MCP_TOKEN"
	if token == "" {
		if token, from, err = mcp.Token(cmp.Or(f.State, e.StateDir("mcp"))); err != nil {
			return exit.Usagef("%w", err)
		}
	}
	if err := mcp.CheckToken(token); err != nil {
		return exit.Usagef("%s: %w", from, err)
	}
	l, err := mcp.Listen(ctx, f.address)
	if err != nil {
		return err
	}
	e.Noticef("serving on http://%s%s; the token is that of %s", l.Addr(), mcp.Path, from)
	return exit.Failed(s.ServeHTTP(ctx, l, token))
}

// stays leaves closing a stream to the process.
type stays struct{ io.Writer }

// Close implements [io.Closer].
func (stays) Close() error { return nil }
