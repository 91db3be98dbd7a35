// Command supervise is the supervisor and nothing else: what the tests of the
// sandbox put into containers, so that they need not build all of gate.
package main

import (
	"os"

	"github.com/aigate/gate/sandbox/supervisor"
)

func main() { os.Exit(supervisor.Main(os.Stdin, os.Stdout)) }
