package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent/data"
	"github.com/aigate/gate/gate/printable"
)

// SchemaVersion is the version of the result document, and of a session.
const SchemaVersion = 1

// Result is what became of a task.
type Result struct {
	SchemaVersion int           `json:"schema_version"`
	Tool          gate.Tool     `json:"tool"`
	Decision      gate.Decision `json:"decision"`
	Reason        string        `json:"reason"` // why it is not a pass
	Task          string        `json:"task"`
	Data          []data.Datum  `json:"data"`
	Turns         []Turn        `json:"turns"`
	Files         []Delivered   `json:"files"`         // that were handed out
	Out           string        `json:"out,omitempty"` // the folder that they are in
}

// Turn is one answer of the model. Program and Result are absent where there was
// none that could be used.
type Turn struct {
	Number   int          `json:"number"`
	Program  *Program     `json:"program,omitempty"`
	Problems []string     `json:"problems"`
	Result   *gate.Result `json:"result,omitempty"`
}

// Delivered is a file that was handed out.
type Delivered struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}

func delivered(files []File) []Delivered {
	out := []Delivered{}
	for _, f := range files {
		sum := sha256.Sum256(f.Data)
		out = append(out, Delivered{f.Path, hex.EncodeToString(sum[:]), len(f.Data)})
	}
	return out
}

// Encode writes the result document.
func (r Result) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(r)
	return b.Bytes(), err
}

// Last is what the layers say of the last program that they looked at, nil where
// they looked at none.
func (r Result) Last() *gate.Result {
	for _, t := range slices.Backward(r.Turns) {
		if t.Result != nil {
			return t.Result
		}
	}
	return nil
}

// Headline says in one line what became of the task.
func (r Result) Headline() string {
	switch {
	case r.Decision == gate.DecisionBlock:
		return "NOT DONE: the last program was blocked, nothing was handed out"
	case r.Decision != gate.DecisionPass:
		return "NOT DONE: nothing was handed out"
	case len(r.Files) == 0:
		return "DONE: the program wrote no file and printed something"
	}
	return fmt.Sprintf("DONE: files written to %s: %d", shown(r.Out), len(r.Files))
}

// WriteText writes what a person wants to know besides what the layers found.
func (r Result) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, d := range r.Data {
		fmt.Fprintf(&b, "data   %s  %d bytes  sha256 %s\n       %s\n", d.Name, d.Bytes, d.SHA256, shown(d.URL))
	}
	for _, t := range r.Turns {
		what := "no program"
		if t.Program != nil {
			what = t.Program.Path
		}
		if len(t.Problems) == 0 && r.Decision == gate.DecisionPass {
			what += ": passed"
		}
		fmt.Fprintf(&b, "turn %d %s\n", t.Number, what)
		for i, p := range t.Problems {
			if i == maxList {
				fmt.Fprintf(&b, "       and %d more\n", len(t.Problems)-maxList)
				break
			}
			fmt.Fprintf(&b, "       %s\n", shown(gate.Clip(oneLine(p), maxProblem)))
		}
	}
	if r.Decision != gate.DecisionPass {
		fmt.Fprintf(&b, "The reason: %s\n", shown(gate.Clip(oneLine(r.Reason), 2*maxProblem)))
		_, err := io.WriteString(w, b.String())
		return err
	}
	last := r.Turns[len(r.Turns)-1]
	if last.Program.Notes != "" {
		fmt.Fprintf(&b, "The model says: %s\n", shown(last.Program.Notes))
	}
	if len(r.Files) == 0 {
		b.WriteString("It wrote no file, and printed:\n")
		for line := range strings.Lines(r.printed()) {
			fmt.Fprintf(&b, "  | %s\n", shown(strings.TrimRight(line, "\r\n")))
		}
	}
	for _, f := range r.Files {
		fmt.Fprintf(&b, "wrote  %s/%s  %d bytes  sha256 %s\n", shown(strings.TrimRight(r.Out, "/")), f.Path, f.Bytes, f.SHA256)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printed is what the program that passed wrote to standard output.
func (r Result) printed() string {
	last := r.Turns[len(r.Turns)-1]
	for _, f := range last.Result.Files {
		if f.Path == last.Program.Path && f.Execution != nil && len(f.Execution.Units) > 0 {
			return f.Execution.Units[0].Stdout.Text
		}
	}
	return ""
}

// shown is a hostile text on one line of a terminal.
func shown(s string) string { return printable.Line(s) }
