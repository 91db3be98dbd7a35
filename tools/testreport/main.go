// Command testreport runs tests and prints what a person needs of them: each
// package's closing line, the full output of what failed, what was skipped, grouped
// by reason, and what took longest:
//
//	go run ./tools/testreport -- -race -timeout=30m ./... -- ./cmd/gate
//
// Behind each -- are the arguments of one `go test`, flags in the form -name=value.
// All of them run side by side: packages that wait and packages that compute share
// the machine.
//
// Plain `go test` hides skipped tests, so that a suite which tests nothing looks
// like one that passed. With -no-skips a skipped test is a failure, unless the same
// test passed in another of the runs: without the race detector, for example.
//
// With -again N up to N tests that failed are run once more, each alone, with the
// flags that they ran with. Those that pass then are listed as flaky, and are no
// failure. More failures, a process that died and a data race are never forgiven.
//
// Exit codes: 0 all passed, 1 a test or a build failed, or was skipped under
// -no-skips, or nothing ran at all, 2 wrong usage or output that is not JSON events.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main with its inputs as arguments; it returns the exit code.
func run(ctx context.Context, args []string, out, problems io.Writer) int {
	var groups [][]string
	if i := slices.Index(args, "--"); i >= 0 {
		args, groups = args[:i], split(args[i+1:])
	}
	flags := flag.NewFlagSet("testreport", flag.ContinueOnError)
	flags.SetOutput(problems)
	noSkips := flags.Bool("no-skips", false, "a skipped test is a failure")
	again := flags.Int("again", 0, "run up to `N` failed tests again, alone")
	slowest := flags.Int("slowest", 10, "list the `N` packages and tests that took longest")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 || len(groups) == 0 {
		fmt.Fprintln(problems, "usage: testreport [-no-skips] [-again N] [-slowest N] -- GO TEST ARGUMENTS [-- GO TEST ARGUMENTS]...")
		return 2
	}
	r := newReport(out)
	if err := r.take(ctx, groups); err != nil {
		fmt.Fprintf(problems, "testreport: %v\n", err)
		return 2
	}
	r.again(ctx, *again)
	r.listSlowest(*slowest)
	return r.close(*noSkips)
}

// split cuts arguments at each --; a part without a package is left out, because
// go test would take the current folder.
func split(args []string) [][]string {
	var groups [][]string
	for len(args) > 0 {
		i := slices.Index(args, "--")
		if i < 0 {
			i = len(args)
		}
		if slices.ContainsFunc(args[:i], isPackage) {
			groups = append(groups, args[:i])
		}
		args = args[min(i+1, len(args)):]
	}
	return groups
}

func isPackage(arg string) bool { return !strings.HasPrefix(arg, "-") }
