package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/report"
)

// outputFlags are the flags of every command that writes a report.
type outputFlags struct {
	format  string
	output  string
	save    string
	color   string
	verbose bool
	quiet   bool
}

func (o *outputFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.format, "format", "f", "text", "format of the report: "+strings.Join(report.Formats(), ", "))
	f.StringVarP(&o.output, "output", "o", "", "write the report to `FILE` instead of standard output")
	f.StringVar(&o.color, "color", "auto", "colour in the text report: auto, always or never")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show notes and everything that is folded otherwise")
	complete(cmd, "format", report.Formats()...)
	complete(cmd, "color", "auto", "always", "never")
}

// registerRun adds the flags that only make sense while something runs.
func (o *outputFlags) registerRun(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.save, "save", "", "also save the result as JSON to `FILE`, for `gate report`")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress on standard error")
}

// complete gives a flag fixed completions.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// The error means that the flag does not exist, which the first test of
	// the command would show.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// reporter is the handler that a command line asks for. The report is held back
// until it is whole: a file that is named gets all of it or nothing.
type reporter struct {
	gate.Handler
	files  []pendingFile
	source source
}

type pendingFile struct {
	path string
	text *bytes.Buffer
}

// check refuses what no report can be written from.
func (o outputFlags) check() error {
	if !slices.Contains(report.Formats(), o.format) {
		return usage("there is no format %q (one of %s)", o.format, strings.Join(report.Formats(), ", "))
	}
	if !slices.Contains([]string{"auto", "always", "never"}, o.color) {
		return usage("--color is auto, always or never, not %q", o.color)
	}
	return nil
}

func (a *app) reporter(o outputFlags, p gate.Policy, own ...static.RuleSource) (*reporter, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	rules, err := a.reportRules(own...)
	if err != nil {
		return nil, err
	}
	r := &reporter{}
	out := r.writer(o.output, a.stdout)
	cols := 0
	if o.output == "" {
		cols = width(a.stdout)
	}
	main, err := report.New(o.format, out, report.Options{
		Color:   o.color == "always" || o.color == "auto" && cols > 0 && a.getenv("NO_COLOR") == "",
		Width:   cols,
		Verbose: o.verbose,
		FailOn:  p.FailOn,
		Rules:   rules,
		Source:  r.source.between,
	})
	if err != nil {
		return nil, err
	}
	handlers := []gate.Handler{main}
	if o.save != "" {
		saved, err := report.New("json", r.writer(o.save, nil), report.Options{})
		if err != nil {
			return nil, err
		}
		handlers = append(handlers, saved)
	}
	if !o.quiet {
		handlers = append([]gate.Handler{newProgress(a.stderr)}, handlers...)
	}
	r.Handler = report.Fan(handlers...)
	return r, nil
}

func (r *reporter) writer(path string, fallback io.Writer) io.Writer {
	if path == "" {
		return fallback
	}
	buf := &bytes.Buffer{}
	r.files = append(r.files, pendingFile{path, buf})
	return buf
}

// close writes the files of a finished report.
func (r *reporter) close() error {
	for _, f := range r.files {
		if err := writeFile(f.path, f.text.Bytes()); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	return nil
}

// writeFile replaces path with data in one step, so that a reader never sees
// half a report and a full disk never leaves an old verdict half overwritten.
func writeFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".gate-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(tmp.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// exitFor turns the end of a run into the exit code of the command.
func exitFor(res gate.Result, err error) error {
	if err != nil {
		return &exit.Error{Code: exitIncomplete, Err: err}
	}
	switch res.Decision {
	case gate.DecisionPass:
		return nil
	case gate.DecisionBlock:
		return &exit.Error{Code: exitBlocked}
	default:
		return &exit.Error{Code: exitIncomplete}
	}
}
