package supervisor

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv("GATE_TEST_SUPERVISE") != "" {
		os.Exit(Main(os.Stdin, os.Stdout))
	}
	goleak.VerifyTestMain(m)
}

// What process 1 does to all others must not happen to the host of a user who
// is curious about the hidden mode.
func TestSupervisorRefusesOutsideAContainer(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GATE_TEST_SUPERVISE=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), errNotInContainer.Error()) {
		t.Errorf("%v, %q", err, out)
	}
}
