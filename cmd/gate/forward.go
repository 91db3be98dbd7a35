package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/report"
)

// What is in this file forwards to packages that some commands do not use themselves yet.
// It goes with the last of these uses.

// outputFlags are [report.OutputOptions]; use [registerOutput].
type outputFlags struct {
	format, output, save, color string
	verbose, quiet              bool
}

func (o *outputFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.format, "format", "f", "text", "format of the report: "+strings.Join(report.Formats(), ", "))
	f.StringVarP(&o.output, "output", "o", "", "write the report to `FILE` instead of standard output")
	f.StringVar(&o.color, "color", "auto", "colour in the text report: auto, always or never")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show notes and everything that is folded otherwise")
	complete(cmd, "format", report.Formats()...)
	complete(cmd, "color", report.Colors()...)
}

func (o *outputFlags) registerRun(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.save, "save", "", "also save the result as JSON to `FILE`, for `gate report`")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress on standard error")
}

func (o outputFlags) options() report.OutputOptions {
	return report.OutputOptions{Format: o.format, File: o.output, Save: o.save, Color: o.color, Verbose: o.verbose, Quiet: o.quiet}
}

func (o outputFlags) check() error { return o.options().Check() }

// reporter is [report.Output]; use [report.NewOutput].
type reporter struct {
	*report.Output
	source source
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
	lines := func(path string, from, to int) []string { return r.source.lines.Lines(path, from, to) }
	r.Output, err = report.NewOutput(o.options(), a.console(), report.Options{FailOn: p.FailOn, Rules: rules, Source: lines})
	return r, err
}

func (r *reporter) close() error { return r.Close() }

// source is [report.Source].
type source struct{ lines report.Source }

func (s *source) ofChange(c *gate.Change)              { s.lines = *report.SourceOfChange(c) }
func (s *source) ofFolder(dir string, res gate.Result) { s.lines = *report.SourceOfFolder(dir, res) }

func newProgress(w io.Writer) *report.Progress { return report.NewProgress(w, width(w)) }

func newLogProgress(w io.Writer) *report.Progress { return report.NewProgress(w, 0) }

// engineHint is what to do where no container engine answers.
const engineHint = engine.EngineHint

// cachePlace is [engine.CachePlace], for the layers that are not opened by the engine.
type cachePlace struct {
	dir             string
	named, readOnly bool
}

func (l *layers) openCache(w wiring) error {
	uses := slices.Contains(w.selected, gate.LayerJudge) || slices.Contains(w.selected, gate.LayerSandbox)
	if w.cache.dir == "" || !uses {
		return nil
	}
	store, err := cache.Open(cache.Options{Dir: w.cache.dir, ReadOnly: w.cache.readOnly, Log: w.warn})
	switch {
	case err != nil && w.cache.named:
		return usage("%w", err)
	case err != nil:
		w.warn.Warn("nothing is known from earlier runs", "error", err)
		return nil
	}
	l.known = store
	l.close = append(l.close, store.Close)
	return nil
}

// depsCommand is what builds the images for a change since a revision.
func depsCommand(base string) string {
	if base == "" {
		return "gate deps build"
	}
	return "gate deps build --base " + base
}
