// Package modes is what gate is inside of a container: programs under names that no help
// shows, which speak frames, not flags.
//
// What it promises: a mode shares nothing with the command line of gate, and it is chosen
// by the first argument alone.
package modes

import (
	"os"

	"github.com/aigate/gate/sandbox/gocache"
	"github.com/aigate/gate/sandbox/images/relay"
	"github.com/aigate/gate/sandbox/supervisor"
	"github.com/aigate/gate/sandbox/supervisor/probe"
	"github.com/aigate/gate/sandbox/tools"
	"github.com/aigate/gate/sandbox/wasm"
)

// Main runs the mode that the arguments name and returns its exit code; hidden is false
// where they name none.
func Main(args []string, getenv func(string) string, stdin, stdout, stderr *os.File) (code int, hidden bool) {
	if len(args) == 0 {
		return 0, false
	}
	switch args[0] {
	case supervisor.Mode, supervisor.SelfTestMode:
		return supervisor.Main(stdin, stdout), true
	case relay.Mode:
		return relay.Main(stdin, stdout, stderr), true
	case probe.Mode: // of the containment, which the sandbox starts
		return probe.Main(args[1:], stdout, stderr), true
	case gocache.Mode: // of the go command
		return gocache.Main(args[1:], getenv, stdin, stdout, stderr), true
	case tools.Mode: // of commands that an image lacks
		return tools.Main(args[1:], stdin, stdout, stderr), true
	case wasm.Mode: // of WebAssembly modules, which the supervisor starts
		return wasm.Main(args[1:], stdin, stdout, stderr), true
	}
	return 0, false
}
