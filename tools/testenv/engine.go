package testenv

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/aigate/gate/tools/probe"
)

const (
	engineMend  = "go run ./tools/engine up"
	runtimeMend = "go run ./tools/engine up -runsc"
	imagesMend  = "go run ./sandbox/images/build"
)

// Docker returns the address of a live container engine, in the form of
// DOCKER_HOST, or ends the test with [Missing].
func Docker(t testing.TB) string {
	t.Helper()
	host := probe.Host()
	if err := probe.Alive(t.Context()); err != nil {
		Missing(t, fmt.Sprintf("no container engine answers at %s: %v", host, err), engineMend)
	}
	return host
}

// Runtime ends the test with [Missing] unless a container really runs under the
// OCI runtime with that name. The answer is kept for the rest of the process. An
// engine that takes the same runtime for all containers leaves out the tests of the
// others, as [Needs] does.
func Runtime(t testing.TB, name string) {
	t.Helper()
	Docker(t)
	if its, err := probe.DefaultRuntime(t.Context()); err == nil && its != name {
		Needs(t, RuntimeSelection)
	}
	// Not the context of this test: the answer is for all tests of the process.
	first, _ := runtimes.LoadOrStore(name, sync.OnceValue(func() error {
		return probe.Runtime(context.Background(), name)
	}))
	if err := first.(func() error)(); err != nil {
		Missing(t, fmt.Sprintf("containers do not run under %s: %v", name, err), runtimeMend)
	}
}

// runtimes remembers, per name, what became of the first try: a func() error.
// Process-wide because a try costs half a second and its answer does not change.
var runtimes sync.Map

// Image returns the reference of the sandbox image for a language (python, node,
// go or shell), or ends the test with [Missing].
func Image(t testing.TB, lang string) string {
	t.Helper()
	Docker(t)
	ref := probe.Image(lang)
	if err := probe.HasImage(t.Context(), ref); err != nil {
		Missing(t, fmt.Sprintf("image %s cannot be used: %v", ref, err), imagesMend)
	}
	return ref
}
