package agentrun

import (
	"io"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
)

// Options are a task and what a command line may say about it. Run checks them.
type Options struct {
	Task     string
	Engine   engine.Options
	Language string   // "" leaves it to the model
	Turns    int      // how often the model may try
	Data     []string // addresses of what is fetched for the program
	Session  string   // a file that remembers the last turns; "" remembers nothing

	Out   string // the folder for the files of the program
	Force bool   // replace files that are in it already
	Keep  bool   // write the program to it as well

	Format string // of the report: text or json
	Output string // a file for the report; "" is standard output
}

// Process is what a task needs of the process that it is in.
type Process struct {
	Engine *engine.Engine
	Stdout io.Writer
	// Progress takes how far the layers are with a program; nil shows nothing, neither of
	// them nor of the turns.
	Progress gate.Handler
	// Findings renders as text what the layers found in the last program, and saves it if
	// that was asked for. It is called also where no program was looked at.
	Findings func(w io.Writer, last Last) error
}

// Last is the last program that the layers looked at. Result and Change are nil where there
// was none.
type Last struct {
	Settings engine.Settings
	Result   *gate.Result
	Change   *gate.Change
}

// check says what can be said before anything is read.
func (o *Options) check(task *agent.Options) error {
	if err := task.Check(); err != nil {
		return exit.Usagef("%w", err)
	}
	if !slices.Contains([]string{"text", "json"}, o.Format) {
		return exit.Usagef("there is no format %q (one of text, json)", o.Format)
	}
	return nil
}
