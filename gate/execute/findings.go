package execute

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// behaviourFindings are the findings that follow from what the runs of a unit did: one for
// each rule, the worst.
func behaviourFindings(t *workspace.Tree, u plan.Unit, r result) []gate.Finding {
	var out, only []gate.Finding
	seen := make([][]gate.Finding, len(r.runs))
	usual := map[string]gate.Severity{} // of runs without conditions
	for i, run := range r.runs {
		seen[i] = behaviour.Findings(watched(t, u, run, r.before))
		for _, f := range seen[i] {
			if run.condition == "" && !run.met {
				usual[f.Rule] = max(usual[f.Rule], f.Severity)
			}
		}
	}
	chance := slices.ContainsFunc(u.Targets, func(file string) bool { return aimless.MatchString(t.Text(file)) })
	for i, run := range r.runs {
		news := 0
		for _, f := range seen[i] {
			if run.met {
				if forced, ok := forcedOn(f, chance); ok && usual[f.Rule] < f.Severity {
					out = append(out, forced)
				}
				continue
			}
			if run.condition != "" && f.Severity >= gate.SeveritySuspicious && f.Severity > usual[f.Rule] {
				if news++; news == 1 {
					only = append(only, conditionalOn(run.condition, u, f))
				}
			}
			i := slices.IndexFunc(out, func(o gate.Finding) bool { return o.Rule == f.Rule })
			if i < 0 {
				out = append(out, f)
			} else if out[i].Severity < f.Severity {
				out[i] = f
			}
		}
	}
	return append(out, only...)
}

// someConditional reports whether something was done under a condition only.
func someConditional(found []gate.Finding) bool {
	return slices.ContainsFunc(found, func(f gate.Finding) bool { return f.Rule == ruleConditional.ID })
}

// watched is a run as the rules look at it.
func watched(tree *workspace.Tree, u plan.Unit, r run, b *before) behaviour.Run {
	w := behaviour.Run{
		Kind: behaviour.Kind(cmp.Or(r.kind, u.Kind)), Language: u.Job.Image, Recipe: u.Recipe,
		Internet: true, NewHost: r.newHost, NamedHost: r.namedHost,
		Accounts: behaviour.HoldsAccounts(r.res.Stdout.Data) || behaviour.HoldsAccounts(r.res.Stderr.Data),
		Input:    len(tree.Files), Has: func(p string) bool { return tree.Given(u.Extra, p) || tree.Given(r.extra, p) },
		Literal: literalIn(tree.Literal), Printed: r.printed, Seen: r.res.Behaviour,
	}
	lines, _ := u.Job.Program.(job.Lines)
	w.Image = u.Recipe && lines.Name == plan.RunLines
	if b != nil {
		w.Before = behaviour.Before{Known: b.known, SameData: b.sameData}
	}
	w.Starts = func(p string) bool {
		p, below := strings.CutPrefix(p, sandbox.Workspace+"/")
		return below && tree.Has(p) && behaviour.Starts(tree.Text(p))
	}
	for _, t := range u.Targets {
		w.Targets = append(w.Targets, path.Join(sandbox.Workspace, t))
	}
	return w
}
