package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report"
)

// registerOutput adds the flags of every command that writes a report.
func registerOutput(cmd *cobra.Command, o *report.OutputOptions) { registerReport(cmd, o, "output") }

// registerReport does that; -o has a long name as well.
func registerReport(cmd *cobra.Command, o *report.OutputOptions, long string) {
	f := cmd.Flags()
	f.StringVarP(&o.Format, "format", "f", "text", "format of the report: "+strings.Join(report.Formats(), ", "))
	f.StringVarP(&o.File, long, "o", "", "write the report to `FILE` instead of standard output")
	f.StringVar(&o.Color, "color", "auto", "colour in the text report: auto, always or never")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "show notes and everything that is folded otherwise")
	complete(cmd, "format", report.Formats()...)
	complete(cmd, "color", report.Colors()...)
}

// registerOutputOfRun adds the flags that only make sense while something runs.
func registerOutputOfRun(cmd *cobra.Command, o *report.OutputOptions) {
	f := cmd.Flags()
	f.StringVar(&o.Save, "save", "", "also save the result as JSON to `FILE`, for `gate report`")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "no progress on standard error")
}

// console is where this process writes to.
func (a *app) console() report.Console {
	return report.Console{
		Stdout: a.stdout, Stderr: a.stderr,
		StdoutColumns: width(a.stdout), StderrColumns: width(a.stderr),
		Plain: a.getenv("NO_COLOR") != "",
	}
}

// replay writes a saved result and ends with its exit code. dir has the files that were
// scanned, for the lines around findings.
func (a *app) replay(res gate.Result, o report.OutputOptions, dir string) error {
	rules, err := a.reportRules()
	if err != nil {
		return err
	}
	out, err := report.NewOutput(o, a.console(), report.Options{
		FailOn: gate.DefaultPolicy().FailOn, Rules: rules, Source: report.SourceOfFolder(dir, res).Lines,
	})
	if err != nil {
		return err
	}
	return out.Replay(res)
}
