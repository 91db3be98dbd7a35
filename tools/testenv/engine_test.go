package testenv_test

import (
	"strings"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

// recorder replaces a test, to see what would have become of it. Fatal and
// Skip end the goroutine in a real test; here a panic that ran recovers does.
type recorder struct {
	testing.TB
	skipped, failed string
}

type ended struct{}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = format + " " + joined(args)
	panic(ended{})
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = format + " " + joined(args)
	panic(ended{})
}

func joined(args []any) string {
	var parts []string
	for _, a := range args {
		if s, ok := a.(string); ok {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

func record(t *testing.T, f func(testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	func() {
		defer func() {
			if v := recover(); v != nil {
				if _, ok := v.(ended); !ok {
					panic(v)
				}
			}
		}()
		f(r)
	}()
	return r
}

// parts are the functions that a part can be missing from, each pointed at a
// place where nothing answers.
func parts(t *testing.T) map[string]func(testing.TB) {
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	t.Setenv(testenv.OllamaVar, "http://127.0.0.1:1")
	return map[string]func(testing.TB){
		"the engine":    func(tb testing.TB) { testenv.Docker(tb) },
		"a runtime":     func(tb testing.TB) { testenv.Runtime(tb, "runc") },
		"an image":      func(tb testing.TB) { testenv.Image(tb, "python") },
		"Ollama":        func(tb testing.TB) { testenv.Ollama(tb) },
		"anything else": func(tb testing.TB) { testenv.Missing(tb, "no such part", "go run ./part") },
	}
}

func TestAMissingPartSkipsWithTheCommandThatMendsIt(t *testing.T) {
	t.Setenv(testenv.RequireVar, "")
	for name, part := range parts(t) {
		r := record(t, part)
		if r.failed != "" || !strings.Contains(r.skipped, "go run ./") {
			t.Errorf("%s: failed %q, skipped %q; want a skip that names a command", name, r.failed, r.skipped)
		}
	}
}

func TestMissingPartsFailUnderMakeTest(t *testing.T) {
	t.Setenv(testenv.RequireVar, "1")
	for name, part := range parts(t) {
		r := record(t, part)
		if r.skipped != "" || !strings.Contains(r.failed, "go run ./") {
			t.Errorf("%s: failed %q, skipped %q; want a failure that names a command", name, r.failed, r.skipped)
		}
	}
}

func TestARuntimeThatTheEngineDoesNotKnowIsMissing(t *testing.T) {
	testenv.Docker(t)
	t.Setenv(testenv.RequireVar, "0")
	r := record(t, func(tb testing.TB) { testenv.Runtime(tb, "no-such-runtime") })
	if !strings.Contains(r.skipped, "no-such-runtime") {
		t.Errorf("skipped %q", r.skipped)
	}
}

func TestContainersRunUnderBothRuntimes(t *testing.T) {
	for _, name := range []string{"runc", "runsc"} {
		t.Run(name, func(t *testing.T) { testenv.Runtime(t, name) })
	}
}
