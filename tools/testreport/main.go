// Command testreport reads the events of `go test -json` and prints what a person needs
// of them: each package's closing line, the full output of what failed, and,
// grouped by reason, what was skipped:
//
//	go test -json ./... | go run ./tools/testreport
//
// Plain `go test` hides skipped tests, so that a suite which tests nothing looks
// like one that passed. With -no-skips a skipped test is a failure.
//
// With -again N up to N tests that failed are run once more, each alone, with the
// flags that follow. Those that pass then are listed as flaky, and are no failure.
// More failures, a process that died and a data race are never forgiven.
//
// An event {"Action":"exit"} says that a go test command has ended with an error: if
// nothing failed in what it told, that is a failure, too.
//
// Exit codes: 0 all passed, 1 a test or a build failed, or was skipped under
// -no-skips, or nothing ran at all, 2 wrong usage or input that is not JSON
// events.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is main with its inputs as arguments; it returns the exit code.
func run(args []string, in io.Reader, out, problems io.Writer) int {
	flags := flag.NewFlagSet("testreport", flag.ContinueOnError)
	flags.SetOutput(problems)
	noSkips := flags.Bool("no-skips", false, "a skipped test is a failure")
	again := flags.Int("again", 0, "run up to `N` failed tests again, alone, with go test's flags that follow")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	r := report{out: out}
	if err := r.read(in); err != nil {
		fmt.Fprintf(problems, "testreport: %v\n", err)
		return 2
	}
	r.again(context.Background(), *again, goTest(flags.Args()))
	return r.close(*noSkips)
}
