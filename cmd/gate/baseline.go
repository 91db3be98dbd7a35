package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/suppress"
)

// baselineFlags are the flags of `gate baseline`.
type baselineFlags struct {
	layerFlags
	reason  string
	expires string
	from    string
	config  string
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
	f.layerFlags.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.reason, "reason", "", "why the findings are accepted; `TEXT` for whoever reads the reports")
	fl.StringVar(&f.expires, "expires", "", "last `DATE` (YYYY-MM-DD) on which the new entries count")
	fl.StringVar(&f.from, "severity", "suspicious", "accept findings from this severity on: note, suspicious or dangerous")
	fl.BoolVar(&f.update, "update", false, "keep the entries whose findings are still there, drop the others, add what is new")
	fl.StringVar(&f.config, "config", "", "take the policy from `FILE` instead of .gate.yml")
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
	if len(f.layers) == 0 {
		f.layers = []string{string(gate.LayerStatic)}
	}
	repo, err := change.Open(ctx, paths)
	if err != nil {
		return usage("%w", err)
	}
	defer repo.Close()
	set, err := a.policyOf(ctx, repo, "", f.config, &f.layerFlags)
	if err != nil {
		return err
	}
	set.tree = repo.WorkTree()
	old, err := set.baseline()
	switch {
	case err != nil && f.update:
		return err
	case err == nil && old != nil && !f.update:
		return usage("%s exists; --update keeps what it says about findings that are still there (or remove it first)", suppress.BaselineFile)
	case old == nil:
		old = &suppress.Baseline{}
	}
	c, err := repo.Folder(ctx, change.Options{Paths: set.policy.Paths, Targets: set.policy.Limits.Files})
	if err != nil {
		return usage("%w", err)
	}
	res, err := a.findings(ctx, c, a.wiring(set, f.selected()), f.quiet)
	if err != nil {
		return incomplete(err)
	}
	now, left := suppress.Entries(c, res, accept)
	next, diff := old.Update(now, suppress.On(time.Now()), lookedAt(c, res))
	if len(diff.Added) > 0 && f.reason == "" {
		return usage("%d findings are new: --reason says why they are accepted (`gate scan` shows them)", len(diff.Added))
	}
	data, err := next.Bytes()
	if err != nil {
		return incomplete(err)
	}
	if len(data) > suppress.MaxBytes {
		return incomplete(fmt.Errorf("the baseline would have %d bytes, and at most %d are read; accept fewer findings (--severity, PATH)", len(data), suppress.MaxBytes))
	}
	if err := writeFile(filepath.Join(repo.Root(), suppress.BaselineFile), data); err != nil {
		return incomplete(fmt.Errorf("write the baseline: %w", err))
	}
	a.sayDifference(next, diff, left, res)
	return nil
}

// findings runs the layers without any baseline. Comments count: what they
// suppress needs no entry.
func (a *app) findings(ctx context.Context, c *gate.Change, w wiring, quiet bool) (gate.Result, error) {
	l, err := a.stages(ctx, w)
	if err != nil {
		return gate.Result{}, err
	}
	var h gate.Handler = gate.Discard{}
	if !quiet {
		h = newProgress(a.stderr)
	}
	silenced := l.suppressions(silencing{change: c, usage: w.policy.Rules.Usage})
	res, err := gate.Run(ctx, gate.Request{Tool: tool(), Change: c, Policy: w.policy, Stages: l.stages, Suppress: silenced, Handler: h})
	return res, errors.Join(err, l.shut())
}

// lookedAt says for which files and layers the findings of a result are all that
// there are. A file that exists and was no target was not looked at.
func lookedAt(c *gate.Change, res gate.Result) func(string, gate.Layer) bool {
	files := map[string]bool{}
	for _, f := range res.Files {
		files[f.Path] = true
	}
	ran := map[gate.Layer]bool{}
	for _, l := range res.Layers {
		ran[l.Name] = l.Status == gate.LayerRan
	}
	return func(path string, l gate.Layer) bool {
		for _, g := range res.Incomplete {
			if g.Layer == l && (g.Path == path || g.Path == "") {
				return false
			}
		}
		if !files[path] {
			_, err := fs.Stat(c.Head, path)
			return errors.Is(err, fs.ErrNotExist)
		}
		return ran[l]
	}
}

// sayDifference prints what became of the baseline.
func (a *app) sayDifference(next suppress.Baseline, d suppress.Difference, left []string, res gate.Result) {
	show := func(sign string, entries []suppress.Entry) {
		for _, e := range entries {
			fmt.Fprintf(a.stdout, "%s %s  %s  %s  (%s)\n", sign, shown(e.Path), e.Severity, e.Rule, shown(e.Reason))
		}
	}
	show("+", d.Added)
	show("-", d.Removed)
	fmt.Fprintf(a.stdout, "%s: %d entries, %d added, %d removed\n", suppress.BaselineFile, len(next.Entries), len(d.Added), len(d.Removed))
	for _, l := range left {
		fmt.Fprintf(a.stderr, "gate: not accepted: %s\n", shown(l))
	}
	if n := len(res.Incomplete); n > 0 {
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
