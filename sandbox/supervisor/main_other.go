//go:build !linux

package supervisor

import (
	"fmt"
	"os"
)

// Main refuses: containers run Linux, so the supervisor is a Linux build of gate.
func Main(_, _ *os.File) int {
	fmt.Fprintln(os.Stderr, "gate: the supervisor runs in Linux containers only")
	return 2
}
