package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/exit"
)

// OutputOptions say which report a command writes, and where. A command line binds its
// flags to them.
type OutputOptions struct {
	Format  string // one of [Formats]
	File    string // takes the report in place of standard output, which is "" and "-"
	Save    string // a file that takes the result as JSON, besides the report
	Color   string // one of [Colors]
	Verbose bool   // see [Options]
	Quiet   bool   // no progress
}

// Colors returns what [OutputOptions].Color may be.
func Colors() []string { return []string{"auto", "always", "never"} }

// Check says what is wrong with the options. The error has the exit code of a mistake on
// the command line.
func (o OutputOptions) Check() error {
	if !slices.Contains(Formats(), o.Format) {
		return exit.Usagef("there is no format %q (one of %s)", o.Format, strings.Join(Formats(), ", "))
	}
	if !slices.Contains(Colors(), o.Color) {
		return exit.Usagef("--color is auto, always or never, not %q", o.Color)
	}
	for _, name := range []string{o.file(), o.Save} {
		if name == "" {
			continue
		}
		if err := atomicfile.Check(name); err != nil {
			return exit.Usagef("the report cannot be written: %w", err)
		}
	}
	return nil
}

// file is the file that takes the report, "" for standard output.
func (o OutputOptions) file() string {
	if o.File == "-" {
		return ""
	}
	return o.File
}

// Console is where a command writes to.
type Console struct {
	Stdout, Stderr io.Writer
	// The columns of both where they are terminals, else 0.
	StdoutColumns, StderrColumns int
	// Plain switches colours off, unless they are asked for: NO_COLOR.
	Plain bool
}

// Output is the handler that a command line asks for: the report, the saved result and
// the progress. Files are held back until they are complete. [Output.Close] writes them.
//
// It never ends a run: a full disk or a closed pipe must not keep a finding from being
// made. What went wrong is the error of Close.
type Output struct {
	handler  gate.Handler
	files    []pendingFile
	finished bool
	failed   error // the first
}

var _ gate.Handler = (*Output)(nil)

// Handle implements [gate.Handler]; its error is always nil.
func (o *Output) Handle(e gate.Event) error {
	if err := o.handler.Handle(e); err != nil && o.failed == nil {
		o.failed = fmt.Errorf("write the report: %w", err)
	}
	if _, ok := e.(gate.Finished); ok {
		o.finished = true
	}
	return nil
}

type pendingFile struct {
	path string
	text *bytes.Buffer
}

// NewOutput returns the handler for checked options. Of the report's own options it sets
// Color, Width and Verbose; the rest comes from base.
func NewOutput(o OutputOptions, to Console, base Options) (*Output, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	columns := to.StdoutColumns
	if o.file() != "" {
		columns = 0
	}
	base.Color = o.Color == "always" || o.Color == "auto" && columns > 0 && !to.Plain
	base.Width, base.Verbose = columns, o.Verbose
	out := &Output{}
	var handlers []gate.Handler
	if !o.Quiet {
		handlers = append(handlers, NewProgress(to.Stderr, to.StderrColumns))
	}
	main, err := New(o.Format, out.writer(o.file(), to.Stdout), base)
	if err != nil {
		return nil, err
	}
	handlers = append(handlers, main)
	if o.Save != "" {
		saved, err := New("json", out.writer(o.Save, nil), Options{})
		if err != nil {
			return nil, err
		}
		handlers = append(handlers, saved)
	}
	out.handler = Fan(handlers...)
	return out, nil
}

func (o *Output) writer(path string, fallback io.Writer) io.Writer {
	if path == "" {
		return fallback
	}
	buf := &bytes.Buffer{}
	o.files = append(o.files, pendingFile{path, buf})
	return buf
}

// Close writes the files of a finished report: each is complete or as it was before. Of a
// run that did not finish nothing is written. The error is everything that kept the
// report from being written.
func (o *Output) Close() error {
	errs := []error{o.failed}
	for _, f := range o.files {
		if !o.finished {
			break
		}
		if err := atomicfile.Write(f.path, f.text.Bytes()); err != nil {
			errs = append(errs, fmt.Errorf("write the report: %w", err))
		}
	}
	return errors.Join(errs...)
}
