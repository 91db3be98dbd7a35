package execute

import (
	"slices"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// A program that wants arguments says so and ends with an error. No change keeps it from
// running by that, where its base asked as well or where it tells what it wants.

// usageCodes are the exit codes of programs that miss their arguments: of most, of those
// that print a usage message of their own, and the one of sysexits.h.
var usageCodes = []int{2, 1, 64}

// usages are how programs say that they miss arguments.
var usages = []*regexp.Regexp{
	regexp.MustCompile(`(?im)^\s*usage: ?`),                                                 // argparse, click, docopt, getopt, what people write
	regexp.MustCompile(`(?m)^Usage of \S+:`),                                                // flag of Go
	regexp.MustCompile(`(?m)^error: (?:missing required argument|required option) `),        // commander
	regexp.MustCompile(`(?m)^(?:Not enough non-option arguments|Missing required arg)`),     // yargs
	regexp.MustCompile(`(?m)^Error: (?:accepts \d+ arg|requires at least|required flag\()`), // cobra
}

// asks reports whether a program ended because it misses arguments.
func asks(res sandbox.Result) bool {
	return res.Status == sandbox.Exited && slices.Contains(usageCodes, res.ExitCode) && showsUsage(res)
}

// showsUsage reports whether a program said how it is to be started.
func showsUsage(res sandbox.Result) bool {
	text := tail(res.Stderr.Data) + "\n" + tail(res.Stdout.Data)
	return slices.ContainsFunc(usages, func(re *regexp.Regexp) bool { return re.MatchString(text) })
}

// asked is what the runs of a file say about arguments.
type asked struct {
	misses bool // it ended because it misses arguments
	helps  bool // it was asked for its help and gave it
}

// ask joins what the runs of a unit say. The second one of those that were planned
// asked for help.
func (a *asked) ask(r result) {
	for i, one := range r.runs {
		if !one.plainly() {
			continue
		}
		a.misses = a.misses || asks(one.res)
		a.helps = a.helps || i > 0 && one.res.Status == sandbox.Exited && one.res.ExitCode == 0 && showsUsage(one.res)
	}
}
