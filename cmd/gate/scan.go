package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/attribution"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/policy"
)

// scanFlags are the flags of `gate scan`.
type scanFlags struct {
	layerFlags
	cache  cacheFlags
	out    outputFlags
	base   string
	staged bool
	config string
	failOn string
	shard  string
	aiOnly bool
	// noSuppressions lets every finding decide.
	noSuppressions bool
}

func (a *app) scanCommand() *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan [PATH...]",
		Short: "Put a folder, a change or the staged content through the layers",
		Long: `scan looks at files and folders (default: the current one), at what changed since
a revision (--base), or at exactly what would be committed (--staged).

In a git work tree, ignored files are left out. Layers that are not there are
skipped with the command that gets them, unless --layers or the policy's
"require" names them: then the result is incomplete.`,
		Example: `  gate scan ./
  gate scan --base origin/main
  gate scan --staged --layers static
  gate scan src/ --format json -o result.json
  gate scan ./ --layers static,sandbox --runtime runsc`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.scan(cmd.Context(), f, args) },
	}
	f.layerFlags.register(cmd)
	f.out.register(cmd)
	f.out.registerRun(cmd)
	f.cache.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.base, "base", "", "look at what changed since the merge base with `REV`, uncommitted changes included")
	fl.BoolVar(&f.staged, "staged", false, "look at the staged content, as a commit would record it")
	fl.BoolVar(&f.aiOnly, "ai-only", false, "with --base: the judge and the sandbox see only what an AI wrote or may have written")
	fl.BoolVar(&f.noSuppressions, "no-suppressions", false, "let findings decide that comments or the baseline suppress, for a tree of somebody else")
	fl.StringVar(&f.config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	fl.StringVar(&f.failOn, "fail-on", "", "block from this verdict on: dangerous or suspicious (default: the policy's)")
	fl.StringVar(&f.shard, "shard", "", shardUsage)
	complete(cmd, "fail-on", "dangerous", "suspicious")
	cmd.MarkFlagsMutuallyExclusive("base", "staged")
	return cmd
}

func (a *app) scan(ctx context.Context, f scanFlags, paths []string) error {
	if f.aiOnly && f.base == "" {
		return usage("--ai-only needs --base REV: who wrote a file is known from the commits since then")
	}
	part, err := partOf(f.shard)
	if err != nil {
		return usage("--shard: %w", err)
	}
	repo, err := change.Open(ctx, paths)
	if err != nil {
		return usage("%w", err)
	}
	defer repo.Close()
	set, err := a.policyOf(ctx, repo, f.policyRevision(), f.config, &f.layerFlags)
	if err != nil {
		return err
	}
	if f.failOn != "" {
		if err := policy.Set(&set.policy, "fail-on", f.failOn, "--fail-on"); err != nil {
			return usage("%w", err)
		}
	}
	own, err := set.userRules()
	if err != nil {
		return err
	}
	h, err := a.reporter(f.out, set.policy, own...)
	if err != nil {
		return err
	}
	c, err := f.change(ctx, repo, set.policy)
	if err != nil {
		return err
	}
	if err := f.attribute(ctx, repo, c, set.policy); err != nil {
		return err
	}
	if len(c.Targets) == 0 && len(c.Incomplete) == 0 {
		switch {
		case f.staged:
			fmt.Fprintln(a.stderr, "gate: nothing is staged")
			return nil
		case f.base == "":
			return usage("nothing to scan: no file below %s is looked at%s", orHere(paths), whySkipped(c.Skipped))
		}
	}
	w := a.wiring(set, f.selected())
	w.base, w.part = f.base, part
	w.cache = a.cachePlace(f.cache)
	if f.noSuppressions {
		return a.runLayers(ctx, c, w, h, nil)
	}
	accepted, err := set.baseline()
	if err != nil {
		return err
	}
	return a.runLayers(ctx, c, w, h, &silencing{change: c, againstBase: f.policyRevision() != "", baseline: accepted, usage: w.policy.Rules.Usage})
}

// policyRevision is the revision whose policy counts, or "" for the tree's own.
func (f *scanFlags) policyRevision() string {
	if f.staged {
		return "HEAD"
	}
	return f.base
}

// change lists what the flags ask for.
func (f *scanFlags) change(ctx context.Context, repo *change.Repo, p gate.Policy) (*gate.Change, error) {
	opts := change.Options{Paths: p.Paths, Targets: p.Limits.Files}
	var c *gate.Change
	var err error
	switch {
	case f.staged:
		c, err = repo.Staged(ctx, opts)
	case f.base != "":
		c, err = repo.Between(ctx, f.base, "", opts)
	default:
		c, err = repo.Folder(ctx, opts)
	}
	switch {
	case err == nil:
		return c, nil
	case ctx.Err() != nil:
		return nil, &exit.Error{Code: exitIncomplete, Err: context.Cause(ctx)}
	default:
		return nil, usage("%w", err)
	}
}

// attribute says who wrote what changed since the base. Without --ai-only that is
// for the report; every layer sees everything.
func (f *scanFlags) attribute(ctx context.Context, repo *change.Repo, c *gate.Change, p gate.Policy) error {
	if f.base == "" {
		return nil
	}
	history, doubt, err := historyOf(ctx, repo, f.base, "")
	if err != nil {
		return &exit.Error{Code: exitIncomplete, Err: err}
	}
	if p.Changes = "ai"; !f.aiOnly {
		p.Changes, p.Paths.Overrides = "all", nil
	}
	if err := attribution.Attribute(ctx, attribution.Input{Change: c, History: history, Doubt: doubt, Policy: p}); err != nil {
		return &exit.Error{Code: exitIncomplete, Err: err}
	}
	return nil
}

// historyOf reads the commits of a change. More of them than are read is a doubt,
// which counts as AI, and no failure.
func historyOf(ctx context.Context, repo *change.Repo, base, head string) (h *git.History, doubt string, err error) {
	h, err = repo.History(ctx, base, head)
	if errors.Is(err, change.ErrTooLong) {
		return nil, err.Error(), nil
	}
	return h, "", err
}

func orHere(paths []string) string {
	if len(paths) == 0 {
		return "the current folder"
	}
	return strings.Join(paths, ", ")
}

// whySkipped says why the first files were left out, so that a user sees which
// setting empties the scan.
func whySkipped(skipped []gate.Skip) string {
	if len(skipped) == 0 {
		return ""
	}
	s := skipped[0]
	return fmt.Sprintf(" (%d left out, among them %q: %s)", len(skipped), s.Path, s.Reason)
}

// runLayers puts a change through the layers and reports. Without s, nothing is
// suppressed.
func (a *app) runLayers(ctx context.Context, c *gate.Change, w wiring, h *reporter, s *silencing) error {
	l, err := a.stages(ctx, w)
	if err != nil {
		return err
	}
	mine, info, err := l.part(c, w)
	if err != nil {
		return errors.Join(incomplete(err), l.shut())
	}
	h.source.ofChange(mine)
	req := gate.Request{Tool: tool(), Change: mine, Policy: w.policy, Handler: h, Shard: info}
	if s != nil {
		req.Suppress = l.suppressions(*s)
	}
	req.Stages = l.stages
	res, err := gate.Run(ctx, req)
	err = errors.Join(err, l.shut(), h.close())
	if s != nil && !s.againstBase {
		a.sayHowManyAreSuppressed(res)
	}
	return exitFor(res, err)
}
