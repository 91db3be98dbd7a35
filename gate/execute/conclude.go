package execute

import (
	"cmp"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/ran"
	"github.com/aigate/gate/gate/execute/workspace"
)

// conclude adds the findings that follow from the runs of a unit: how they ended,
// what they did, what the restricted mode refused and what a module imports.
func conclude(found *gate.Findings, tree *workspace.Tree, u plan.Unit, r result) {
	addTo(found, u, r.before.demote(observations(u, r))...)
	addTo(found, u, behaviourFindings(tree, u, r)...)
	reportRefused(found, tree, u, r)
	reportForeign(found, u, r)
}

// addTo adds findings to all files of a unit.
func addTo(found *gate.Findings, u plan.Unit, all ...gate.Finding) {
	for _, f := range all {
		for _, path := range u.Targets {
			found.Add(path, f)
		}
	}
}

// strictness is what decides which gaps there are.
type strictness struct {
	gate.On
	required bool // the layer has to complete
	policy   gate.SandboxPolicy
}

// outcome is the Execution of every target, and the gaps. results has one slot for
// each unit of the plan. The files that did not run are the second answer.
func outcome(tree *workspace.Tree, targets []*gate.Target, p plan.Plan, results []result, source coverage.Sources, on strictness) (gate.Outcome, []notRun) {
	all := covers(results)
	plain, shapes := plainLines(results)
	var stopped []notRun
	out := gate.Outcome{Executions: map[string]*gate.Execution{}}
	gap := func(path, reason string) {
		out.Incomplete = append(out.Incomplete, gate.Gap{Layer: gate.LayerSandbox, Path: path, Reason: reason})
	}
	for _, t := range targets {
		e := &gate.Execution{Status: gate.ExecutionNotRun, ExitCode: -1, Units: []gate.Unit{}, StandIns: []string{}, Behaviour: []gate.Behaviour{}, Coverage: map[string]int{}}
		out.Executions[t.Path] = e
		n, none := p.Reasons[t.Path]
		e.Runnable = !none || n.Program || tree.Withheld[t.Path]
		if none {
			e.Reason = n.Reason
			if n.Lost || n.Program && on.MustRun() {
				gap(t.Path, "it was not run: "+n.Reason)
			}
			continue
		}
		var ends []end
		var runs []run
		var args asked
		left := "" // what the tests beside the nearest had no time for
		whole := true
		for i, u := range p.Units {
			if !slices.Contains(u.Targets, t.Path) {
				continue
			}
			r := results[i]
			ended := r.into(e, u.Kind)
			runs = append(runs, r.runs...)
			if u.Further { // how they end says nothing about the file: the plan's runs do
				switch {
				case r.unseen != "":
					gap(t.Path, r.unseen)
				case u.Beside && leftOut(r) != "" && on.MustRun():
					gap(t.Path, leftOut(r))
				case u.Beside:
					left = cmp.Or(left, leftOut(r))
				}
				continue
			}
			if r.unneeded {
				left = cmp.Or(left, "tests that are not nearest to the change were not run: every changed line had run")
			}
			ends = append(ends, ended)
			args.ask(r)
			whole = whole && r.lost == "" && r.unseen == ""
			switch {
			case r.lost != "":
				gap(t.Path, r.lost)
			case r.unseen != "":
				gap(t.Path, r.unseen)
			case r.late != "" && on.required:
				gap(t.Path, r.late)
			case r.unasked() != "" && on.required:
				gap(t.Path, r.unasked())
			case r.needs != "" && on.MustRun():
				gap(t.Path, r.needs)
			case on.MustRun() && r.spared != "":
				gap(t.Path, r.spared)
			case on.MustRun() && leftOut(r) != "":
				gap(t.Path, leftOut(r))
			}
			if why := unkeptOf(tree, u, r, on.policy).gap(on); why != "" {
				gap(t.Path, why)
			}
		}
		w := worst(ends)
		e.Status, e.Reason, e.ExitCode = w.status, w.reason, w.code
		if w.status == gate.ExecutionExited {
			e.Reason = cmp.Or(e.Reason, left)
			if v := ran.Decide(evidence(tree, t.Path, t.Lines, p.Units, results, plain, shapes)); !v.Ran() {
				e.Status, e.Reason = v.Status, v.Reason
				stopped = append(stopped, notRun{target: t, verdict: v, args: args, code: w.code})
				if on.MustRun() {
					gap(t.Path, "it did not run: "+v.Reason)
				}
			}
		}
		e.Cached = whole && len(runs) > 0 && !slices.ContainsFunc(runs, func(r run) bool { return !r.cached })
		cover(e, t, source[t.Path], all, runs)
		if rest := unran(e); rest != "" && on.MustRun() && (e.Status == gate.ExecutionExited || e.Status == gate.ExecutionServing) {
			gap(t.Path, rest)
		}
	}
	return out, stopped
}
