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

func TestTestsOfBatsThatTimeoutEndedHadNoMoreTimeByEitherClock(t *testing.T) {
	for _, tt := range []struct {
		name string
		res  sandbox.Result
		want bool
	}{
		{"ended by timeout a little early", sandbox.Result{Status: sandbox.Exited, ExitCode: 124, Duration: 5900 * time.Millisecond}, true},
		{"ended by timeout in time", sandbox.Result{Status: sandbox.Exited, ExitCode: 124, Duration: 6 * time.Second}, true},
		{"failed by themselves", sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Duration: 5900 * time.Millisecond}, false},
		{"with that code long before", sandbox.Result{Status: sandbox.Exited, ExitCode: 124, Duration: time.Second}, false},
	} {
		p := prepared{budget: 6 * time.Second, job: job.Job{Image: gate.LanguageShell, Program: job.Bats{}}}
		if got := p.over(tt.res); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
