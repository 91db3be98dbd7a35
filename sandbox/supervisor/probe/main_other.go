//go:build !linux

package probe

import (
	"fmt"
	"io"
)

// Main refuses: containers run Linux.
func Main(_ []string, _, stderr io.Writer) int {
	fmt.Fprintln(stderr, "gate: probes run in Linux containers only")
	return 2
}
