package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/sethvargo/go-githubactions"
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/event"
	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/gate/lab/attackrun"
	"github.com/aigate/gate/gate/shard"
	"github.com/aigate/gate/report"
)

// maxMerged bounds all results of one merge together, in bytes.
const maxMerged = 256 << 20

// mergeFlags are the flags of `gate merge`.
type mergeFlags struct {
	out     outputFlags
	sarif   string
	source  string
	require []string
	publish bool
}

func (a *app) mergeCommand() *cobra.Command {
	var f mergeFlags
	cmd := &cobra.Command{
		Use:   "merge RESULT...",
		Short: "Put the results of all shards of a run together",
		Long: `merge reads the results that --shard I/N of "gate scan", "gate pr" or "gate attack"
saved, one file a shard; a folder stands for the .json files in it. The outcome is
that of a run that was not split: the same verdicts and findings in the same order,
decided by the same functions.

Results are taken as hostile. They must be of one version of gate, one policy, base
and content, each shard once; anything else is an error that names the file. A shard
that is missing makes the outcome incomplete, never a pass.

--publish, in GitHub Actions, publishes what "gate pr" would have: fail-on, the
required layers and the override come from the base commit's policy.`,
		Example: `  gate merge shards/ --format html -o report.html
  gate merge shard-1.json shard-2.json --save result.json
  gate merge shards/ --publish
  gate merge attacks/ --save attacks.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.publish {
				return a.mergeAndPublish(cmd.Context(), f, args)
			}
			return a.merge(f, args)
		},
	}
	f.out.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.out.save, "save", "", "also save the merged result as JSON to `FILE` (default with --publish: gate-result.json)")
	fl.StringVar(&f.source, "source", ".", "`FOLDER` with the files that were scanned, for the lines around findings")
	fl.BoolVar(&f.publish, "publish", false, "publish the verdict to GitHub, as gate pr does")
	fl.StringVar(&f.sarif, "sarif", "gate.sarif", "with --publish: save the SARIF report to `FILE`")
	fl.StringSliceVar(&f.require, "require", nil, "with --publish: `LAYERS` that must have completed, besides those of the policy")
	return cmd
}

// merge renders the merged result.
func (a *app) merge(f mergeFlags, args []string) error {
	parts, err := readParts(args)
	if err != nil {
		return usage("%w", err)
	}
	if slices.ContainsFunc(parts, part.isAttack) {
		return a.mergeAttacks(f, parts)
	}
	res, err := mergeResults(parts)
	if err != nil {
		return usage("%w", err)
	}
	p := gate.DefaultPolicy()
	f.out.quiet = true
	h, err := a.reporter(f.out, p)
	if err != nil {
		return err
	}
	h.source.ofFolder(f.source, res)
	if err := gate.Replay(res, h); err != nil {
		return incomplete(err)
	}
	return exitFor(res, h.close())
}

// mergeAttacks does the same for `gate attack`.
func (a *app) mergeAttacks(f mergeFlags, parts []part) error {
	if !slices.Contains(attackrun.Formats(), f.out.format) {
		return usage("there is no format %q of attacks (json, text or markdown)", f.out.format)
	}
	var named []attack.Named
	for _, p := range parts {
		res, err := attack.ParseResult(p.name, p.data)
		if err != nil {
			return usage("%w", err)
		}
		named = append(named, attack.Named{Name: p.name, Result: res})
	}
	res, err := attack.Merge(named)
	if err != nil {
		return usage("%w", err)
	}
	return attackrun.Output{Format: f.out.format, File: f.out.output, Save: f.out.save}.Write(a.stdout, res)
}

// mergeAndPublish is the second half of `gate pr --shard`.
func (a *app) mergeAndPublish(ctx context.Context, f mergeFlags, args []string) error {
	r := &prRun{
		app: a, server: a.getenv("GITHUB_SERVER_URL"), flags: prFlags{save: f.out.save, sarif: f.sarif, publish: true},
		action: githubactions.New(githubactions.WithWriter(a.stdout), githubactions.WithGetenv(a.getenv)),
	}
	if r.flags.save == "" {
		r.flags.save = "gate-result.json"
	}
	r.flags.require = f.require
	if err := r.readEvent(event.Names()...); err != nil {
		return usage("%w", err)
	}
	if err := r.connect(); err != nil {
		return usage("%w", err)
	}
	res, set, err := r.merged(ctx, args)
	return r.finish(ctx, res, set, err)
}

// merged holds the shards against the event and the base commit's policy, which
// decides.
func (r *prRun) merged(ctx context.Context, args []string) (gate.Result, settings, error) {
	repo, err := change.Open(ctx, workspace(r.app.getenv))
	if err != nil {
		return gate.Result{}, settings{}, usage("%w", err)
	}
	defer repo.Close()
	base, set, err := r.basePolicy(ctx, repo)
	if err != nil {
		return gate.Result{}, set, err
	}
	parts, err := readParts(args)
	if err != nil {
		return gate.Result{}, set, incomplete(err)
	}
	for _, p := range parts {
		res, err := p.decode()
		if err != nil {
			return gate.Result{}, set, incomplete(err)
		}
		if s := res.Shard; s != nil && (s.Head != r.event.Head || s.Base != base) {
			return gate.Result{}, set, incomplete(fmt.Errorf("%s is about %.40q on top of %.40q, and this event about %s on top of %s", p.name, s.Head, s.Base, r.event.Head, base))
		}
	}
	res, err := mergeResults(parts)
	if err != nil {
		return gate.Result{}, set, incomplete(err)
	}
	for _, l := range set.policy.Require {
		if !slices.ContainsFunc(res.Layers, func(have gate.LayerResult) bool { return have.Name == l && have.Status != gate.LayerSkipped }) {
			res.Incomplete = append(res.Incomplete, gate.Gap{Layer: l, Reason: "the policy requires this layer and it was not run"})
		}
	}
	return gate.LetPass(gate.Conclude(res, set.policy), r.override(ctx, set.policy)), set, nil
}

// part is the file of one shard.
type part struct {
	name string
	data []byte
}

// isAttack tells results of attacks from those of scans. What is neither is for
// the decoder to refuse.
func (p part) isAttack() bool {
	var doc struct {
		Attacks json.RawMessage `json:"attacks"`
	}
	return json.Unmarshal(p.data, &doc) == nil && doc.Attacks != nil
}

func (p part) decode() (gate.Result, error) {
	if p.isAttack() {
		return gate.Result{}, fmt.Errorf("%s is a result of attacks; it cannot be merged with a scan", p.name)
	}
	res, err := report.Decode(bytes.NewReader(p.data))
	if err != nil {
		return gate.Result{}, fmt.Errorf("%s: %w", p.name, err)
	}
	return res, nil
}

func mergeResults(parts []part) (gate.Result, error) {
	var all []shard.Result
	for _, p := range parts {
		res, err := p.decode()
		if err != nil {
			return gate.Result{}, err
		}
		all = append(all, shard.Result{Name: p.name, Result: res})
	}
	return shard.Merge(all)
}

// readParts reads the named files and those of the named folders.
func readParts(args []string) ([]part, error) {
	var names []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			names = append(names, arg)
			continue
		}
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && filepath.Ext(e.Name()) == ".json" {
				names = append(names, filepath.Join(arg, e.Name()))
			}
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("there is no result (*.json) in %q: no shard has left one", args)
	case len(names) > shard.Max:
		return nil, fmt.Errorf("%d results; a run has %d shards at most", len(names), shard.Max)
	}
	room := int64(maxMerged)
	var parts []part
	for _, name := range names {
		data, err := readSome(name, room)
		if err != nil {
			return nil, err
		}
		room -= int64(len(data))
		parts = append(parts, part{name, data})
	}
	return parts, nil
}

// readSome reads a regular file of at most room bytes.
func readSome(name string, room int64) ([]byte, error) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is not a regular file", name))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, room+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > room {
		return nil, fmt.Errorf("%s: the results have more than %d MiB together", name, maxMerged>>20)
	}
	return data, nil
}
