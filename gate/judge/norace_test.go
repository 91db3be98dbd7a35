//go:build !race

package judge_test

import "time"

// knownWithin is the promise for 200 known files, in processor time.
const knownWithin = time.Second
