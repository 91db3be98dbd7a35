package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/aigate/gate/tools/probe"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv("ENGINE"), os.Stderr)
	stop()
	os.Exit(code)
}

const usage = "usage: go run ./tools/engine up [-runsc] | down"

// run is main with its inputs as arguments; it returns the exit code.
func run(ctx context.Context, args []string, consent string, stderr io.Writer) int {
	command := ""
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("engine "+command, flag.ContinueOnError)
	flags.SetOutput(stderr)
	runsc := flags.Bool("runsc", false, "also bring up gVisor's runtime, runsc")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if consent != "" && consent != "auto" && consent != "never" {
		fmt.Fprintf(stderr, "engine: ENGINE is %q; it must be empty, auto or never\n", consent)
		return 2
	}
	say := progress(stderr)
	var err error
	switch {
	case flags.NArg() > 0:
		fmt.Fprintln(stderr, usage)
		return 2
	case command == "up":
		err = up(ctx, say, consent != "never", *runsc)
	case command == "down":
		err = down(say)
	default:
		fmt.Fprintln(stderr, usage)
		return 2
	}
	if err != nil {
		fmt.Fprintf(stderr, "engine: %v\n", err)
		return 1
	}
	return 0
}

// sayFunc tells the person who waits what is going on, one line at a time.
type sayFunc func(format string, args ...any)

// Write lets a sayFunc be used where a tool wants a writer.
func (say sayFunc) Write(p []byte) (int, error) {
	say("%s", p)
	return len(p), nil
}

// progress returns a sayFunc that puts the seconds since the start before each
// line, so that a slow step can be seen as such.
func progress(w io.Writer) sayFunc {
	start := time.Now()
	return func(format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		for len(line) > 0 && line[len(line)-1] == '\n' {
			line = line[:len(line)-1]
		}
		fmt.Fprintf(w, "engine %4.0fs  %s\n", time.Since(start).Seconds(), line)
	}
}

// up brings up the engine, the base image and, where wanted, runsc.
func up(ctx context.Context, say sayFunc, mayChange, runsc bool) error {
	unlock, err := lockMachine(say)
	if err != nil {
		return err
	}
	defer unlock()

	m := look(ctx)
	m.mayChange = mayChange
	steps, err := m.plan()
	if err != nil {
		return err
	}
	if len(steps) > 0 {
		say("no container engine answers at %s; as root on %s this now will (ENGINE=never forbids it):", m.host, m.system.Distro)
		for _, s := range steps {
			say("  - %s", s.what)
		}
		for _, s := range steps {
			if err := s.do(ctx, say, m); err != nil {
				return fmt.Errorf("%s: %w", s.what, err)
			}
		}
	}
	info, err := probe.Info(ctx)
	if err != nil {
		return fmt.Errorf("ask the engine about itself: %w", err)
	}
	if err := checkLimits(info); err != nil {
		return err
	}
	if err := baseImage(ctx, say, m); err != nil {
		return fmt.Errorf("get the base image %s: %w", probe.BaseImage, err)
	}
	if err := probe.Runtime(ctx, "runc"); err != nil {
		return fmt.Errorf("the engine answers but runs no container: %w", err)
	}
	if runsc {
		if err := ensureRunsc(ctx, say, m); err != nil {
			return fmt.Errorf("bring up runsc: %w", err)
		}
	}
	say("engine %s at %s is up", info.ServerVersion, m.host)
	return nil
}
