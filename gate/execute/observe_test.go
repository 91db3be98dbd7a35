package execute

import (
	"slices"
	"testing"

	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/gocache"
	"github.com/aigate/gate/sandbox/images"
)

func TestBuildCacheIsOursOnlyAtTheStartThatTheRunHas(t *testing.T) {
	has := job.Line{}.Cached(images.CompiledRoot)
	ours := gocache.Command(sandbox.Gate, images.CompiledRoot)
	for name, one := range map[string]struct {
		line  job.Line
		event sandbox.Event
		seen  bool
	}{
		"the cache of the image":           {has, sandbox.Event{Action: sandbox.ActionExec, Object: sandbox.Gate, Args: ours}, false},
		"in a run without one":             {job.Line{}, sandbox.Event{Action: sandbox.ActionExec, Object: sandbox.Gate, Args: ours}, true},
		"another program under that name":  {has, sandbox.Event{Action: sandbox.ActionExec, Object: "/tmp/gate", Args: ours}, true},
		"another folder":                   {has, sandbox.Event{Action: sandbox.ActionExec, Object: sandbox.Gate, Args: gocache.Command(sandbox.Gate, "/tmp/x")}, true},
		"another mode":                     {has, sandbox.Event{Action: sandbox.ActionExec, Object: sandbox.Gate, Args: []string{sandbox.Gate, "__wasm", images.CompiledRoot}}, true},
		"one argument more":                {has, sandbox.Event{Action: sandbox.ActionExec, Object: sandbox.Gate, Args: append(slices.Clone(ours), "x")}, true},
		"one argument less":                {has, sandbox.Event{Action: sandbox.ActionExec, Object: sandbox.Gate, Args: ours[:2]}, true},
		"no argument":                      {has, sandbox.Event{Action: sandbox.ActionExec, Object: sandbox.Gate}, true},
		"a secret among what it is given":  {has, sandbox.Event{Action: sandbox.ActionExec, Object: sandbox.Gate, Args: ours, Canaries: []string{"aws key"}}, true},
		"a write to gate":                  {has, sandbox.Event{Action: sandbox.ActionWrite, Object: sandbox.Gate, Args: ours}, true},
		"a program without a name or args": {job.Line{}, sandbox.Event{Action: sandbox.ActionExec}, true},
	} {
		before := []sandbox.Event{one.event, {Action: sandbox.ActionExec, Object: "/bin/true", Args: []string{"true"}}}
		got := withoutCache(sandbox.Behaviour{Events: before}, one.line).Events
		if seen := len(got) == 2; seen != one.seen {
			t.Errorf("%s: seen is %v", name, seen)
		}
		if before[0].Object != one.event.Object || before[1].Object != "/bin/true" {
			t.Errorf("%s: the events of the run have changed: %+v", name, before)
		}
	}
}
