package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

// The real thing at a small shape: what is missing on a machine with a GPU is the
// size alone.
func TestASmallShapeIsMeasuredOnARealServer(t *testing.T) {
	host := testenv.Ollama(t)
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"-host", host, "-shape", "small", "-reviews", "2", "-answer", "4", "-prompt", "120", "-context", "1024", "-parallel", "1,2", "-dir", t.TempDir()}, &stdout, &stderr)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	for _, want := range []string{"model `gate-bench-small`", "| a review that shares the instructions |", "tokens a second are read", "\n| 2 | "} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
	stdout.Reset()
	if code := run(t.Context(), []string{"-host", host, "-model", "gate-bench-small", "-reviews", "1", "-prompt", "120"}, &stdout, &stderr); code != 1 {
		t.Errorf("the model is still there: exit code %d, %s", code, stdout.String())
	}
}

func TestWrongUsageIsNamed(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "either -shape"},
		{[]string{"-shape", "14b", "-model", "x"}, "either -shape"},
		{[]string{"-shape", "huge"}, `unknown shape "huge" (allowed: 1.5b, 14b, 32b, 7b, small)`},
		{[]string{"-shape", "small", "-reviews", "0"}, "-reviews must be"},
		{[]string{"-shape", "small", "-host", "localhost"}, "-host must be a URL"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), c.args, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, code, stderr.String())
		}
	}
}
