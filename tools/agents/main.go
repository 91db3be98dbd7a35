// Command agents runs real coding agents behind the hooks of gate, and reports what each
// does with an answer, and with a hook that gives none:
//
//	go run ./tools/agents [-only claude,codex] [-messages DIR]
//
// The agents are those of package.json, as npm installs them (about 900 MB). A server on
// this machine plays their models: it asks for one call of a tool, and then says
// that it is done. So there is no account, and what an agent is asked to do is known. Each
// run has a home folder and a project of its own; requests to other machines go to a proxy
// that refuses them.
//
// It exits with 1 where an agent does something else than docs/hook.md says.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "agents:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("agents", flag.ContinueOnError)
	only := flags.String("only", "", "the agents to run, with commas between them")
	messages := flags.String("messages", "", "a folder for the messages that the hooks get")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir := filepath.Join("tools", "agents")
	if err := install(ctx, progress, dir); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "gate-agents-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	l := &lab{packages: filepath.Join(dir, "node_modules"), scratch: scratch, messages: *messages}
	if l.packages, err = filepath.Abs(l.packages); err != nil {
		return err
	}
	if err := l.build(ctx); err != nil {
		return err
	}
	return l.table(ctx, strings.FieldsFunc(*only, func(r rune) bool { return r == ',' }), out)
}

// install installs the packages of the lock file. No script of a package runs. Claude Code
// and Copilot name a newer Node than they need: they are programs of their own.
func install(ctx context.Context, progress io.Writer, dir string) error {
	lock, err := os.Stat(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return fmt.Errorf("it is started at the root of the checkout: %w", err)
	}
	have, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err == nil && !have.ModTime().Before(lock.ModTime()) {
		return nil
	}
	fmt.Fprintf(progress, "installing the npm packages of %s\n", dir)
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--force")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in %s: %w\n%s", dir, err, text)
	}
	return nil
}

// table runs every try with every agent.
func (l *lab) table(ctx context.Context, only []string, out io.Writer) error {
	fmt.Fprintf(out, "| Agent | Version |")
	for _, t := range tries() {
		fmt.Fprintf(out, " %s |", t.name)
	}
	fmt.Fprintf(out, "\n|---|---|%s\n", strings.Repeat("---|", len(tries())))
	var wrong []error
	for _, a := range agents() {
		if len(only) > 0 && !slices.Contains(only, a.name) {
			continue
		}
		version, err := l.version(a)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %s |", a.name, version)
		for _, t := range tries() {
			got, said, err := l.try(ctx, a, t)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", a.name, t.name, err)
			}
			fmt.Fprintf(out, " %s |", got)
			if want := t.want(a); got != want {
				wrong = append(wrong, fmt.Errorf("%s, %s: %s, want %s:\n%s", a.name, t.name, got, want, said))
			}
		}
		fmt.Fprintln(out)
	}
	return errors.Join(wrong...)
}
