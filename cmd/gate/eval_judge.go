package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/lab/eval"
	"github.com/aigate/gate/gate/policy"
)

// evalJudgeFlags are the flags of `gate eval` that are about the judge alone.
type evalJudgeFlags struct {
	models     modelNames
	ablate     []string
	runs       int
	injections []string
	samples    int
	parallel   int
}

// modelNames is --model, which may be given several times or with commas.
type modelNames []string

func (m *modelNames) String() string { return strings.Join(*m, ",") }
func (m *modelNames) Type() string   { return "string" }

// Set implements pflag.Value.
func (m *modelNames) Set(value string) error {
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name == "" {
			return errors.New("a name is empty")
		}
		if !slices.Contains(*m, name) {
			*m = append(*m, name)
		}
	}
	return nil
}

// Bounds of a measurement.
const (
	maxEvalRuns     = 20
	maxEvalParallel = 64
	allOfThem       = "all"
	noneOfThem      = "none"
)

func (f *evalJudgeFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.Lookup("model").Value = &f.models
	fl.Lookup("model").Usage = "`NAME` of a model that judges; several are measured one after the other"
	fl.StringSliceVar(&f.ablate, "ablate", nil, "measure the judge again without each of these `DEFENCES`, and without all of them: all, or names")
	fl.Lookup("ablate").NoOptDefVal = allOfThem
	fl.IntVar(&f.runs, "runs", 2, "how often the judge judges each sample, each time with another seed")
	fl.StringSliceVar(&f.injections, "injections", nil, "the `NAMES` of the injections that are tried, a YAML file with others, or none (default: all of gate's)")
	fl.IntVar(&f.samples, "samples", 0, "judge so many samples of each label, chosen by a hash of their names (default: all)")
	fl.IntVar(&f.parallel, "parallel", 1, "judge so many samples side by side; latencies are those of one review only with 1")
	names := []string{allOfThem}
	for _, d := range judge.Defences() {
		names = append(names, string(d))
	}
	complete(cmd, "ablate", names...)
}

// judges reports whether the judge is to be measured by itself: where it runs, and no
// sandbox that would run every variant.
func (f *evalFlags) judges() bool {
	return slices.Contains(f.layers, string(gate.LayerJudge)) && !slices.Contains(f.layers, string(gate.LayerSandbox))
}

// check refuses what makes no sense.
func (f *evalFlags) check(cmd *cobra.Command) error {
	for _, name := range []string{"ablate", "runs", "injections", "samples", "parallel"} {
		if cmd.Flags().Changed(name) && !f.judges() {
			return usage("--%s is about the judge: give --layers static,judge, or judge alone; a measurement with the sandbox judges each sample once", name)
		}
	}
	switch {
	case len(f.models) > 1 && !f.judges():
		return usage("several models are compared with --layers static,judge, or judge alone")
	case f.runs < 1 || f.runs > maxEvalRuns:
		return usage("--runs is 1 to %d, not %d", maxEvalRuns, f.runs)
	case f.samples < 0:
		return usage("--samples is a number from 1 on, or 0 for all")
	case f.parallel < 1 || f.parallel > maxEvalParallel:
		return usage("--parallel is 1 to %d, not %d", maxEvalParallel, f.parallel)
	}
	if len(f.models) > 0 {
		f.model = f.models[0]
	}
	return nil
}

// defences returns what --ablate turns off, one by one.
func (f *evalJudgeFlags) defences(layers []string) ([]string, error) {
	var known []string
	for _, d := range judge.Defences() {
		// Without a static layer there are no facts to withhold.
		if d != judge.ScannerFacts || slices.Contains(layers, string(gate.LayerStatic)) {
			known = append(known, string(d))
		}
	}
	if slices.Contains(f.ablate, allOfThem) {
		return known, nil
	}
	for _, name := range f.ablate {
		if !slices.Contains(known, name) {
			return nil, usage("--ablate: there is no defence %q with these layers (%s, or all)", name, strings.Join(known, ", "))
		}
	}
	return f.ablate, nil
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

// tried returns the injections that are tried.
func (f *evalJudgeFlags) tried() ([]eval.Injection, error) {
	table, err := eval.Injections()
	if err != nil {
		return nil, err
	}
	switch {
	case len(f.injections) == 0 || slices.Equal(f.injections, []string{allOfThem}):
		return table, nil
	case slices.Equal(f.injections, []string{noneOfThem}):
		return nil, nil
	}
	var out []eval.Injection
	for _, name := range f.injections {
		if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
			more, err := readInjections(name)
			if err != nil {
				return nil, usage("--injections: %w", err)
			}
			out = append(out, more...)
			continue
		}
		i := slices.IndexFunc(table, func(in eval.Injection) bool { return in.Name == name })
		if i < 0 {
			var names []string
			for _, in := range table {
				names = append(names, in.Name)
			}
			return nil, usage("--injections: there is no %q (%s; none; or a file *.yaml)", name, strings.Join(names, ", "))
		}
		out = append(out, table[i])
	}
	names := map[string]bool{}
	for _, in := range out {
		if names[in.Name] {
			return nil, usage("--injections: %q stands there twice", in.Name)
		}
		names[in.Name] = true
	}
	return out, nil
}

