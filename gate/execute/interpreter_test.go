package execute

import (
	"context"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/ran"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
)

func TestAFailureWithAnotherVersionThanAskedForIsNamed(t *testing.T) {
	t.Parallel()
	failed := result{runs: []run{{failure: ran.Failure{Reason: "it ended with exit code 1"}}}}
	for name, tt := range map[string]struct {
		asks    locks.Interpreter
		version string // that is in the image
		result  result
		want    string
	}{
		"it has the version":           {locks.Interpreter{Major: "22", Asked: "22", By: ".nvmrc"}, "22.23.3", failed, ""},
		"a newer one was used":         {locks.Interpreter{Major: "22", Asked: "18", By: ".nvmrc"}, "22.23.3", failed, ".nvmrc asks for version 18; version 22 was used"},
		"and nothing failed":           {locks.Interpreter{Major: "22", Asked: "18", By: ".nvmrc"}, "22.23.3", result{runs: []run{{}}}, ""},
		"it could not be installed":    {locks.Interpreter{Major: "22", Asked: "22", By: ".nvmrc"}, "", failed, ".nvmrc asks for version 22, which is not in the image; that of the sandbox image was used"},
		"nothing asks for any version": {locks.Interpreter{}, "", failed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := provided{
				locks:  map[gate.Language]locks.Lock{gate.LanguageJavaScript: {Language: locks.Node, Interpreter: tt.asks}},
				images: map[gate.Language]images.DependencyInfo{gate.LanguageJavaScript: {Version: tt.version}},
			}
			f, ok := p.otherInterpreter(plan.Unit{Kind: plan.Tests, Job: job.Job{Image: gate.LanguageJavaScript}}, tt.result)
			if ok != (tt.want != "") || f.Evidence != tt.want {
				t.Errorf("%v %q, want %q", ok, f.Evidence, tt.want)
			}
		})
	}
}

func TestAFailureWithAnotherVersionOfPythonIsNamed(t *testing.T) {
	t.Parallel()
	failed := result{runs: []run{{failure: ran.Failure{Reason: "it ended with exit code 1"}}}}
	for name, tt := range map[string]struct {
		version string
		result  result
		want    string
	}{
		"another version":       {"3.11.2", failed, "pyproject.toml asks for Python >=3.12; version 3.11.2 was used"},
		"the version":           {"3.12.1", failed, ""},
		"and nothing failed":    {"3.11.2", result{runs: []run{{}}}, ""},
		"one that is not known": {"", failed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			labels := map[string]map[string]string{"python-image": {images.LabelVersions: "python " + tt.version}}
			p := provided{python: locks.PythonAsk{By: "pyproject.toml", Versions: []string{">=3.12"}}}
			u := plan.Unit{Kind: plan.Tests, Job: job.Job{Image: gate.LanguagePython}}
			p.readVersion(t.Context(), labelled(labels), map[gate.Language]string{gate.LanguagePython: "python-image"}, []plan.Unit{u})
			f, ok := p.otherInterpreter(u, tt.result)
			if ok != (tt.want != "") || f.Evidence != tt.want {
				t.Errorf("%v %q, want %q", ok, f.Evidence, tt.want)
			}
		})
	}
}

// labelled are images with labels, by reference.
type labelled map[string]map[string]string

func (l labelled) Image(_ context.Context, ref string) (sandbox.Image, error) {
	return sandbox.Image{Labels: l[ref]}, nil
}
