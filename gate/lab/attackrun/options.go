package attackrun

import (
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/attack"
)

// SamplesFolder is where the samples are in a checkout of gate.
const SamplesFolder = "fixtures/attacks"

// What Options.Accept takes.
const (
	AcceptBetter = "better"
	AcceptAll    = "all"
)

// Options are what a command line may say. Run checks them.
type Options struct {
	Engine   engine.Options // the layers that are asked, and with what
	Runtimes []string       // of containers, side by side; none is the policy's
	Filter   attack.Filter
	Parallel int // how many attacks are under way at a time; 0 is one a processor
	// Samples is their folder; "" is that of the checkout that the current folder is in.
	Samples string
	// Agent attacks gate's own agent in place of the layers (package agentattack).
	Agent bool
	// Probes tries the containment and attacks nothing.
	Probes bool
	// Generate is how many attacks the judge's model writes, in place of the samples, and
	// Keep a folder to write them to.
	Generate int
	Keep     string
	Shard    string // I/N: a part of the samples
	From     string // a saved result, which is shown; nothing is attacked
	Baseline string // a file to compare with
	Accept   string // what is written to Baseline: AcceptBetter, AcceptAll or "" for nothing
	History  string // a file that gets a line about the run
	Issue    bool   // keep an issue open on GitHub while the run does not pass
	Output   Output
}

// Process is what a run needs of the process that it is in.
type Process struct {
	Engine *engine.Engine
	Stdout io.Writer
	// Progress takes how far the run is; nil shows nothing.
	Progress gate.Handler
	// MaxWait bounds the waits between repeated requests to GitHub; 0 is the client's
	// default.
	MaxWait time.Duration
}

// check says what can be said before anything is read, and completes the options.
func (o *Options) check() error {
	if err := o.Output.check(); err != nil {
		return err
	}
	switch {
	case o.Accept != "" && o.Baseline == "":
		return exit.Usagef("--accept needs --baseline FILE, which it writes")
	case o.Accept != "" && o.Accept != AcceptBetter && o.Accept != AcceptAll:
		return exit.Usagef("--accept is %s or %s, not %q", AcceptBetter, AcceptAll, o.Accept)
	case o.Probes && (o.Baseline != "" || !o.Filter.All()):
		return exit.Usagef("--probes runs no attacks: it takes no filter and no baseline")
	case o.Generate > 0 && (o.Baseline != "" || o.Probes):
		return exit.Usagef("--generate makes other attacks each time: it takes no baseline and no --probes")
	case o.Shard != "" && (o.Probes || o.Generate > 0 || o.Baseline != "" || o.From != ""):
		return exit.Usagef("--shard attacks with a part of the samples: it takes no --probes, --generate and --from, and --baseline is for the merged result (gate attack --from)")
	case o.Keep != "" && o.Generate == 0:
		return exit.Usagef("--keep needs --generate")
	case o.Generate < 0 || o.Generate > 100:
		return exit.Usagef("--generate is 1 to 100, not %d", o.Generate)
	case o.Parallel < 0 || o.Parallel > 256:
		return exit.Usagef("--parallel is 1 to 256, not %d", o.Parallel)
	case len(o.Engine.Layers) == 0:
		return exit.Usagef("--layers names none")
	case (o.Shard != "" || o.Probes || o.Generate > 0) && (o.History != "" || o.Issue):
		return exit.Usagef("--history and --issue are for runs of the samples as a whole: not with --shard, --probes and --generate")
	}
	if o.Parallel == 0 {
		o.Parallel = runtime.NumCPU()
	}
	return nil
}

// asks reports whether a layer is asked.
func (o *Options) asks(layer gate.Layer) bool { return slices.Contains(o.Engine.Selected(), layer) }

// Formats are the formats of a result.
func Formats() []string { return []string{"text", "json", "markdown"} }

// Output says how a result is written.
type Output struct {
	Format string // one of [Formats]
	File   string // "" is standard output
	Save   string // a file that gets the result as JSON as well
}

func (o Output) check() error {
	if !slices.Contains(Formats(), o.Format) {
		return exit.Usagef("there is no format %q (one of %s)", o.Format, strings.Join(Formats(), ", "))
	}
	return nil
}
