package testenv

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/aigate/gate/tools/probe"
)

// Capability is something that the Docker engine can do and engines that speak its
// interface need not.
type Capability string

// What tests need of an engine besides running containers. Each is tried once in a
// process, with a container of its own.
const (
	InodeLimit       Capability = "bound the number of files of a folder in memory"
	WritableFolders  Capability = "make a folder in memory over one of the image writable for a program that is not root"
	Descriptions     Capability = "describe a container in the words that it was asked for with"
	LastWords        Capability = "hand on what a container writes before it ends while it is written to"
	ProcessList      Capability = "list the processes of a container"
	RuntimeSelection Capability = "run a container under the runtime that it asks for"
)

// try asks the engine for a capability.
func (c Capability) try(ctx context.Context) (bool, error) {
	switch c {
	case InodeLimit:
		return probe.CountsFiles(ctx)
	case WritableFolders:
		return probe.GivesFolders(ctx)
	case Descriptions:
		return probe.DescribesAsAsked(ctx)
	case LastWords:
		return probe.KeepsLastWords(ctx)
	case ProcessList:
		return probe.ListsProcesses(ctx)
	case RuntimeSelection:
		return probe.TakesRuntimes(ctx)
	}
	return false, fmt.Errorf("there is no trial for %q", string(c))
}

// Needs ends the test unless the engine has all these capabilities. One that the
// engine lacks by its own answer leaves the test out, even under [RequireVar], with
// one exception: Docker has them all, so without one it is broken, and the test fails.
func Needs(t testing.TB, capabilities ...Capability) {
	t.Helper()
	Docker(t)
	for _, c := range capabilities {
		able, err := answerOf(c)
		if err != nil {
			Missing(t, fmt.Sprintf("the engine does not say whether it can %s: %v", string(c), err), engineMend)
		}
		if !able {
			leaveOut(t, "cannot "+string(c))
		}
	}
}

// leaveOut ends the test because of what the engine said it cannot do.
func leaveOut(t testing.TB, what string) {
	t.Helper()
	name, podman, err := probe.Engine(t.Context())
	if err != nil || !podman {
		Missing(t, fmt.Sprintf("the engine (%s) %s (%v)", name, what, err), engineMend)
	}
	t.Skipf("the engine (%s) %s", name, what)
}

// answerOf returns what came of the trial of a capability. The answer is kept for
// the rest of the process.
func answerOf(c Capability) (able bool, err error) {
	key := struct{ host, capability string }{probe.Host(), string(c)}
	// Not the context of a test: the answer is for all tests of the process.
	first, _ := capabilities.LoadOrStore(key, sync.OnceValues(func() (bool, error) { return c.try(context.Background()) }))
	return first.(func() (bool, error))()
}

// capabilities remembers the answers: a func() (bool, error) for each engine and
// Capability.
// Process-wide because a trial costs half a second and its answer does not change.
var capabilities sync.Map
