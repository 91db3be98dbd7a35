// Command carriers plants dangerous payloads in every place from which code runs, under
// every disguise in which it still runs, and says which of them gate's static layer misses.
//
//	go run ./gate/lab/carriers                              # all, as text
//	go run ./gate/lab/carriers -format html -o matrix.html
//	go run ./gate/lab/carriers -only 'sh/utf16-*'           # CARRIER/DISGUISE/PAYLOAD, globs
//	go run ./gate/lab/carriers -only sh/bom/send-key -write DIR
//
// A carrier is a place, such as a Makefile or a member of a wheel; a disguise changes how
// it is written, named or added; a payload is dangerous in plain. Each combination that
// applies is a change of its own, made in memory and put through the static layer with the
// default policy, as a pull request would be, and its benign twin after it.
//
// What it promises: the same combinations in the same order every time; code that gate can
// read has to be DANGEROUS, and what it cannot read must not be SAFE. Nothing is executed:
// -write writes a payload to an empty folder that the caller names, as a git repository
// would hold it, with the base commit beside it. Every name and address of a payload is
// reserved for documentation.
//
// What it does not do: vary the payload itself, which the samples of the rules do, or show
// that a disguise works. The tests ask the interpreters of the machine whether they parse
// what was made.
//
// Exit codes: 0 all are caught or known, 1 not, 2 wrong usage, 3 not all was tried.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/aigate/gate/gate/atomicfile"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are what a command line may say.
type options struct {
	selection
	format, output, write string
	html, markdown        string // files for the report in these formats, besides
	twin                  bool
}

// run is main with its inputs as arguments; it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	c := newCatalogue()
	var all []combination
	if err == nil {
		all, err = c.combinations(o.selection)
	}
	if err != nil {
		fmt.Fprintln(stderr, "carriers:", err)
		return 2
	}
	if o.write != "" {
		if err := write(o.write, all, o.twin); err != nil {
			fmt.Fprintln(stderr, "carriers:", err)
			return 2
		}
		return 0
	}
	m, err := report(ctx, all, stderr)
	if err == nil {
		if o.selection != (selection{}) {
			m.Stale = []string{} // a part says nothing about the list
		}
		err = o.save(m, stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "carriers:", err)
		return 3
	case len(unknown(m.Missed))+len(unknown(m.Weak))+len(m.Stale) > 0:
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("carriers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.only, "only", "", "`CARRIER/DISGUISE/PAYLOAD`, each a glob; what is left out at the end is all")
	flags.IntVar(&o.each, "each", 0, "`payloads` of each cell but those without a disguise; 0 is all")
	flags.StringVar(&o.format, "format", "text", "text, markdown, html or json")
	flags.StringVar(&o.output, "o", "", "`file` for the report; standard output otherwise")
	flags.StringVar(&o.html, "html", "", "`file` that gets the report as HTML as well")
	flags.StringVar(&o.markdown, "markdown", "", "`file` that gets the report as Markdown as well")
	flags.StringVar(&o.write, "write", "", "write the files of one combination into this empty `folder` instead of scanning")
	flags.BoolVar(&o.twin, "twin", false, "with -write: the benign twin")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("there is no argument %q: use -only", flags.Arg(0))
	case writers()[o.format] == nil:
		return o, fmt.Errorf("there is no format %q (one of %s)", o.format, strings.Join(slices.Sorted(maps.Keys(writers())), ", "))
	case o.each < 0:
		return o, errors.New("-each is a number from 1 on, or 0 for all")
	}
	return o, nil
}

func writers() map[string]func(io.Writer, matrix) error {
	return map[string]func(io.Writer, matrix) error{"text": writeText, "markdown": writeMarkdown, "html": writeHTML, "json": writeJSON}
}

// report tries combinations and counts.
func report(ctx context.Context, all []combination, stderr io.Writer) (m matrix, err error) {
	s, err := open(ctx)
	if err != nil {
		return matrix{}, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	outcomes, err := measure(ctx, s, all, func(done int) {
		if done%2000 == 0 {
			fmt.Fprintf(stderr, "carriers: %d of at most %d\n", done, len(all))
		}
	})
	if err != nil {
		return matrix{}, err
	}
	return newMatrix(outcomes, knownHoles()), nil
}

// save writes the report to where the options say.
func (o options) save(m matrix, stdout io.Writer) error {
	var errs []error
	for file, write := range map[string]func(io.Writer, matrix) error{o.html: writeHTML, o.markdown: writeMarkdown, o.output: writers()[o.format]} {
		if file != "" {
			errs = append(errs, saveFile(file, m, write))
		}
	}
	if o.output == "" {
		errs = append(errs, writers()[o.format](stdout, m))
	}
	return errors.Join(errs...)
}

func saveFile(name string, m matrix, write func(io.Writer, matrix) error) error {
	var b bytes.Buffer
	if err := write(&b, m); err != nil {
		return err
	}
	return atomicfile.Write(name, b.Bytes())
}
