package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/buildinfo"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/hook/hookcmd"
	"github.com/aigate/gate/gate/hook/hookrun"
	"github.com/aigate/gate/gate/lsp/lspcmd"
	"github.com/aigate/gate/gate/mcp/mcpcmd"
	"github.com/aigate/gate/gate/printable"
	"github.com/aigate/gate/gate/rulebook"
	"github.com/aigate/gate/gate/setup/setupcmd"
	"github.com/aigate/gate/report"
)

// app is what the commands need from the process, so that tests can be one.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
	// apiWait bounds the waits between repeated requests to GitHub; 0 is the
	// client's default.
	apiWait time.Duration
	// rules loads gate's own, once.
	rules rulebook.Loader
	// build, when set, builds the layers in place of the engine's own way.
	build func(context.Context, engine.Setup) (*engine.Layers, error)
}

func newApp() *app {
	return &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, rules: rulebook.Load()}
}

// engine is what puts changes through the layers.
func (a *app) engine() *engine.Engine {
	return engine.New(engine.Host{Tool: tool(), Stdin: a.stdin, Stderr: a.stderr, Getenv: a.getenv, Build: a.build, Rules: a.rules})
}

// progress shows on standard error how far something is, nil where that is not wanted.
func (a *app) progress(quiet bool) gate.Handler {
	if quiet {
		return nil
	}
	return report.NewProgress(a.stderr, width(a.stderr))
}

// usage marks an error as the caller's: exit code 2.
func usage(format string, args ...any) error { return exit.Usagef(format, args...) }

// main runs one command line and returns the exit code.
func (a *app) main(args []string) (code int) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(a.stderr, "gate: internal error, nothing was decided: %v\n%s", v, debug.Stack())
			code = exit.Incomplete
		}
	}()
	ctx, stop := exit.OnSignals(context.Background())
	defer stop()

	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exit.Pass
	}
	var coded *exit.Error
	switch {
	case errors.As(err, &coded):
		code = coded.Code
	case context.Cause(ctx) != nil:
		code = exit.Incomplete
	default: // the commands' errors are coded; this is cobra's view of the command line
		code = exit.Usage
	}
	if coded == nil || coded.Err != nil {
		fmt.Fprintf(a.stderr, "gate: %s\n", printable.Lines(err.Error())) // it may quote names of hostile files
		if p, ok := errors.AsType[*gate.PanicError](err); ok {
			fmt.Fprintf(a.stderr, "%s", p.Stack)
		}
	}
	return code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "gate",
		Short: "Stop dangerous AI-written code before it is merged",
		Long: `gate puts changed files through three layers: static rules, a local model as
judge, and execution in network-less containers. What a layer could not look at
makes the result incomplete, never safe.

Exit codes: 0 pass, 1 blocked, 2 usage or configuration error or nothing to
scan, 3 incomplete.`,
		Example: `  gate scan ./                  scan a folder
  gate scan --staged            scan exactly what would be committed
  gate scan --base main         scan what changed since main
  gate run script.py            run one file in the sandbox and show what it did
  gate init                     set a repository and its coding agents up
  gate doctor                   see what is there and what is missing`,
		Version:       buildinfo.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("gate {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w (see `%s --help`)", err, cmd.CommandPath())
	})
	root.AddCommand(versionCommand(a), scanCommand(a), runCommand(a), prCommand(a), publishCommand(a), reportCommand(a), mergeCommand(a), rulesCommand(a), evalCommand(a), baselineCommand(a), dismissCommand(a), cacheCommand(a), attackCommand(a), agentCommand(a), depsCommand(a), doctorCommand(a), replayCommand(a), setupcmd.Command(setupcmd.Process{Engine: a.engine, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr, Getenv: a.getenv, Replay: a.replayHistory}), hookcmd.Command(func() hookrun.Process { return hookrun.Here(a.engine(), a.stdin, a.stdout, a.stderr) }), mcpcmd.Command(a.engine, registerLayers, a.stdin, a.stdout), lspcmd.Command(a.engine, registerSandbox, a.stdin, a.stdout, a.stderr))
	return root
}

// versionCommand is `--version` for those who type it as a command.
func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, like --version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "gate %s\n", buildinfo.Version())
			return err
		},
	}
}

// tool is how gate signs its results.
func tool() gate.Tool { return gate.Tool{Name: "gate", Version: buildinfo.Version()} }

// width returns the columns of w when it is a terminal, else 0.
func width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	cols, _, err := term.GetSize(int(f.Fd()))
	if err != nil || cols <= 0 {
		return 80
	}
	return cols
}
