package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/eval"
	"github.com/aigate/gate/gate/policy"
)

// evalFlags are the flags of `gate eval`.
type evalFlags struct {
	layerFlags
	evalJudgeFlags
	format  string
	output  string
	save    string
	compare string
	config  string
	quiet   bool
}

func (a *app) evalCommand() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval CORPUS",
		Short: "Measure what the layers find in a labelled corpus",
		Long: `eval puts every sample of a corpus, a folder with a corpus.yaml, through the layers
by itself, and reports recall, false positives, precision and F1 at suspicious and
at dangerous: for each layer, over all samples, by language and by category, with
95 % intervals. docs/detection.md has the format of a corpus.

Only the static layer runs unless --layers names others. Suppressions do not count.

With --layers static,judge (or judge alone) the judge is measured more closely, and
nothing it says is kept: each risky sample that it finds is judged again with
injections that try to talk it round, each innocent one after harmless edits, and
each sample in several runs. One table then says for each model, with and without
each defence (--ablate), and for each fail-on: recall, false positives, how many
injections work, drift, flips between runs, invalid answers, tokens and latency.
docs/judge.md explains it. Ctrl-C ends it early with what was measured so far.

Exit codes: 0 measured, 1 a sample is seen worse than in --compare, or the judge can
be talked round more, 2 usage or a mistake in the corpus, 3 a layer did not get
through a sample, or looked at none in full, or the judge was not measured to the end.
A sample that a layer did not look at in full, such as a file above the limit, counts
for it where it found something, and nowhere else.`,
		Example: `  gate eval fixtures/corpus
  gate eval fixtures/corpus --save eval.json
  gate eval fixtures/corpus --compare eval.json
  gate eval fixtures/corpus --format html -o eval.html
  gate eval fixtures/corpus --layers static,sandbox
  gate eval fixtures/corpus --layers static,judge --model qwen2.5-coder:14b,qwen2.5-coder:7b --ablate -f html -o judge.html`,
		Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return a.eval(cmd.Context(), f, args[0])
		},
	}
	f.layerFlags.register(cmd)
	f.evalJudgeFlags.register(cmd)
	fl := cmd.Flags()
	fl.Lookup("layers").Usage = "run these `LAYERS`: static, judge, sandbox (default: static)"
	fl.StringVarP(&f.format, "format", "f", "text", "format of the report: text, json, html")
	fl.StringVarP(&f.output, "output", "o", "", "write the report to `FILE` instead of standard output")
	fl.StringVar(&f.save, "save", "", "also save the result as JSON to `FILE`, for --compare")
	fl.StringVar(&f.compare, "compare", "", "say what is different from the result in `FILE`")
	fl.StringVar(&f.config, "config", "", "take the policy from `FILE` (default: gate's own policy)")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	complete(cmd, "format", "text", "json", "html")
	return cmd
}

func (a *app) eval(ctx context.Context, f evalFlags, dir string) error {
	write, ok := map[string]func(io.Writer, eval.Result) error{
		"text": eval.WriteText, "json": eval.WriteJSON, "html": eval.WriteHTML,
	}[f.format]
	if !ok {
		return usage("there is no format %q (one of text, json, html)", f.format)
	}
	if len(f.layers) == 0 {
		f.layers = []string{string(gate.LayerStatic)}
	}
	set, err := a.evalSettings(f)
	if err != nil {
		return err
	}
	old, err := readEval(f.compare)
	if err != nil {
		return usage("--compare %s: %w", f.compare, err)
	}
	corpus, err := eval.Open(dir)
	if err != nil {
		return usage("%w", err)
	}
	defer corpus.Close()
	measure := a.measure
	if f.judges() {
		measure = a.measureJudge
	}
	res, err := measure(ctx, f, set, corpus)
	if err != nil {
		return incomplete(err)
	}
	if old != nil {
		c := eval.Compare(*old, res)
		res.Comparison = &c
	}
	if err := a.writeEval(f, res, write); err != nil {
		return incomplete(fmt.Errorf("write the report: %w", err))
	}
	switch {
	case res.Failed > 0 || len(res.Unmeasured()) > 0 || res.Judge != nil && !res.Judge.Complete(): // a comparison of half the figures says nothing
		return &exit.Error{Code: exitIncomplete}
	case res.Comparison != nil && res.Comparison.Worse():
		return &exit.Error{Code: exitBlocked}
	}
	return nil
}

