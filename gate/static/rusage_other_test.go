//go:build !linux

package static_test

import (
	"os"
	"time"
)

// maxRSS is known on Linux only.
func maxRSS(*os.ProcessState) int64 { return 0 }

// processorTime is known on Linux only.
func processorTime() time.Duration { return 0 }
