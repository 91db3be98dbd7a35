package pickle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of one pickle.
const (
	maxOps     = 4 << 20 // opcodes
	maxItems   = 64      // items of one container that are kept
	maxGlobals = 400     // different names
	maxCalls   = 400     // calls that are written down
	maxPickles = 64      // pickles behind each other in one file
	maxStack   = 1 << 20 // values
)

// Threat says how dangerous loading a name is.
type Threat int

// The threats, in order.
const (
	Harmless  Threat = iota // rebuilds data
	Unknown                 // nothing is known about it
	Dangerous               // runs code or programs, or reaches files and networks
)

// Global is a function or class that a pickle names.
type Global struct {
	Module, Name string
	Threat       Threat
	Called       bool
}

// String is the name as Python writes it.
func (g Global) String() string {
	if g.Module == "" {
		return g.Name
	}
	return g.Module + "." + g.Name
}

// Report is what was read.
type Report struct {
	Pickles  int
	Globals  []Global // each once, in the order in which they are named
	Computed bool     // it names something by a text that is put together while loading
	Err      error    // why it can't be read to its end
	Bounded  bool     // more is called than is kept
	// Calls is what loading calls, written as Python.
	Calls string
}

// Worst is the greatest threat of the names.
func (r Report) Worst() Threat {
	var worst Threat
	for _, g := range r.Globals {
		worst = max(worst, g.Threat)
	}
	if r.Computed {
		worst = Dangerous
	}
	return worst
}

// numpyMagic begins a file of one array.
const numpyMagic = "\x93NUMPY"

// Looks reports whether a file that begins so, and is so long, may be a pickle. It
// asks for what Python would accept, so hardly anything else is taken for one.
func Looks(head []byte, size int64) bool {
	if objectArray(head) > 0 {
		return true
	}
	if len(head) < 2 {
		return false
	}
	if head[0] == 0x80 {
		return head[1] >= 1 && head[1] <= 5 && len(head) > 2
	}
	m := newMachine(head, size)
	err := m.run()
	switch {
	case err == nil:
		return len(m.report.Globals) > 0
	case errors.Is(err, io.ErrUnexpectedEOF) && int64(len(head)) < size:
		return true // as far as can be seen
	}
	return m.called > 0
}

// Read reads the pickles of a file, nil where it holds none.
func Read(data []byte) *Report {
	at := 0
	if n := objectArray(data[:min(len(data), 1<<16)]); n > 0 {
		at = n
	}
	var out *Report
	for range maxPickles {
		if at >= len(data) || out != nil && !(data[at] == 0x80 && at+1 < len(data) && data[at+1] >= 1 && data[at+1] <= 5) {
			return out
		}
		if out == nil && at == 0 && !Looks(data[:min(len(data), 8<<10)], int64(len(data))) {
			return nil
		}
		m := newMachine(data[at:], int64(len(data)-at))
		err := m.run()
		if out == nil && data[at] != 0x80 && err != nil && m.called == 0 {
			return nil // text that begins like one
		}
		out = merge(out, m.report, err)
		if err != nil {
			return out
		}
		at += m.at
	}
	out.Bounded = true
	return out
}

// merge adds what another pickle of the file says.
func merge(out *Report, next Report, err error) *Report {
	if out == nil {
		out = &Report{}
	}
	out.Pickles++
	for _, g := range next.Globals {
		add(&out.Globals, g)
	}
	out.Computed = out.Computed || next.Computed
	out.Bounded = out.Bounded || next.Bounded
	out.Err = err
	out.Calls += next.Calls
	return out
}

// add puts a name into a list, once.
func add(list *[]Global, g Global) {
	for i, have := range *list {
		if have.Module == g.Module && have.Name == g.Name {
			(*list)[i].Called = have.Called || g.Called
			return
		}
	}
	*list = append(*list, g)
}

// objectArray returns where the pickle begins in a file of one array of objects, 0
// where the file is anything else.
func objectArray(head []byte) int {
	if !bytes.HasPrefix(head, []byte(numpyMagic)) || len(head) < 12 {
		return 0
	}
	size, at := int(head[8])|int(head[9])<<8, 10
	if head[6] > 1 {
		size, at = size|int(head[10])<<16|int(head[11])<<24, 12
	}
	if size < 0 || size > 1<<16 {
		return 0
	}
	header := string(head[at:min(len(head), at+size)])
	if !strings.Contains(header, "O") {
		return 0
	}
	return at + size
}

// python is a name as a line of Python can hold it.
func python(module, name string) string {
	module = strings.TrimPrefix(module, "__builtin__")
	switch module {
	case "posix", "nt":
		module = "os"
	case "builtins", "":
		return name
	}
	return module + "." + name
}

// errOp is an opcode that does not exist, or that Python would refuse there.
func errOp(op byte, at int, why string) error {
	return fmt.Errorf("opcode %q at byte %d %s", op, at, why)
}
