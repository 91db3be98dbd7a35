package execute

import (
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/ran"
	"github.com/aigate/gate/gate/locks"
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
