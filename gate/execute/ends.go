package execute

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/sandbox"
)

// Rule is a kind of finding that this layer makes.
type Rule = behaviour.Rule

// Rules returns all rules of this layer, for those who explain them.
func Rules() []Rule {
	own := []Rule{ruleTimeout, ruleWaiting, ruleLeft, ruleBusy, ruleMemoryAlert, ruleCPUAlert, ruleMemory, ruleLimit, ruleFlood, ruleDisk, ruleConditional, ruleForced, rulePrevented, ruleUnkept, ruleAdded, ruleAddedScript, ruleUninstalled, ruleInterpreter, ruleOtherVersion, ruleFromChange, ruleNotFetched, ruleOldImage, ruleRefusedImport, ruleRefusedBuiltin, ruleRefusedCall, ruleForeignImport}
	all := slices.Concat(own, ofCapabilities(), behaviour.Rules())
	for i := range all {
		all[i].Layer = gate.LayerSandbox
	}
	return all
}

var (
	ruleTimeout = Rule{
		ID: "resource-exhaustion/observed-timeout", Severity: gate.SeverityNote,
		Title:   "Time limit reached",
		Message: "was still running when its time was up",
		Why:     "A server or a slow test does that, and so does code that waits until the analysis ends. What comes after the limit was not seen.",
		Instead: "Raise sandbox.timeout, or name a shorter command with sandbox.run.",
	}
	ruleWaiting = Rule{
		ID: "resource-exhaustion/observed-waiting", Severity: gate.SeverityNote,
		Title:   "Still waiting at the time limit",
		Message: "was still waiting when its time was up",
		Why:     "A server or a worker does that, and so does code that waits until the analysis ends. What comes after the wait was not seen.",
		Instead: "Do the work when the program is started, or name a command that ends with sandbox.run.",
	}
	ruleLeft = Rule{
		ID: "process/observed-background", Severity: gate.SeveritySuspicious,
		Title:   "Background process left",
		Message: "left a process running in the background",
		Why:     "The program had ended, and something that it started went on until it was stopped with the container. Malware stays behind like this; what it would have done later was not seen.",
		Instead: "Wait for what the program starts, or stop it before the program ends.",
	}
	ruleBusy = Rule{
		ID: "resource-exhaustion/observed-busy-loop", Severity: gate.SeveritySuspicious,
		Title:   "Processor used until the time limit",
		Message: "used the processor until its time was up",
		Why:     "A program that a change adds rarely computes for this long when it is started without arguments: an endless loop, a miner and a stalling loop look like this.",
		Instead: "Bound the work that a start without arguments does, or raise sandbox.timeout.",
	}
	ruleMemory = Rule{
		ID: "resource-exhaustion/observed-out-of-memory", Severity: gate.SeveritySuspicious,
		Title:   "Memory limit reached",
		Message: "took more memory than a container has",
		Why:     "Memory bombs end like this, and so does code that would take down a shared machine.",
		Instead: "Work in bounded pieces, or raise sandbox.memory.",
	}
	ruleLimit = Rule{
		ID: "resource-exhaustion/observed-limit", Severity: gate.SeveritySuspicious,
		Title:   "Process, processor or file size limit reached",
		Message: "was ended because it went beyond a limit of processes, processor time or file size",
		Why:     "Fork bombs and disk fillers end like this.",
		Instead: "Bound the number of workers and the size of files, or raise sandbox.pids.",
	}
	ruleFlood = Rule{
		ID: "resource-exhaustion/observed-output-flood", Severity: gate.SeveritySuspicious,
		Title:   "Output limit reached",
		Message: "wrote too much output",
		Why:     "Such output fills disks and logs, and hides what else a program says.",
		Instead: "Write results to files and keep standard output short.",
	}
	ruleDisk = Rule{
		ID: "resource-exhaustion/observed-disk-full", Severity: gate.SeverityNote,
		Title:   "Disk filled",
		Message: "filled its disk",
		Why:     "Its folders are small and lie in memory. What it would have written beyond them was not seen.",
		Instead: "Write less, or raise sandbox.memory.",
	}
)

