package testenv

import "os"

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
