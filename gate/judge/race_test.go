//go:build race

package judge_test

import "time"

// knownWithin is the promise for 200 known files, times what the race detector costs.
const knownWithin = 10 * time.Second
