package coverage

import (
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
)

// Frame is a place in a file of the tree at which a program was when it ended.
type Frame struct {
	File string
	Line int
	Top  bool // on the top level of the file, not in a function
}

// Stopped is why a process ended before the end of its program, by its interpreter.
type Stopped struct {
	// How is a call that ends the process ("_exit", "exit", "exec"), or the type of an
	// exception that nothing caught.
	How string
	// Code is the exit code that was asked for.
	Code int
	// Frames are the places in files of the tree, the outermost first.
	Frames []Frame
	// Name is the module that was not there or has not what was asked of it.
	Name string
	// File and Line are where a syntax error is.
	File string
	Line int
}

// Says reports whether an end says anything of the files of the tree: a runner of tests
// always ends with an exit of its own.
func (s *Stopped) Says() bool {
	return s != nil && (len(s.Frames) > 0 || s.File != "" || s.Name != "")
}

// Vague reports whether only the place of an error is known, and not its kind.
func (s *Stopped) Vague() bool { return s.How == "exception" || s.How == "error" }

// maxFrames bounds the places of one end.
const maxFrames = 40

// ReadStopped reads what the start of a program wrote about its end.
func ReadStopped(data []byte) (*Stopped, error) {
	var r struct {
		How    string   `json:"how"`
		Code   int      `json:"code"`
		Frames [][3]any `json:"frames"`
		Name   string   `json:"name"`
		File   string   `json:"file"`
		Line   int      `json:"line"`
	}
	if err := decode(data, &r); err != nil {
		return nil, fmt.Errorf("what is said about the end: %w", err)
	}
	plain := func(s string) string { return gate.Clip(strings.ToValidUTF8(s, "\uFFFD"), 200) }
	s := &Stopped{How: plain(r.How), Code: r.Code, Name: plain(r.Name), File: r.File, Line: min(max(r.Line, 0), MaxLines)}
	for _, f := range r.Frames[:min(len(r.Frames), maxFrames)] {
		file, _ := f[0].(string)
		line, _ := f[1].(float64)
		top, _ := f[2].(bool)
		if file != "" && line >= 0 && line <= MaxLines {
			s.Frames = append(s.Frames, Frame{File: file, Line: int(line), Top: top})
		}
	}
	return s, nil
}