func readInjections(name string) ([]eval.Injection, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > eval.MaxInjectionFile {
		return nil, fmt.Errorf("%s: a regular file of at most %d bytes is expected", name, eval.MaxInjectionFile)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return eval.ParseInjections(name, data)
}

// measureJudge measures the models of the flags on a corpus.
func (a *app) measureJudge(ctx context.Context, f evalFlags, set settings, c *eval.Corpus) (eval.Result, error) {
	off, err := f.defences(f.layers)
	if err != nil {
		return eval.Result{}, err
	}
	injections, err := f.tried()
	if err != nil {
		return eval.Result{}, err
	}
	models := f.models
	if len(models) == 0 {
		models = modelNames{set.policy.Judge.Model}
	}
	policies := map[string]gate.Policy{}
	for _, model := range models {
		p := set.policy
		if err := policy.Set(&p, "judge.model", model, "--model"); err != nil {
			return eval.Result{}, usage("%w", err)
		}
		p.Judge.Fallback = "" // another model's figures would be taken for this one's
		if err := judgeIsThere(ctx, p); err != nil {
			return eval.Result{}, err
		}
		policies[model] = p
	}
	w := a.wiring(set, []gate.Layer{gate.LayerStatic})
	if !slices.Contains(f.layers, string(gate.LayerStatic)) {
		w.selected = nil
	}
	static, err := a.stages(ctx, w)
	if err != nil {
		return eval.Result{}, err
	}
	o := eval.JudgeOptions{
		Settings: plan(models, off), Runs: f.runs, Injections: injections, Edits: eval.Edits(),
		Samples: f.samples, Workers: f.parallel, Classify: classify,
		Open: func(_ context.Context, s eval.Setting, run int) (eval.Review, error) {
			p := policies[s.Model]
			o := judge.Options{Policy: p.Judge, Comments: comments, MaxFileBytes: p.Limits.FileSize, Seed: run, Concurrency: f.parallel}
			for _, d := range s.Without {
				o.Without = append(o.Without, judge.Defence(d))
			}
			j, err := judge.New(o)
			if err != nil {
				return nil, err
			}
			stages := append(slices.Clone(static.stages), gate.Stage(j))
			return func(ctx context.Context, tree fs.FS) (gate.Result, eval.Cost, error) {
				var m judge.Meter
				res, err := evaluate(judge.WithMeter(ctx, &m), tree, p, stages)
				return res, costOf(m.Cost()), err
			}, nil
		},
	}
	o.Describe = func(ctx context.Context, s eval.Setting) string { return describeServer(ctx, policies[s.Model]) }
	if !f.quiet {
		p := newProgress(a.stderr)
		_ = p.Handle(gate.Started{}) // it never fails
		begin := time.Now()
		o.Progress = func(s eval.Setting, done, total int) {
			detail := fmt.Sprintf("%s, %s", s.Name(), timeLeft(time.Since(begin), done, total))
			_ = p.Handle(gate.Progress{Layer: gate.LayerJudge, Done: done, Total: total, Detail: detail})
		}
		defer func() { _ = p.Handle(gate.Finished{}) }()
	}
	report, outcomes, err := eval.MeasureJudge(ctx, c, o)
	if err = errors.Join(err, static.shut()); err != nil {
		return eval.Result{}, err
	}
	res := eval.NewResult(tool(), c, outcomes)
	res.Judge = &report
	return res, nil
}

// judgeIsThere says what is missing before hours are spent.
func judgeIsThere(ctx context.Context, p gate.Policy) error {
	j, err := judge.New(judge.Options{Policy: p.Judge, Comments: comments})
	if err != nil {
		return usage("%w", err)
	}
	missing := &gate.Unavailable{Reason: "no host is named"}
	for _, host := range j.Check(ctx) {
		problem, command := host.Advice()
		if host.Err == nil && len(host.Models) > 0 && host.Models[0].Digest != "" {
			return nil
		}
		missing = &gate.Unavailable{Reason: problem, Hint: command}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return incomplete(missing)
}

// describeServer says what a model that has just judged runs on.
func describeServer(ctx context.Context, p gate.Policy) string {
	j, err := judge.New(judge.Options{Policy: p.Judge, Comments: comments})
	if err != nil {
		return ""
	}
	for _, host := range j.Check(ctx) {
		if host.Err != nil || len(host.Models) == 0 || !host.Models[0].Loaded {
			continue
		}
		m := host.Models[0]
		where := "all of it in GPU memory"
		if m.Offload > 0 {
			where = fmt.Sprintf("%d %% of it on the CPU", m.Offload)
		}
		return fmt.Sprintf("Ollama %s, %.1f GB, %s", host.Version, float64(m.Bytes)/1e9, where)
	}
	return ""
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
