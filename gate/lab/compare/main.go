package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stderr)
	stop()
	os.Exit(code)
}

// run is main with its inputs as arguments; it returns the exit code.
func run(ctx context.Context, args []string, log io.Writer) int {
	if len(args) == 0 {
		fmt.Fprintln(log, "usage: compare convert|benign|table [flags]")
		return 2
	}
	flags := flag.NewFlagSet("compare "+args[0], flag.ContinueOnError)
	flags.SetOutput(log)
	var do func() error
	switch args[0] {
	case "convert":
		from := flags.String("from", "", "folder with NAME.LANGUAGE.jsonl files")
		to := flags.String("to", "", "folder that becomes the corpus")
		about := flags.String("about", "One file each.", "what the corpus says about itself")
		do = func() error { return convert(*from, *to, *about) }
	case "benign":
		to := flags.String("to", "", "folder that becomes the corpus")
		n := flags.Int("n", 1000, "most files of each language")
		do = func() error { return benign(ctx, *to, *n, log) }
	case "table":
		t := table{log: log}
		flags.StringVar(&t.gate, "gate", "bin/gate", "the gate to measure")
		flags.StringVar(&t.bin, "bin", "bin/tools", "folder with gosec and gitleaks")
		flags.StringVar(&t.kept, "keep", "", "folder that keeps what the other tools said about the same files")
		flags.StringVar(&t.page, "o", "docs/detection.md", "page whose table is replaced")
		do = func() error { return t.write(ctx, flags.Args(), time.Now().UTC()) }
	default:
		fmt.Fprintf(log, "compare: there is no command %q (convert, benign, table)\n", args[0])
		return 2
	}
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	if err := do(); err != nil {
		fmt.Fprintf(log, "compare: %v\n", err)
		return 1
	}
	return 0
}
