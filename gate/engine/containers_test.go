package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
)

func TestContainerOf(t *testing.T) {
	complete := &sandbox.Audit{Container: "id", Complete: true}
	described := &sandbox.Audit{Container: "id"} // it ended before it could be described in full
	recorded := sandbox.Behaviour{Recorder: "trace"}
	tests := map[string]struct {
		res                   sandbox.Result
		known, watched, broke bool
	}{
		"a program that ended":                          {sandbox.Result{Status: sandbox.Exited, Audit: complete, Behaviour: recorded}, true, true, false},
		"nothing was recorded":                          {sandbox.Result{Status: sandbox.Exited, Audit: complete}, true, false, false},
		"the engine said only half of it":               {sandbox.Result{Status: sandbox.Exited, Audit: described, Behaviour: recorded}, false, true, false},
		"the engine said nothing":                       {sandbox.Result{Status: sandbox.Exited, Behaviour: recorded}, false, true, false},
		"killed for its memory, with its supervisor":    {sandbox.Result{Status: sandbox.OOM, Audit: described}, true, true, false},
		"a report that broke after the program started": {sandbox.Result{Status: sandbox.Failed, Started: true, Audit: described}, true, true, true},
		"a failure before the program started":          {sandbox.Result{Status: sandbox.Failed, Audit: described}, true, false, false},
		"a failure of which the engine said nothing":    {sandbox.Result{Status: sandbox.Failed}, false, false, false},
	}
	for name, tt := range tests {
		c := containerOf(tt.res, 0)
		if c.Known != tt.known || c.Watched != tt.watched || c.Broke != tt.broke {
			t.Errorf("%s: known %v, watched %v, broke %v", name, c.Known, c.Watched, c.Broke)
		}
		if tt.res.Audit != nil && c.Container != "id" {
			t.Errorf("%s: the audit is not part of it: %+v", name, c)
		}
	}
	res := sandbox.Result{Duration: 2 * time.Second}
	for took, around := range map[time.Duration]time.Duration{5 * time.Second: 3 * time.Second, time.Second: 0} {
		if c := containerOf(res, took); c.Program != 2*time.Second || c.Around != around {
			t.Errorf("a run of %s in %s: program %s, around %s", res.Duration, took, c.Program, c.Around)
		}
	}
}

func TestSandboxImages(t *testing.T) {
	own := SandboxImages(gate.SandboxPolicy{})
	if len(own) != 4 || !slices.IsSorted(own) {
		t.Errorf("gate's own images are %q", own)
	}
	one := SandboxImages(gate.SandboxPolicy{Images: map[gate.Language]string{
		gate.LanguagePython: "all:1", gate.LanguageJavaScript: "all:1", gate.LanguageTypeScript: "all:1", gate.LanguageGo: "all:1", gate.LanguageShell: "all:1",
	}})
	if !slices.Equal(one, []string{"all:1"}) {
		t.Errorf("an image for every language is in %q", one)
	}
}
