package main

import (
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/lab/evalrun"
)

func evalCommand(a *app) *cobra.Command {
	var o evalrun.Options
	var quiet bool
	cmd := &cobra.Command{
		Use:   "eval CORPUS",
		Short: "Measure what the layers find in a labelled corpus",
		Long: `eval puts every sample of a corpus, a folder with a corpus.yaml, through the layers
by itself, and reports recall, false positives, precision and F1 at suspicious and
at dangerous: for each layer, over all samples, by language and by category, with
95 % intervals. docs/detection.md has the format of a corpus.

Only the static layer runs unless --layers names others. Suppressions do not count.

With --layers static,judge (or judge alone) the judge is measured more closely, and
nothing it says is kept: each malicious sample that it detects is judged again with
injections that try to manipulate it, each benign one after harmless edits, and
each sample in several runs. One table then says for each model, with and without
each defence (--ablate), and for each fail-on: recall, false positives, how many
injections work, drift, flips between runs, invalid answers, tokens and latency.
docs/judge.md explains it. Ctrl-C ends it early with what was measured so far.

Exit codes: 0 measured, 1 a sample is seen worse than in --compare, or the judge can
be manipulated more, 2 usage or a mistake in the corpus, 3 a layer did not get
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
			o.Corpus, o.Given = args[0], cmd.Flags().Changed
			p := evalrun.Process{Engine: a.engine(), Stdout: a.stdout, Progress: a.progress(quiet)}
			return evalrun.Run(cmd.Context(), p, o)
		},
	}
	registerLayers(cmd, &o.Engine)
	fl := cmd.Flags()
	fl.Lookup("layers").Usage = "run these `LAYERS`: static, judge, sandbox (default: static)"
	fl.Lookup("model").Value = &o.Judge.Models
	fl.Lookup("model").Usage = "`NAME` of a model that judges; several are measured one after the other"
	fl.StringSliceVar(&o.Judge.Ablate, "ablate", nil, "measure the judge again without each of these `DEFENCES`, and without all of them: all, or names")
	fl.Lookup("ablate").NoOptDefVal = evalrun.All
	fl.IntVar(&o.Judge.Runs, "runs", 2, "how often the judge judges each sample, each time with another seed")
	fl.StringSliceVar(&o.Judge.Injections, "injections", nil, "the `NAMES` of the injections that are tried, a YAML file with others, or none (default: all of gate's)")
	fl.IntVar(&o.Judge.Samples, "samples", 0, "judge so many samples of each label, chosen by a hash of their names (default: all)")
	fl.IntVar(&o.Judge.Parallel, "parallel", 1, "judge so many samples side by side; latencies are those of one review only with 1")
	fl.StringVarP(&o.Format, "format", "f", "text", "format of the report: text, json, html")
	fl.StringVarP(&o.Output, "output", "o", "", "write the report to `FILE` instead of standard output")
	fl.StringVar(&o.Save, "save", "", "also save the result as JSON to `FILE`, for --compare")
	fl.StringVar(&o.Compare, "compare", "", "say what is different from the result in `FILE`")
	fl.StringVar(&o.Engine.Config, "config", "", "take the policy from `FILE` (default: gate's own policy)")
	fl.BoolVarP(&quiet, "quiet", "q", false, "no progress on standard error")
	complete(cmd, "format", "text", "json", "html")
	complete(cmd, "ablate", evalrun.Defences()...)
	return cmd
}
