package evalrun

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/lab/eval"
)

// Bounds of a measurement.
const (
	maxRuns     = 20
	maxParallel = 64
)

// What Options.Ablate and Options.Injections take besides names.
const (
	All  = "all"
	None = "none"
)

// Options are what a command line may say. Run checks them.
type Options struct {
	// Corpus is the folder of the samples.
	Corpus string
	// Engine says which layers are measured; none is the static one.
	Engine engine.Options
	Judge  JudgeOptions
	// Given reports whether an option of the judge was named on the command line; nil is
	// none.
	Given func(flag string) bool

	Format  string // of the report: text, json or html
	Output  string // a file for the report; "" is standard output
	Save    string // a file that gets the result as JSON as well
	Compare string // a saved result to compare with
}

// JudgeOptions are those of a measurement of the judge alone.
type JudgeOptions struct {
	Models     Models   // one after the other; none is the policy's
	Ablate     []string // defences to do without, or All
	Runs       int
	Injections []string // names, files *.yaml, All or None; none is All
	Samples    int      // of each label; 0 is all
	Parallel   int
}

// Process is what a measurement needs of the process that it is in.
type Process struct {
	Engine *engine.Engine
	Stdout io.Writer
	// Progress takes how far it is; nil shows nothing.
	Progress gate.Handler
}

// Models are names of models. It is a flag that may be given several times, or with
// commas.
type Models []string

// String returns the names with commas.
func (m *Models) String() string { return strings.Join(*m, ",") }

// Type is what help calls a value.
func (m *Models) Type() string { return "string" }

// Set adds names.
func (m *Models) Set(value string) error {
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

// Defences are the names that JudgeOptions.Ablate takes.
func Defences() []string {
	names := []string{All}
	for _, d := range judge.Defences() {
		names = append(names, string(d))
	}
	return names
}

// judges reports whether the judge is to be measured by itself: where it runs, and no
// sandbox that would run every variant.
func (o *Options) judges() bool {
	return slices.Contains(o.Engine.Layers, string(gate.LayerJudge)) && !slices.Contains(o.Engine.Layers, string(gate.LayerSandbox))
}

// check refuses what makes no sense, and completes the options.
func (o *Options) check() error {
	for _, name := range []string{"ablate", "runs", "injections", "samples", "parallel"} {
		if o.Given != nil && o.Given(name) && !o.judges() {
			return exit.Usagef("--%s is about the judge: give --layers static,judge, or judge alone; a measurement with the sandbox judges each sample once", name)
		}
	}
	j := o.Judge
	switch {
	case len(j.Models) > 1 && !o.judges():
		return exit.Usagef("several models are compared with --layers static,judge, or judge alone")
	case j.Runs < 1 || j.Runs > maxRuns:
		return exit.Usagef("--runs is 1 to %d, not %d", maxRuns, j.Runs)
	case j.Samples < 0:
		return exit.Usagef("--samples is a number from 1 on, or 0 for all")
	case j.Parallel < 1 || j.Parallel > maxParallel:
		return exit.Usagef("--parallel is 1 to %d, not %d", maxParallel, j.Parallel)
	case writers()[o.Format] == nil:
		return exit.Usagef("there is no format %q (one of text, json, html)", o.Format)
	}
	if len(j.Models) > 0 {
		o.Engine.Model = j.Models[0]
	}
	if len(o.Engine.Layers) == 0 {
		o.Engine.Layers = []string{string(gate.LayerStatic)}
	}
	return nil
}

func writers() map[string]func(io.Writer, eval.Result) error {
	return map[string]func(io.Writer, eval.Result) error{"text": eval.WriteText, "json": eval.WriteJSON, "html": eval.WriteHTML}
}
