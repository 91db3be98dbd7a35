package job

import (
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/wasm"
)

// Module is a WebAssembly module. gate itself interprets it, in a container like any
// other, so any image will do.
type Module struct {
	File   string
	Memory int64 // of its container
	Clock  int64 // what time it is at the start, in seconds since 1970; 0 is now
}

func (m Module) line(args, env []string) Line {
	// Half of the memory is the module's, because the interpreter needs some itself.
	argv := wasm.Command(sandbox.Gate, wasm.Options{Module: m.File, Args: args, Memory: m.Memory / 2, Clock: m.Clock})
	return Line{Argv: argv, Started: argv, Env: env}
}

func (m Module) shown(args []string) []string { return append([]string{"wasm", m.File}, args...) }

// Within returns the job for a container with so much memory.
func (j Job) Within(memory int64) Job {
	switch p := j.Program.(type) {
	case Module:
		p.Memory = memory
		j.Program = p
	case GoProgram:
		p.Memory = memory
		j.Program = p
	}
	return j
}

// Interpreted reports whether gate's own interpreter of WebAssembly runs the program.
func (j Job) Interpreted() bool {
	switch p := j.Program.(type) {
	case Module:
		return true
	case GoProgram:
		return p.Wasi
	}
	return false
}
