package execute

import (
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

func TestManifestScriptsHaveNoNearestTest(t *testing.T) {
	o := observer{tree: &workspace.Tree{}}
	res := sandbox.Result{Status: sandbox.Exited, Duration: time.Minute, Files: []sandbox.File{{Path: job.CoverFolder + "/" + job.TestsRunning + "-1", Data: []byte("{}")}}}
	for target, late := range map[string]bool{"package.json": false, "packages/a/package.json": false, "index.js": true} {
		p := prepared{budget: time.Second, job: job.Job{Image: gate.LanguageJavaScript}, unit: plan.Unit{Kind: plan.Tests, Targets: []string{target}}}
		if got := o.cut(p, res).late; (got != "") != late {
			t.Errorf("%s: %q", target, got)
		}
	}
	script := prepared{budget: time.Second, job: job.Job{Image: gate.LanguageJavaScript}, unit: plan.Unit{Kind: plan.Tests, Targets: []string{"package.json"}}}
	if res.Files = nil; o.cut(script, res).late == "" {
		t.Error("a script that told nothing when its time was over was seen to its end")
	}
}
