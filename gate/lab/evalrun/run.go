package evalrun

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/eval"
	"github.com/aigate/gate/gate/lab/progress"
)

// Run measures a corpus and writes the report. A measurement that is incomplete, or worse
// than the one that it is compared with, is an error with its exit code.
func Run(ctx context.Context, p Process, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	set, err := p.Engine.SettingsWithoutTree(o.Engine)
	if err != nil {
		return err
	}
	set.Policy.Protect = nil // the files of a corpus belong to no repository
	old, err := readResult(o.Compare)
	if err != nil {
		return exit.Usagef("--compare %s: %w", o.Compare, err)
	}
	corpus, err := eval.Open(o.Corpus)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer corpus.Close()
	measure := measureLayers
	if o.judges() {
		measure = measureJudge
	}
	res, err := measure(ctx, p, o, set, corpus)
	if err != nil {
		return exit.Failed(err)
	}
	if old != nil {
		c := eval.Compare(*old, res)
		res.Comparison = &c
	}
	if err := o.write(p.Stdout, res); err != nil {
		return exit.Failed(fmt.Errorf("write the report: %w", err))
	}
	switch {
	case res.Failed > 0 || len(res.Unmeasured()) > 0 || res.Judge != nil && !res.Judge.Complete(): // a comparison of half the figures says nothing
		return exit.For(gate.DecisionIncomplete, nil)
	case res.Comparison != nil && res.Comparison.Worse():
		return exit.For(gate.DecisionBlock, nil)
	}
	return nil
}

// measureLayers puts every sample through the layers once.
func measureLayers(ctx context.Context, p Process, o Options, set engine.Settings, c *eval.Corpus) (eval.Result, error) {
	layers, err := p.Engine.Open(ctx, engine.Setup{Settings: set, Selected: o.Engine.Selected()})
	if err != nil {
		return eval.Result{}, err
	}
	run := eval.Options{Workers: 1, Pipeline: func(ctx context.Context, base, head fs.FS) (gate.Result, error) {
		if base == nil {
			return evaluate(ctx, head, set.Policy, layers)
		}
		c, err := change.Compared(ctx, base, head)
		if err != nil {
			return gate.Result{}, err
		}
		return layers.Run(ctx, engine.Job{Change: c, Policy: set.Policy})
	}}
	if slices.Equal(o.Engine.Layers, []string{string(gate.LayerStatic)}) {
		run.Workers = runtime.GOMAXPROCS(0)
	}
	meter := progress.Start(p.Progress)
	defer meter.Stop()
	run.Progress = func(done, total int) {
		meter.Show(gate.Layer(strings.Join(o.Engine.Layers, ", ")), done, total, "samples")
	}
	outcomes, err := eval.Run(ctx, c, run)
	if err = errors.Join(err, layers.Close()); err != nil {
		return eval.Result{}, err
	}
	return eval.NewResult(p.Engine.Tool(), c, outcomes), nil
}

// evaluate puts one sample through the layers, as a scan of a folder that holds nothing
// else would. Nothing suppresses a finding.
func evaluate(ctx context.Context, tree fs.FS, p gate.Policy, layers *engine.Layers) (gate.Result, error) {
	c := &gate.Change{Head: tree}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		t := &gate.Target{Path: name, Kind: gate.ChangeNone, Mode: info.Mode(), Size: info.Size()}
		t.Language, t.Role = change.Classify(name, info.Mode(), data[:min(len(data), change.HeadBytes)])
		c.Targets = append(c.Targets, t)
		c.Files = append(c.Files, name)
		return nil
	})
	if err != nil {
		return gate.Result{}, err
	}
	return layers.Run(ctx, engine.Job{Change: c, Policy: p})
}
