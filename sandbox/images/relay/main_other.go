//go:build !linux

package relay

import (
	"fmt"
	"io"
	"os"
)

// Main is the hidden mode, which containers of Linux have.
func Main(_ io.Reader, _ io.Writer, stderr *os.File) int {
	fmt.Fprintln(stderr, "gate relay: this mode is for containers, which run Linux")
	return 2
}
