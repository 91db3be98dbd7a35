package evalrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/lab/eval"
	"github.com/aigate/gate/gate/lab/progress"
	"github.com/aigate/gate/gate/policy"
)

// measureJudge measures the models on a corpus, with and without the defences.
func measureJudge(ctx context.Context, p Process, o Options, set engine.Settings, c *eval.Corpus) (eval.Result, error) {
	off, err := o.defences()
	if err != nil {
		return eval.Result{}, err
	}
	injections, err := o.Judge.injections()
	if err != nil {
		return eval.Result{}, err
	}
	models := o.Judge.Models
	if len(models) == 0 {
		models = Models{set.Policy.Judge.Model}
	}
	policies, err := policiesOf(ctx, models, set.Policy)
	if err != nil {
		return eval.Result{}, err
	}
	var selected []gate.Layer // besides the judge, which each setting has its own of
	if slices.Contains(o.Engine.Layers, string(gate.LayerStatic)) {
		selected = []gate.Layer{gate.LayerStatic}
	}
	static, err := p.Engine.Open(ctx, engine.Setup{Settings: set, Selected: selected})
	if err != nil {
		return eval.Result{}, err
	}
	run := eval.JudgeOptions{
		Settings: plan(models, off), Runs: o.Judge.Runs, Injections: injections, Edits: eval.Edits(),
		Samples: o.Judge.Samples, Workers: o.Judge.Parallel, Classify: classify,
		Open: func(_ context.Context, s eval.Setting, run int) (eval.Review, error) {
			return review(static, policies[s.Model], s, run, o.Judge.Parallel)
		},
		Describe: func(ctx context.Context, s eval.Setting) string { return describeServer(ctx, policies[s.Model].Judge) },
	}
	meter := progress.Start(p.Progress)
	defer meter.Stop()
	begin := time.Now()
	run.Progress = func(s eval.Setting, done, total int) {
		meter.Show(gate.LayerJudge, done, total, fmt.Sprintf("%s, %s", s.Name(), timeLeft(time.Since(begin), done, total)))
	}
	report, outcomes, err := eval.MeasureJudge(ctx, c, run)
	if err = errors.Join(err, static.Close()); err != nil {
		return eval.Result{}, err
	}
	res := eval.NewResult(p.Engine.Tool(), c, outcomes)
	res.Judge = &report
	return res, nil
}

// policiesOf returns a policy for each model, when all of them can be asked.
func policiesOf(ctx context.Context, models []string, base gate.Policy) (map[string]gate.Policy, error) {
	policies := map[string]gate.Policy{}
	for _, model := range models {
		p := base
		if err := policy.Set(&p, "judge.model", model, "--model"); err != nil {
			return nil, exit.Usagef("%w", err)
		}
		p.Judge.Fallback = "" // another model's figures would be taken for this one's
		if err := checkServer(ctx, p.Judge); err != nil {
			return nil, err
		}
		policies[model] = p
	}
	return policies, nil
}

// review is the static layer, if it is measured, and a judge with a setting.
func review(static *engine.Layers, p gate.Policy, s eval.Setting, run, parallel int) (eval.Review, error) {
	o := judge.Options{Policy: p.Judge, MaxFileBytes: min(p.Limits.FileSize, gate.LargeSource), Seed: run, Concurrency: parallel}
	for _, d := range s.Without {
		o.Without = append(o.Without, judge.Defence(d))
	}
	j, err := engine.NewJudge(o)
	if err != nil {
		return nil, err
	}
	layers := static.With(j)
	return func(ctx context.Context, tree fs.FS) (gate.Result, eval.Cost, error) {
		var m judge.Meter
		res, err := evaluate(judge.WithMeter(ctx, &m), tree, p, layers)
		return res, costOf(m.Cost()), err
	}, nil
}

// plan lists what is measured: each model with all its defences, then without each
// of those that are named, then without all of those.
func plan(models, off []string) []eval.Setting {
	var out []eval.Setting
	for _, model := range models {
		out = append(out, eval.Setting{Model: model, Without: []string{}})
		for _, d := range off {
			out = append(out, eval.Setting{Model: model, Without: []string{d}})
		}
		if len(off) > 1 {
			out = append(out, eval.Setting{Model: model, Without: off})
		}
	}
	return out
}

// defences returns what --ablate turns off, one by one.
func (o *Options) defences() ([]string, error) {
	var known []string
	for _, d := range judge.Defences() {
		// Without a static layer there are no facts to withhold.
		if d != judge.ScannerFacts || slices.Contains(o.Engine.Layers, string(gate.LayerStatic)) {
			known = append(known, string(d))
		}
	}
	if slices.Contains(o.Judge.Ablate, All) {
		return known, nil
	}
	for _, name := range o.Judge.Ablate {
		if !slices.Contains(known, name) {
			return nil, exit.Usagef("--ablate: there is no defence %q with these layers (%s, or all)", name, strings.Join(known, ", "))
		}
	}
	return o.Judge.Ablate, nil
}

// timeLeft estimates how long the rest takes, from what was done so far.
func timeLeft(passed time.Duration, done, total int) string {
	if done == 0 {
		return "about to begin"
	}
	rest := time.Duration(float64(passed) / float64(done) * float64(max(total-done, 0)))
	return fmt.Sprintf("%s left at most", cmp.Or(rest.Round(time.Second), time.Second))
}

func classify(name string, head []byte) gate.Language {
	lang, _ := change.Classify(name, 0o644, head[:min(len(head), change.HeadBytes)])
	return lang
}

func costOf(c judge.Cost) eval.Cost {
	out := eval.Cost{ReviewMS: []int64{}, Questions: c.Questions, Answers: c.Answers, Invalid: c.Invalid, Broken: c.Broken, Repaired: c.Repaired,
		PromptTokens: c.PromptTokens, AnswerTokens: c.AnswerTokens}
	for _, d := range c.Reviews {
		out.ReviewMS = append(out.ReviewMS, d.Milliseconds())
	}
	return out
}
