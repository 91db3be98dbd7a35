package main

import (
	"os"

	"github.com/aigate/gate/sandbox/supervisor"
	"github.com/aigate/gate/sandbox/supervisor/probe"
	"github.com/aigate/gate/sandbox/wasm"
)

func main() {
	// The hidden mode comes first and shares nothing with the command line: it
	// is PID 1 of a container and speaks frames, not flags. Its trial runs there.
	if len(os.Args) == 2 && (os.Args[1] == supervisor.Mode || os.Args[1] == supervisor.TrialMode) {
		os.Exit(supervisor.Main(os.Stdin, os.Stdout))
	}
	// The same for the probes of the containment, which the sandbox starts.
	if len(os.Args) >= 2 && os.Args[1] == probe.Mode {
		os.Exit(probe.Main(os.Args[2:], os.Stdout, os.Stderr))
	}
	// So is the interpreter of WebAssembly modules, which the supervisor starts.
	if len(os.Args) >= 2 && os.Args[1] == wasm.Mode {
		os.Exit(wasm.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(newApp().main(os.Args[1:]))
}
