package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stderr)
	stop()
	os.Exit(code)
}

// settings say what is measured, and with what.
type settings struct {
	folder  string
	out     string
	gate    string            // the program
	commits int               // of each project
	only    string            // a part of the names of projects; "" for all
	tests   map[string]string // commands of tests, by project
	within  time.Duration     // for one scan
	plain   time.Duration     // for the tests by themselves
	log     io.Writer
}

// run is main with its inputs as arguments; it returns the exit code.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	s, err := options(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "realrun:", err)
		return 2
	}
	if err := measureAll(ctx, s); err != nil {
		fmt.Fprintln(stderr, "realrun:", err)
		return 1
	}
	return 0
}

func options(args []string, stderr io.Writer) (settings, error) {
	s := settings{log: stderr}
	flags := flag.NewFlagSet("realrun", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.out, "out", "realrun", "the `folder` for the table")
	flags.StringVar(&s.gate, "gate", "gate", "the `program` gate")
	flags.IntVar(&s.commits, "commits", 3, "`how many` commits of each project")
	flags.StringVar(&s.only, "only", "", "a `part` of the names of the projects to measure")
	flags.DurationVar(&s.within, "within", 15*time.Minute, "the longest `time` for one scan")
	flags.DurationVar(&s.plain, "plain-within", 15*time.Minute, "the longest `time` for the tests by themselves")
	tests := flags.String("tests", "", "a `file` with the commands of projects' tests, by name")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() != 1 || s.commits < 1 || s.commits > maxCommits {
		return s, fmt.Errorf("it takes one folder of bare repositories and 1 to %d commits", maxCommits)
	}
	s.folder = flags.Arg(0)
	if *tests != "" {
		text, err := os.ReadFile(*tests)
		if err != nil {
			return s, err
		}
		if err := json.Unmarshal(text, &s.tests); err != nil {
			return s, fmt.Errorf("%s: %w", *tests, err)
		}
	}
	return s, nil
}

// measureAll measures what is not in the table yet, and writes the table.
func measureAll(ctx context.Context, s settings) error {
	repos, err := filepath.Glob(filepath.Join(s.folder, "*.git"))
	if err == nil && len(repos) == 0 {
		err = fmt.Errorf("%s has no bare repository NAME.git", s.folder)
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	t, err := openTable(s.out)
	if err != nil {
		return err
	}
	for n := range s.commits { // the first of every project before the second of any
		for _, repo := range repos {
			name := strings.TrimSuffix(filepath.Base(repo), ".git")
			if !strings.Contains(name, s.only) {
				continue
			}
			chosen, err := choose(ctx, repo, s.commits)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if n >= len(chosen) || t.has(name, chosen[n].id) {
				continue
			}
			row := measure(ctx, s, repo, name, chosen[n])
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			fmt.Fprintln(s.log, row)
			if err := t.add(row); err != nil {
				return err
			}
		}
	}
	return t.write()
}
