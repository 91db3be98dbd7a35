package testenv

import "testing"

// WithoutRace leaves a test to the run without the race detector. It is for tests
// that compute a lot and have no concurrency: they take ten times as long under the
// detector and show nothing that other tests do not. why says so in a few words.
//
// `make test` runs the packages of such tests both ways, and a test that is left out
// of one run and passed in the other is not skipped.
func WithoutRace(t testing.TB, why string) {
	t.Helper()
	if Raced {
		t.Skipf("not under the race detector: %s", why)
	}
}
