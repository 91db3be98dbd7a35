package execute

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/sandbox"
)

func TestARunThatUsesTooMuchIsAFinding(t *testing.T) {
	const (
		memory = "resource-exhaustion/observed-memory-alert"
		cpu    = "resource-exhaustion/observed-cpu-alert"
	)
	own := gate.DefaultPolicy().Sandbox
	own.MemoryAlert, own.CPUAlert = gate.Alert{Amount: 100 << 20, Own: true}, gate.Alert{Share: 0.5, Own: true}
	off := own
	off.MemoryAlert, off.CPUAlert = gate.Alert{Own: true}, gate.Alert{Own: true}
	used := func(mib int64, cpu time.Duration) sandbox.Resources {
		return sandbox.Resources{Memory: mib << 20, CPU: cpu}
	}
	python := job.Job{Image: gate.LanguagePython}
	for name, tt := range map[string]struct {
		unit   plan.Unit
		policy gate.SandboxPolicy
		used   sandbox.Resources
		want   []string
	}{
		"little":                              {plan.Unit{Kind: plan.Script, Job: python}, gate.DefaultPolicy().Sandbox, used(100, time.Second), nil},
		"most of the memory":                  {plan.Unit{Kind: plan.Script, Job: python}, gate.DefaultPolicy().Sandbox, used(450, time.Second), []string{memory + " note"}},
		"most of the processor":               {plan.Unit{Kind: plan.Script, Job: python}, gate.DefaultPolicy().Sandbox, used(1, 25*time.Second), []string{cpu + " suspicious"}},
		"tests that work":                     {plan.Unit{Kind: plan.Tests, Job: python}, gate.DefaultPolicy().Sandbox, used(1, 25*time.Second), []string{cpu + " note"}},
		"a compiler that works":               {plan.Unit{Kind: plan.Script, Job: job.Job{Image: gate.LanguageGo}}, gate.DefaultPolicy().Sandbox, used(1, 25*time.Second), []string{cpu + " note"}},
		"more memory than the policy's value": {plan.Unit{Kind: plan.Script, Job: python}, own, used(100, time.Second), []string{memory + " suspicious"}},
		"a test above the policy's values":    {plan.Unit{Kind: plan.Tests, Job: python}, own, used(101, 15*time.Second), []string{memory + " suspicious", cpu + " suspicious"}},
		"just below the policy's values":      {plan.Unit{Kind: plan.Script, Job: python}, own, used(99, 14*time.Second), nil},
		"switched off":                        {plan.Unit{Kind: plan.Script, Job: python}, off, used(500, 29*time.Second), nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := run{memory: 512 << 20, timeout: 30 * time.Second, res: sandbox.Result{Resources: tt.used}}
			var got []string
			for _, f := range alerts(tt.unit, result{runs: []run{r, r}}, tt.policy) {
				got = append(got, f.Rule+" "+f.Severity.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
