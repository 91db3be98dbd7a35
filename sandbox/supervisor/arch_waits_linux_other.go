//go:build linux && !amd64

package supervisor

import "time"

const canForward = false

func legacyWaiters(func(int) func(*reading, func(uint64) time.Duration) (time.Duration, bool)) []waiter {
	return nil
}

func legacyClocks() []uint32 { return nil }

func legacyAlarms() []uint32 { return nil }

func returnFrom(int, int64) error { return errNoTracing }

func interrupted(int) (c call, fails, ok bool) { return call{}, false, false }

func again(int) error { return errNoTracing }

func (*tracer) legacyForward(call) (int64, bool) { return 0, false }

func resultsOf(uint32) results { return resultsNone }
