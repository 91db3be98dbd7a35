package report

import (
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
)

// Headline says in one line what came out of a run, for the top of a report and
// the title of a check. It holds nothing but gate's own words.
func Headline(r gate.Result) string {
	n := tally(r)
	risk := fmt.Sprintf(" (risk %d of 100)", r.RiskScore)
	of := " of " + plural(n.files, "file")
	switch {
	case r.Shard != nil:
		part := fmt.Sprintf("SHARD %d OF %d: ", r.Shard.Index, r.Shard.Of)
		r.Shard = nil
		return part + Headline(r)
	case r.Override != nil:
		was := *r.Override
		r.Decision, r.Override = was.Decision, nil
		return "PASSED BY OVERRIDE, otherwise " + Headline(r)
	case r.Decision == gate.DecisionBlock && n.dangerous > 0:
		return "BLOCKED: " + is(n.dangerous, of, "dangerous") + also(n) + risk
	case r.Decision == gate.DecisionBlock && n.suspicious > 0:
		return "BLOCKED: " + is(n.suspicious, of, "suspicious") + ", and the policy blocks on that" + risk
	case r.Decision == gate.DecisionBlock:
		return "BLOCKED" + risk
	case r.Decision != gate.DecisionPass && n.incomplete > 0:
		return "INCOMPLETE: " + is(n.incomplete, of, "not reviewed in full") + also(n) + risk
	case r.Decision != gate.DecisionPass:
		return "INCOMPLETE: not every layer that had to look at the change did" + risk
	case n.files == 0:
		return "PASSED: there was no file to look at"
	case r.Verdict == gate.Safe:
		rest := ""
		if n.suppressed > 0 {
			rest = ", beside " + plural(n.suppressed, "suppressed finding")
		}
		return "PASSED: nothing dangerous found in " + plural(n.files, "file") + rest + risk
	case n.suspicious > 0:
		return "PASSED WITH WARNINGS: " + is(n.suspicious, of, "suspicious") + risk
	default:
		return "PASSED WITH WARNINGS" + risk
	}
}

// NextSteps says what to do about a result, the most important first. Text
// between backticks is a command or a key. It holds nothing but gate's own
// words.
func NextSteps(r gate.Result) []string {
	n := tally(r)
	var steps []string
	add := func(s ...string) { steps = append(steps, s...) }
	if r.Shard != nil {
		add("This is a part of a run and says nothing about the whole: put the results of all shards together with `gate merge`.")
	}
	switch {
	case r.Override != nil:
		add("An authorised user let this pass; the findings remain. Read them before you merge, and do not run this outside of a container.")
	case r.Decision == gate.DecisionBlock && r.Verdict == gate.Dangerous:
		add("Do not merge this, and do not run it outside of a container.",
			"Read the dangerous findings, worst file first, and take them out of the change.")
	case r.Decision == gate.DecisionBlock:
		add("Do not merge this before a reviewer has read the suspicious findings: the policy blocks on them (`fail-on`).")
	case r.Decision != gate.DecisionPass:
		add("Do not merge this yet: what was not looked at is not known to be safe.",
			"Fix what the incomplete list names and run gate again; `gate doctor` shows what is missing and the command that gets it.")
		if n.suspicious > 0 {
			add("Read the suspicious findings meanwhile.")
		}
	case n.files == 0:
		add("If there should have been one, check the paths and `paths` in `.gate.yml`; the skipped list says what was left out and why.")
	case r.Verdict != gate.Safe:
		add("Read the suspicious findings before you merge: a benign program may do this, and no other layer confirmed that this one does harm.",
			"To have them block, set `fail-on: suspicious` in `.gate.yml`.")
	case n.suppressed == 0:
		add("Nothing. A pass says that nothing was found, not that nothing is there; review the change as any other.")
	default:
		add("A pass says that nothing else was found, not that nothing is there; review the change as any other.")
	}
	if n.dangerous+n.suspicious > 0 {
		add("`gate rules explain RULE` says why a rule exists. Where one is wrong for this repository, set `rules.severity` or `rules.disable` in `.gate.yml` (a pull request is judged by the one of its base branch).")
	}
	if n.suppressed > 0 {
		add(plural(n.suppressed, "finding") + " suppressed, so without a say in the verdict: see whether the reasons in the list still hold.")
	}
	if r.Verdict == gate.Dangerous && len(r.Incomplete) > 0 {
		add("Not everything was looked at; the incomplete list says what is missing.")
	}
	if slices.ContainsFunc(r.Layers, unavailable) {
		add("A layer that the policy does not require was not there, so this result says less than it could; `gate doctor` says how to get it.")
	}
	return steps
}

// notSelected is the reason that package gate gives for a layer that no one
// asked for; it is no shortcoming of the run.
const notSelected = "not selected"

// unavailable reports whether a layer was to run and was not there.
func unavailable(l gate.LayerResult) bool {
	return l.Status == gate.LayerSkipped && l.Reason != notSelected
}

// counts is how many files of the change have which verdict, and how many findings were
// suppressed.
type counts struct{ files, dangerous, suspicious, incomplete, suppressed int }

func tally(r gate.Result) counts {
	var n counts
	for _, f := range r.Files {
		for _, finding := range f.Findings {
			if finding.Suppressed != nil && finding.Severity != gate.SeverityNote {
				n.suppressed++
			}
		}
		if f.Parent != "" {
			continue // the file that it came out of is counted, and is as bad
		}
		n.files++
		switch f.Verdict {
		case gate.Dangerous:
			n.dangerous++
		case gate.Suspicious:
			n.suspicious++
		case gate.Safe:
		default:
			n.incomplete++
		}
	}
	return n
}

// is says "2 of 5 files are dangerous".
func is(n int, of, what string) string {
	if n == 1 {
		return "1" + of + " is " + what
	}
	return fmt.Sprintf("%d%s are %s", n, of, what)
}

// also mentions the lesser verdicts beside the one that decides.
func also(n counts) string {
	s := ""
	if n.dangerous > 0 && n.incomplete > 0 {
		s += fmt.Sprintf(", %d incomplete", n.incomplete)
	}
	if n.suspicious > 0 {
		s += fmt.Sprintf(", %d suspicious", n.suspicious)
	}
	return s
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