const (
	// flood is the lowest output of one stream, in bytes, that is no accident.
	flood = 64 << 20
	// busyShare of its time on the processor is work and not a wait. Far below 1,
	// because on a machine with much to do a loop does not get all it asks for.
	busyShare = 0.1
)

// observations are the findings that follow from how the runs of a unit ended.
// They concern a file as a whole: which line did it is not known.
func observations(u plan.Unit, r result) []gate.Finding {
	var out []gate.Finding
	known := map[string]gate.Severity{}
	add := func(rule Rule, format string, args ...any) {
		if known[rule.ID] >= rule.Severity {
			return // once is enough, whatever the number of runs
		}
		known[rule.ID] = rule.Severity
		out = append(out, gate.Finding{
			Rule: rule.ID, Layer: gate.LayerSandbox, Severity: rule.Severity,
			Message: "when it was run as " + u.Kind + ", it " + rule.Message, Evidence: fmt.Sprintf(format, args...),
			Origin: "what it did in the sandbox",
		})
	}
	for _, run := range r.runs {
		res := run.res
		used := fmt.Sprintf("%s of processor time in %s", res.Resources.CPU.Round(time.Millisecond), res.Duration.Round(time.Millisecond))
		switch {
		case run.forwarded: // how the first one ended says it
			continue
		case res.Left.Any():
			add(ruleLeft, "%s", leftText(res.Left))
		}
		switch res.Status {
		case sandbox.Timeout:
			busy := res.Resources.CPU.Seconds() >= busyShare*res.Duration.Seconds()
			if busy && u.Kind != plan.Tests && u.Kind != plan.Policy && run.kind != kindExercise {
				add(ruleBusy, "%s", used)
			} else {
				add(ruleTimeout, "%s", used)
			}
		case sandbox.Waiting, sandbox.Serving:
			add(ruleWaiting, "%s", res.Reason)
		case sandbox.OOM:
			rule := ruleMemory
			if run.madeUp() { // a stand-in that has an answer to everything has no last element
				rule.Severity = gate.SeverityNote
			}
			add(rule, "%s", res.Reason)
		case sandbox.Killed:
			add(ruleLimit, "%s", res.Reason)
		}
		if run.cut != nil && !run.cut.others {
			add(ruleTimeout, "%s", used)
		}
		if res.Status != sandbox.Killed && res.Resources.Pids >= run.pids {
			// The kernel refuses what is too much and the program goes on.
			add(ruleLimit, "it had %d processes and threads at a time, as many as it may", res.Resources.Pids)
		}
		if n := max(res.Stdout.Bytes, res.Stderr.Bytes); n >= flood {
			add(ruleFlood, "%d MiB", n>>20)
		}
		if bytes.Contains(res.Stderr.Data, []byte("No space left on device")) || bytes.Contains(res.Stderr.Data, []byte("ENOSPC")) {
			add(ruleDisk, "the program was told that no space is left")
		}
		if len(res.Full) > 0 { // it may have been told, and said nothing
			add(ruleDisk, "no space was left in %s", strings.Join(res.Full, ", "))
		}
	}
	return out
}

// madeUp reports whether functions were called with made-up arguments, and with stand-ins for
// modules that are missing.
func (r run) madeUp() bool { return r.kind == kindExercise && len(r.standIns) > 0 }

// leftText names the commands that were left behind.
func leftText(l sandbox.Left) string {
	text := strings.Join(l.Commands, "; ")
	if l.More > 0 {
		text += fmt.Sprintf(" and %d more", l.More)
	}
	return gate.Clip(text, gate.MaxEvidence)
}

// late says what of a run was not seen because its time was up, "" for nothing. A
// program that waits for others to connect was there in full.
func late(r run) string {
	res := r.res
	switch {
	case r.cut != nil && (r.cut.late != "" || !r.cut.others):
		return r.cut.late
	case res.Status == sandbox.Timeout, res.Status == sandbox.Waiting:
		return res.Reason + ": what comes later was not seen"
	case res.Left.Any():
		return "it left a process running in the background, and what that does later was not seen"
	}
	return ""
}
