package testenv

import (
	"os"
	"testing"
)

// RequireVar is the environment variable that turns "skipped, because a part is
// missing" into a failure. Any value but "" and "0" counts.
const RequireVar = "GATE_TEST_REQUIRE"

// Missing ends the test because what it needs is not there: as skipped, or as
// failed where [RequireVar] is set. what says in a few words what is missing and
// why; fix is the command that brings it up.
func Missing(t testing.TB, what, fix string) {
	t.Helper()
	if Required() {
		t.Fatalf("%s, and %s is set; run: %s", what, RequireVar, fix)
	}
	t.Skipf("%s; run: %s", what, fix)
}

// Required reports whether a missing part has to fail the test.
func Required() bool {
	v := os.Getenv(RequireVar)
	return v != "" && v != "0"
}
