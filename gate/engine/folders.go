package engine

import (
	"fmt"
	"path"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exchange"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/sandbox"
)

// Folders are folders of this machine. Files of Input are what programs find in /input,
// and Output takes what they leave in /output; "" is none.
type Folders struct{ Input, Output string }

// carried are the files of one run.
type carried struct {
	folders Folders
	given   exchange.Given
	files   []exchange.File
	left    []exchange.Left
	ended   bool // a program, so that something can be said about its files
}

// open reads what is given and makes sure that there is a place for what is handed out.
// It is nil where nothing is asked for.
func (f Folders) open() (*carried, error) {
	if f == (Folders{}) {
		return nil, nil
	}
	c := &carried{folders: f}
	if f.Output != "" {
		if err := exchange.Prepare(f.Output); err != nil {
			return nil, exit.Usagef("--output: %w", err)
		}
	}
	if f.Input != "" {
		var err error
		if c.given, err = exchange.Read(f.Input); err != nil {
			return nil, exit.Usagef("--input: %w", err)
		}
	}
	return c, nil
}

// export is what the sandbox is told; nil is nothing.
func (c *carried) export() *Export {
	if c == nil {
		return nil
	}
	x := &Export{}
	if c.folders.Input != "" {
		x.Given, x.GivenBytes = c.given.Tar, c.given.Bytes
	}
	if c.folders.Output != "" {
		x.Out, x.Bytes, x.Take = sandbox.OutputFolder, exchange.MaxBytes, c.take
	}
	return x
}

// take keeps what one run left. Files of several programs share the folder, so the first
// of a name is the one that is written.
func (c *carried) take(_ string, files []File, refused []Refusal) []gate.Derived {
	c.ended = true
	for _, f := range files {
		c.files = append(c.files, exchange.File{Path: f.Path, Data: f.Data})
	}
	for _, r := range refused {
		c.left = append(c.left, exchange.Left{Path: r.Path, Why: r.Reason})
	}
	return nil
}

// deliver writes what was handed out, and says what was not and what was not given.
func (c *carried) deliver(e *Engine, v gate.Verdict) error {
	if c == nil {
		return nil
	}
	sayLeft(e, "not given to the program: ", c.folders.Input, c.given.Left)
	if c.folders.Output == "" {
		return nil
	}
	if !c.ended {
		e.Noticef("nothing came back from %s: no program ran to its end", sandbox.OutputFolder)
		return nil
	}
	n, left, err := exchange.Write(c.folders.Output, c.files)
	e.Noticef("files from %s that were written to %s: %d", sandbox.OutputFolder, c.folders.Output, n)
	sayLeft(e, "not brought back: ", sandbox.OutputFolder, append(c.left, left...))
	if n > 0 && v != gate.Safe {
		e.Noticef("the verdict is %s: open these files with care", v)
	}
	return exit.Failed(err)
}

// maxSaid bounds how many files are named one by one.
const maxSaid = 20

func sayLeft(e *Engine, what, dir string, left []exchange.Left) {
	for _, l := range left[:min(len(left), maxSaid)] {
		e.Noticef("%s%q: %s", what, path.Join(dir, fmt.Sprintf("%.300s", l.Path)), l.Why)
	}
	if more := len(left) - maxSaid; more > 0 {
		e.Noticef("%s%d more files", what, more)
	}
}
