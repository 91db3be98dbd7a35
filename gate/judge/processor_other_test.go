//go:build !unix

package judge_test

import (
	"testing"
	"time"
)

// processor is not known here: whatever is measured took no time.
func processor(testing.TB) time.Duration { return 0 }
