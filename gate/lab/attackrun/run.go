package attackrun

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/agentattack"
	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/gate/shard"
)

// Run attacks this gate, or shows a saved result. A run that does not pass is an error
// with its exit code.
func Run(ctx context.Context, p Process, o Options) error {
	if o.Agent {
		return agentattack.Run(ctx, p.Engine, p.Stdout, agentattack.Options{Only: o.Filter.Only, Engine: o.Engine, Format: o.Output.Format})
	}
	if err := o.check(); err != nil {
		return err
	}
	if o.From != "" {
		return show(ctx, p, o)
	}
	res, old, err := run(ctx, p, &o)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		o.Accept = "" // half a run is no baseline
	}
	if err := o.write(context.WithoutCancel(ctx), p, res, old); ctx.Err() == nil {
		return err
	}
	return exit.Failed(context.Cause(ctx))
}

// run attacks, and compares with the baseline, which it returns.
func run(ctx context.Context, p Process, o *Options) (res attack.Result, old *attack.Baseline, err error) {
	var suite attack.Suite
	if o.Generate == 0 {
		if suite, err = o.suite(); err != nil {
			return res, nil, exit.Usagef("%w", err)
		}
	}
	if old, err = o.readBaseline(); err != nil {
		return res, nil, exit.Usagef("--baseline: %w", err)
	}
	here, err := p.Engine.OpenLocal(ctx, engine.LocalOptions{Options: o.Engine})
	if err != nil {
		return res, nil, err
	}
	defer here.Close() // the layers read a team's own rules from it
	set, err := here.Settings(ctx)
	if err != nil {
		return res, nil, err
	}
	if len(o.Runtimes) == 0 {
		o.Runtimes = []string{set.Policy.Sandbox.Runtime}
	}
	suite, part, err := o.part(suite)
	if err != nil {
		return res, nil, exit.Usagef("--shard: %w", err)
	}
	var rejected []string
	if o.Generate > 0 {
		if suite, rejected, err = generate(ctx, p, o, set.Policy.Judge); err != nil {
			return res, nil, err
		}
	}
	if res, err = attackWith(ctx, p, o, suite, set); err != nil {
		return res, nil, err
	}
	res.Rejected, res.Shard = rejected, part
	if old != nil {
		if err := res.Compare(o.Baseline, old, o.Filter.All()); err != nil {
			return res, nil, exit.Usagef("--baseline: %w", err)
		}
	}
	return res, old, nil
}

// part is the attacks of --shard; info is nil for all.
func (o *Options) part(suite attack.Suite) (mine attack.Suite, info *attack.Shard, err error) {
	if o.Shard == "" {
		return suite, nil, nil
	}
	part, err := shard.Parse(o.Shard)
	if err != nil || part.Whole() {
		return suite, nil, err
	}
	mine, info = suite.Shard(part, o.Engine.Selected(), o.Runtimes)
	return mine, info, nil
}

// show renders a saved result.
func show(ctx context.Context, p Process, o Options) error {
	if o.Samples != "" {
		return exit.Usagef("--from shows a saved result; it takes no folder of samples")
	}
	data, err := bounded.ReadPath(o.From, attack.MaxResult)
	if err != nil {
		return exit.Usagef("--from: %w", err)
	}
	res, err := attack.ParseResult(o.From, data)
	if err != nil {
		return exit.Usagef("--from: %w", err)
	}
	if res.Shard != nil && o.Baseline != "" {
		return notMerged(o.From, res)
	}
	old, err := o.readBaseline()
	if err != nil {
		return exit.Usagef("--baseline: %w", err)
	}
	if old != nil {
		if err := res.Compare(o.Baseline, old, true); err != nil {
			return exit.Usagef("--baseline: %w", err)
		}
	}
	return o.write(ctx, p, res, old)
}

func notMerged(from string, res attack.Result) error {
	return exit.Usagef("%s is shard %d of %d: put all of them together with `gate merge` first", from, res.Shard.Index, res.Shard.Of)
}

// readBaseline returns nil where there is none: not asked for, or not yet written.
func (o *Options) readBaseline() (*attack.Baseline, error) {
	if o.Baseline == "" {
		return nil, nil
	}
	data, err := bounded.ReadPath(o.Baseline, attack.MaxBaseline)
	if errors.Is(err, fs.ErrNotExist) && o.Accept != "" {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w (--accept writes the first one)", err)
	}
	return attack.ParseBaseline(o.Baseline, data)
}

// write files a result: history, saved result and baseline, the report, the issue. What
// one of them cannot do keeps no other one from being done.
func (o *Options) write(ctx context.Context, p Process, res attack.Result, old *attack.Baseline) error {
	err := errors.Join(o.record(res, time.Now()), o.Output.save(res), o.accept(res, old))
	if err != nil {
		err = exit.Failed(fmt.Errorf("write: %w", err))
	}
	return errors.Join(err, o.Output.render(p.Stdout, res), o.alarm(ctx, p, res))
}

// accept writes what the next run is compared with.
func (o *Options) accept(res attack.Result, old *attack.Baseline) error {
	if o.Accept == "" {
		return nil
	}
	data, err := res.Accept(old, o.Accept == AcceptAll || old == nil).Encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(o.Baseline, data)
}
