package testenv

import (
	"hash/fnv"
	"os"
	"testing"
)

// ThoroughVar, set to 1, makes tests take everything of which they take a sample otherwise:
// make test-nightly.
const ThoroughVar = "GATE_TEST_THOROUGH"

// Thorough reports whether tests take everything. Ask it only where the sample holds the same
// behaviour: another moment, another combination, another runtime of a thing that is tried.
func Thorough() bool { return os.Getenv(ThoroughVar) == "1" }

// Rounds is how often something that depends on chance is tried: some in every run, all every
// night.
func Rounds(some, all int) int {
	if Thorough() {
		return all
	}
	return some
}

// SampleVar decides with which element a [Sample] begins. `make test` sets it to the commit, so
// that one commit always takes the same and others take others.
const SampleVar = "GATE_TEST_SAMPLE"

// Sample returns one element of every n, all of them every night. It is for elements that are
// equal in what they show, such as combinations of things that each occur in others.
func Sample[T any](t testing.TB, all []T, n int) []T {
	t.Helper()
	if Thorough() || len(all) == 0 {
		return all
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(os.Getenv(SampleVar)))
	from := int(hash.Sum32() % uint32(n))
	t.Logf("one of every %d, from number %d of %d; all with %s=1", n, from, len(all), ThoroughVar)
	var some []T
	for i := from; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}
