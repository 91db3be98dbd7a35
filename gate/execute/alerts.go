package execute

import (
	"fmt"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/plan"
)

var (
	ruleMemoryAlert = Rule{
		ID: "resource-exhaustion/observed-memory-alert", Severity: gate.SeveritySuspicious,
		Title:   "Memory alert",
		Message: "used more memory than the policy's alert allows",
		Why:     "Code that takes most of what there is slows everything beside it down. At gate's own threshold this is a note.",
		Instead: "Work in bounded pieces, or raise sandbox.memory-alert.",
	}
	ruleCPUAlert = Rule{
		ID: "resource-exhaustion/observed-cpu-alert", Severity: gate.SeveritySuspicious,
		Title:   "Processor alert",
		Message: "used more processor time than the policy's alert allows",
		Why:     "A program that a change adds rarely computes for long when it is started without arguments. At gate's own threshold this is a note for tests and for what is compiled first.",
		Instead: "Bound the work that a start without arguments does, or raise sandbox.cpu-alert.",
	}
)

// alerts are the findings about what the runs of a unit used, by the thresholds of the
// policy.
func alerts(u plan.Unit, r result, p gate.SandboxPolicy) []gate.Finding {
	var out []gate.Finding
	add := func(rule Rule, a gate.Alert, expected bool, format string, args ...any) {
		at := rule.Severity
		if expected && !a.Own {
			at = gate.SeverityNote
		}
		for i := range out {
			if out[i].Rule == rule.ID {
				return // once is enough, whatever the number of runs
			}
		}
		out = append(out, gate.Finding{
			Rule: rule.ID, Layer: gate.LayerSandbox, Severity: at,
			Message: "when it was run as " + u.Kind + ", it " + rule.Message, Evidence: fmt.Sprintf(format, args...),
			Origin: "what it did in the sandbox",
		})
	}
	for _, run := range r.runs {
		// What is read, what is installed and the workspace itself count as memory.
		if most, used := p.MemoryAlert.At(run.memory), run.res.Resources.Memory; most > 0 && used >= most {
			add(ruleMemoryAlert, p.MemoryAlert, true, "%d MiB at a time, the alert is at %d MiB", used>>20, most>>20)
		}
		works := u.Kind == plan.Tests || u.Kind == plan.Policy || u.Recipe || run.kind == kindExercise || u.Job.Image == gate.LanguageGo
		if most, used := p.CPUAlert.At(int64(run.timeout)), run.res.Resources.CPU; most > 0 && int64(used) >= most {
			add(ruleCPUAlert, p.CPUAlert, works, "%s of processor time, the alert is at %s", used.Round(time.Millisecond), time.Duration(most).Round(time.Millisecond))
		}
	}
	return out
}
