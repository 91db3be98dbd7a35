package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/suppress"
)

// baselineFlags are the flags of `gate baseline`.
type baselineFlags struct {
	engine.Options
	reason  string
	expires string
	from    string
	update  bool
	quiet   bool
}

func (a *app) baselineCommand() *cobra.Command {
	var f baselineFlags
	cmd := &cobra.Command{
		Use:   "baseline [PATH...]",
		Short: "Accept the findings of now, so that only new ones decide",
		Long: `baseline scans files and folders (default: the current one) and writes every finding
to ` + suppress.BaselineFile + ` at the root of the tree. A scan that reads it still lists these
findings, with the reason, and lets them decide nothing. An entry is for one rule, one
file and exactly these lines: it ends when they change, and does not cover a copy.

With --base, --staged and in pull requests the baseline of the base commit counts, and
a change to the file is a finding.`,
		Example: `  gate baseline --reason "reviewed on adoption"
  gate baseline --update
  gate baseline --update --reason "the installer needs it" --expires 2027-01-31 tools/
  gate baseline --layers static,sandbox --reason "reviewed"`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.baseline(cmd.Context(), f, args) },
	}
	registerLayers(cmd, &f.Options)
	fl := cmd.Flags()
	fl.StringVar(&f.reason, "reason", "", "why the findings are accepted; `TEXT` for whoever reads the reports")
	fl.StringVar(&f.expires, "expires", "", "last `DATE` (YYYY-MM-DD) on which the new entries count")
	fl.StringVar(&f.from, "severity", "suspicious", "accept findings from this severity on: note, suspicious or dangerous")
	fl.BoolVar(&f.update, "update", false, "keep the entries whose findings are still there, drop the others, add what is new")
	fl.StringVar(&f.Config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	fl.Lookup("layers").Usage = "accept the findings of these `LAYERS`: static, judge, sandbox (default: static)"
	complete(cmd, "severity", "note", "suspicious", "dangerous")
	return cmd
}

// accept checks the flags that say what is accepted, and why.
func (f *baselineFlags) accept() (suppress.Accept, error) {
	a := suppress.Accept{Reason: f.reason}
	if err := a.From.UnmarshalText([]byte(f.from)); err != nil || a.From == gate.SeverityUnknown {
		return a, usage("--severity is note, suspicious or dangerous, not %q", f.from)
	}
	if f.reason != "" || !f.update {
		if err := suppress.CheckReason(f.reason); err != nil {
			return a, usage("--reason: %w", err)
		}
	}
	if f.expires != "" {
		var err error
		if a.Expires, err = suppress.ParseDay(f.expires); err != nil {
			return a, usage("--expires: %w", err)
		}
		if a.Expires < suppress.On(time.Now()) {
			return a, usage("--expires: %s is over", a.Expires)
		}
	}
	return a, nil
}

func (a *app) baseline(ctx context.Context, f baselineFlags, paths []string) error {
	accept, err := f.accept()
	if err != nil {
		return err
	}
	if len(f.Layers) == 0 {
		f.Layers = []string{string(gate.LayerStatic)}
	}
	var progress gate.Handler = gate.Discard{}
	if !f.quiet {
		progress = newProgress(a.stderr)
	}
	out, err := a.engine().Baseline(ctx, engine.BaselineRequest{
		Local: engine.LocalOptions{Paths: paths, Options: f.Options}, Selected: f.Selected(),
		Accept: accept, Update: f.update, Handler: progress,
	})
	if err != nil {
		return err
	}
	a.sayDifference(out)
	return nil
}

// sayDifference prints what happened to the baseline.
func (a *app) sayDifference(out engine.BaselineOutcome) {
	show := func(sign string, entries []suppress.Entry) {
		for _, e := range entries {
			fmt.Fprintf(a.stdout, "%s %s  %s  %s  (%s)\n", sign, shown(e.Path), e.Severity, e.Rule, shown(e.Reason))
		}
	}
	d := out.Difference
	show("+", d.Added)
	show("-", d.Removed)
	fmt.Fprintf(a.stdout, "%s: %d entries, %d added, %d removed\n", suppress.BaselineFile, len(out.Next.Entries), len(d.Added), len(d.Removed))
	for _, l := range out.NotAccepted {
		fmt.Fprintf(a.stderr, "gate: not accepted: %s\n", shown(l))
	}
	if n := len(out.Result.Incomplete); n > 0 {
		fmt.Fprintf(a.stderr, "gate: %d things could not be looked at (`gate scan` lists them); the entries for them were kept\n", n)
	}
}

// shown quotes a text that holds what a terminal would not just show.
func shown(s string) string {
	q := fmt.Sprintf("%q", s)
	if inner := strings.Trim(q, `"`); inner == s {
		return s
	}
	return q
}
