package workrun

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent/data"
	"github.com/aigate/gate/gate/agent/work"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exchange"
	"github.com/aigate/gate/gate/exit"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/mcp"
)

// Options are what a command line may say. Run checks them.
type Options struct {
	Task   string // "" reads tasks from Process.Stdin, one a line
	Name   string // of the workspace; "" is "default"
	Engine engine.Options
	// Language is that of all programs, one of python, node, typescript, shell and go; ""
	// leaves it to the model. Commands of Bash are always possible.
	Language string
	Data     []string // folders and files of this machine, and addresses, that programs can read
	Skills   []string // folders with skills
	Steps    int      // calls of tools for one task
	Calls    string   // how the model calls tools: auto, native or json
	Out      string   // the folder for results
	Force    bool     // replace files that are in it already
	Keep     bool     // write the workspace to it as well, below workspace/
	Format   string   // of the report: text or json
	Output   string   // a file for the report; "" is Process.Stdout
	Quiet    bool     // no progress on standard error
	Web      string   // an address of this machine to serve the page on, in place of a task
}

// Process is what a task needs of the process that it is in.
type Process struct {
	Engine *engine.Engine
	Stdin  io.Reader
	Stdout io.Writer
	// Programs runs programs; nil is in containers of this machine.
	Programs mcp.Runner
}

// The ways in which a model calls tools.
const (
	CallsAuto   = "auto"
	CallsNative = "native"
	CallsJSON   = "json"
)

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

func (o *Options) check() error {
	switch {
	case !nameForm.MatchString(o.Name):
		return exit.Usagef("the name of a workspace has small letters, digits and hyphens, not %q", o.Name)
	case !slices.Contains([]string{"text", "json"}, o.Format):
		return exit.Usagef("there is no format %q (one of text, json)", o.Format)
	case !slices.Contains([]string{CallsAuto, CallsNative, CallsJSON}, o.Calls):
		return exit.Usagef("--tool-calls is auto, native or json, not %q", o.Calls)
	case o.Language != "" && !slices.Contains(languageNames(), o.Language):
		return exit.Usagef("there is no language %q (one of %s)", o.Language, strings.Join(languageNames(), ", "))
	case o.Steps < 1 || o.Steps > work.MaxSteps:
		return exit.Usagef("a task takes 1 to %d steps, not %d", work.MaxSteps, o.Steps)
	case o.Web != "" && o.Task != "":
		return exit.Usagef("--web takes tasks from its page, not from the command line")
	case o.Task == "" && (o.Format == "json" || o.Output != ""):
		return exit.Usagef("--format json and --output need a TASK")
	}
	return nil
}

// state is the folder that keeps workspaces and memories.
func state(e *engine.Engine) string { return e.StateDir("agent") }

func memoryFile(e *engine.Engine, name string) string {
	return filepath.Join(state(e), "memory-"+name+".json")
}

// Report is the document about one task.
type Report struct {
	SchemaVersion int       `json:"schema_version"`
	Tool          gate.Tool `json:"tool"`
	work.Outcome
	Model     string       `json:"model"`
	Calls     string       `json:"tool_calls"` // native or json
	Session   string       `json:"session"`
	Fetched   []data.Datum `json:"fetched"`       // what the addresses of --data gave
	Data      []mcp.Found  `json:"data_findings"` // what the static layer found in the data
	Workspace []File       `json:"workspace"`
	Results   []File       `json:"results"` // from /output
	Withheld  string       `json:"withheld,omitempty"`
	Out       string       `json:"out,omitempty"` // where the results are
}

// File is a file that is listed.
type File struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
}

func listed(files []exchange.File) []File {
	out := []File{}
	for _, f := range files {
		out = append(out, File{f.Path, len(f.Data)})
	}
	return out
}