// evalSettings is the policy under which a corpus is measured: not that of the
// folder in which somebody happens to be, so that figures can be compared.
func (a *app) evalSettings(f evalFlags) (settings, error) {
	var sources []policy.Source
	set := settings{}
	if f.config != "" {
		data, err := bounded.ReadPath(f.config, policy.MaxBytes)
		if err != nil {
			return set, usage("--config: %w", err)
		}
		sources = append(sources, policy.Source{Name: f.config, Data: data, Trust: policy.Base})
		set.tree = os.DirFS(filepath.Dir(f.config)) // where rules.dirs are
	}
	if file := a.userConfig(); file != "" {
		data, err := bounded.ReadPath(file, policy.MaxBytes)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return set, usage("%w", err)
		}
		sources = append(sources, policy.Source{Name: file, Data: data, Trust: policy.User})
	}
	p, _, err := policy.Load(sources...)
	if err != nil {
		return set, &exit.Error{Code: exitUsage, Err: err}
	}
	if err := f.apply(&p, a.getenv); err != nil {
		return set, err
	}
	// The files of a corpus are nobody's protected ones.
	p.Protect = nil
	set.policy = p
	return set, nil
}

func (a *app) measure(ctx context.Context, f evalFlags, set settings, c *eval.Corpus) (eval.Result, error) {
	l, err := a.stages(ctx, a.wiring(set, f.selected()))
	if err != nil {
		return eval.Result{}, err
	}
	o := eval.Options{Workers: 1, Pipeline: func(ctx context.Context, tree fs.FS) (gate.Result, error) {
		return evaluate(ctx, tree, set.policy, l.stages)
	}}
	if slices.Equal(f.layers, []string{string(gate.LayerStatic)}) {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if !f.quiet {
		p := newProgress(a.stderr)
		_ = p.Handle(gate.Started{}) // it never fails
		o.Progress = func(done, total int) {
			_ = p.Handle(gate.Progress{Layer: gate.Layer(strings.Join(f.layers, ", ")), Done: done, Total: total, Detail: "samples"})
		}
		defer func() { _ = p.Handle(gate.Finished{}) }()
	}
	outcomes, err := eval.Run(ctx, c, o)
	if err = errors.Join(err, l.shut()); err != nil {
		return eval.Result{}, err
	}
	return eval.NewResult(tool(), c, outcomes), nil
}

// evaluate puts one sample through the layers, as a scan of a folder that holds
// nothing else would.
func evaluate(ctx context.Context, tree fs.FS, p gate.Policy, stages []gate.Stage) (gate.Result, error) {
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
	return gate.Run(ctx, gate.Request{Tool: tool(), Change: c, Policy: p, Stages: stages, Handler: gate.Discard{}})
}

// readEval reads the result to compare with; without a name there is none.
func readEval(name string) (*eval.Result, error) {
	if name == "" {
		return nil, nil
	}
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	res, err := eval.Decode(in)
	return &res, err
}

func (a *app) writeEval(f evalFlags, res eval.Result, write func(io.Writer, eval.Result) error) error {
	if f.save != "" {
		var saved bytes.Buffer
		if err := eval.WriteJSON(&saved, res); err != nil {
			return err
		}
		if err := writeFile(f.save, saved.Bytes()); err != nil {
			return err
		}
	}
	if f.output == "" {
		return write(a.stdout, res)
	}
	var out bytes.Buffer
	if err := write(&out, res); err != nil {
		return err
	}
	return writeFile(f.output, out.Bytes())
}
