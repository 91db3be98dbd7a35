// Testreport reads the events of `go test -json` and prints what a person needs
// of them: each package's closing line, the full output of what failed, and,
// grouped by reason, what was skipped:
//
//	go test -json ./... | go run ./tools/testreport
//
// Plain `go test` hides skipped tests, so that a suite which tests nothing looks
// like one that passed. With -no-skips a skipped test is a failure.
//
// Exit codes: 0 all passed, 1 a test or a build failed, or was skipped under
// -no-skips, or nothing ran at all, 2 wrong usage or input that is not JSON
// events.
package main

import (
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
	if err := flags.Parse(args); err != nil {
		return 2
	}
	r := report{out: out}
	if err := r.read(in); err != nil {
		fmt.Fprintf(problems, "testreport: %v\n", err)
		return 2
	}
	return r.close(*noSkips)
}
