package wasm

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Mode is the first argument that makes gate be the interpreter.
const Mode = "__wasm"

// MaxModule is the largest module that is run, in bytes.
const MaxModule = 32 << 20

// The exit codes of the interpreter that no module chose. A module can choose them
// as well: they explain and prove nothing.
const (
	ExitUnusable = 126 // not a module that can be run
	ExitTrap     = 134 // it did what ends a module, as an abort does elsewhere
)

// Options are what a module is run with.
type Options struct {
	Module string   // its path
	Args   []string // behind its name
	Memory int64    // bytes of its memory
	Clock  int64    // what time it is at its start, in seconds since 1970; 0 is now
}

// Command is the command line that runs a module in a container whose supervisor
// is gate.
func Command(gate string, o Options) []string {
	argv := []string{gate, Mode, strconv.FormatInt(o.Memory, 10), strconv.FormatInt(o.Clock, 10), o.Module}
	return append(argv, o.Args...)
}

// parse reads what [Command] wrote, behind the mode.
func parse(args []string) (Options, error) {
	if len(args) < 3 {
		return Options{}, fmt.Errorf("run a module: %d arguments, want memory, clock and module", len(args))
	}
	memory, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || memory < pageBytes {
		return Options{}, fmt.Errorf("run a module: %q is no number of bytes for its memory", args[0])
	}
	clock, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil || clock < 0 {
		return Options{}, fmt.Errorf("run a module: %q is no time", args[1])
	}
	return Options{Memory: memory, Clock: clock, Module: args[2], Args: args[3:]}, nil
}

// pageBytes is the unit of a module's memory.
const pageBytes = 64 << 10

// Foreign is a function that a module imports and that is none of WASI.
type Foreign struct{ Module, Name string }

// What is foreign is told by opening a file that is not there: the recorder sees
// that, and a module, which can open nothing outside of its folders, can neither
// forge nor hide it.
const foreignPrefix = "/.gate-wasm/"

// maxForeign bounds how many are told.
const maxForeign = 64

func (f Foreign) path() string {
	const most = 100
	return foreignPrefix + hex.EncodeToString([]byte(f.Module[:min(len(f.Module), most)]+"\x00"+f.Name[:min(len(f.Name), most)]))
}

// ReadForeign reads the name of such a file.
func ReadForeign(path string) (Foreign, bool) {
	said, ok := strings.CutPrefix(path, foreignPrefix)
	if !ok {
		return Foreign{}, false
	}
	text, err := hex.DecodeString(said)
	module, name, found := strings.Cut(strings.ToValidUTF8(string(text), "\uFFFD"), "\x00")
	return Foreign{Module: module, Name: name}, err == nil && found
}
