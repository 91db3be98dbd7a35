package hook

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/hook/guard"
	"github.com/aigate/gate/gate/printable"
)

// Looked is what the static layer says of one action.
type Looked struct {
	At       string // what was looked at, such as "the command" or a path
	Decision gate.Decision
	Findings []gate.Finding
	Gaps     []gate.Gap
}

// Reason is why something is refused.
type Reason struct {
	Rule    string // "" where it is no rule
	What    string // a sentence without a full stop
	Instead string // what to do, a sentence; "" for the usual
}

// Answer is what gate says to an event. The zero value refuses.
type Answer struct {
	passes  bool
	Reasons []Reason
}

// Refused reports whether the answer is no.
func (a Answer) Refused() bool { return !a.passes }

// Pass is the answer that has no objection.
func Pass() Answer { return Answer{passes: true} }

// Refuse is the answer to something that could not be looked at.
func Refuse(format string, args ...any) Answer {
	return Answer{Reasons: []Reason{{What: fmt.Sprintf(format, args...)}}}
}

// maxReasons is how many reasons an agent is told.
const maxReasons = 4

// Decide puts together what speaks against an event. Only a decision that is a pass is
// one.
func Decide(refusals []guard.Refusal, looked []Looked) Answer {
	a := Pass()
	for _, r := range refusals {
		a.Reasons = append(a.Reasons, Reason{Rule: r.ID, What: r.What, Instead: r.Instead})
	}
	for _, l := range looked {
		switch l.Decision {
		case gate.DecisionPass:
		case gate.DecisionBlock:
			a.Reasons = append(a.Reasons, found(l)...)
		default:
			why := "nothing was decided"
			if len(l.Gaps) > 0 {
				why = l.Gaps[0].Reason
			}
			a.Reasons = append(a.Reasons, Reason{What: fmt.Sprintf("gate could not look at all of %s: %s", l.At, why)})
		}
	}
	a.passes = len(a.Reasons) == 0
	return a
}

// found are the findings that decide, the worst first, one for each rule.
func found(l Looked) []Reason {
	findings := slices.DeleteFunc(slices.Clone(l.Findings), func(f gate.Finding) bool {
		return !f.Decides() || f.Severity == gate.SeverityNote
	})
	slices.SortStableFunc(findings, func(a, b gate.Finding) int { return int(worst(b.Severity)) - int(worst(a.Severity)) })
	var out []Reason
	for _, f := range findings {
		if slices.ContainsFunc(out, func(r Reason) bool { return r.Rule == f.Rule }) {
			continue
		}
		where := l.At
		if f.Line > 0 {
			where = fmt.Sprintf("%s, line %d", l.At, f.Line)
		}
		out = append(out, Reason{Rule: f.Rule, What: fmt.Sprintf("%s: %s", where, strings.TrimSuffix(f.Message, "."))})
	}
	if len(out) == 0 {
		out = append(out, Reason{What: l.At + " is blocked"})
	}
	return out
}

// worst orders severities; one that isn't known is the worst.
func worst(s gate.Severity) gate.Severity {
	if s == gate.SeverityUnknown {
		return gate.SeverityDangerous
	}
	return s
}

// What an agent is told in every refusal, and where no rule says what to do instead.
const (
	noOtherWay = "not with another command, tool, file, spelling or encoding.\n"
	orEnd      = "Do the task without it, or end here and tell the user what gate said; the user can look at it and do it."
)

// Words are the answer as an agent reads it: plain ASCII in which nothing hides, because
// reasons may quote what a stranger wrote.
func (a Answer) Words(p Phase) string {
	if !a.Refused() {
		return ""
	}
	begin, stop := "gate refused this:\n", "Stop. Do not try another way to do the same: "
	if p == After {
		begin, stop = "gate objects to what has just been done:\n", "Stop, and undo it. Do not do the same in another way: "
	}
	instead := a.instead()
	if instead == "" {
		instead = orEnd
	}
	return begin + a.list() + stop + noOtherWay + "Instead: " + instead + "\n"
}

// GitWords are the answer of a hook of git, where a person reads as well as an agent. what
// is "the commit" or "the push".
func (a Answer) GitWords(what string) string {
	if !a.Refused() {
		return ""
	}
	about := ""
	if i := slices.IndexFunc(a.Reasons, func(r Reason) bool { return r.Rule != "" }); i >= 0 {
		about = " `gate rules explain " + printable.ASCII(a.Reasons[i].Rule) + "` says why. If a rule is wrong for you, turn it off in your own configuration (~/.config/gate/config.yaml)."
	}
	return "gate refused " + what + ":\n" + a.list() + "Change what is named." + about + "\n" +
		"A coding agent stops here. It does not try another way to do the same: " + noOtherWay +
		"It changes the code, or ends and tells the user what gate said.\n"
}

// list are the reasons, one on each line.
func (a Answer) list() string {
	var b strings.Builder
	for i, r := range a.Reasons {
		if i == maxReasons {
			fmt.Fprintf(&b, "- and %d more\n", len(a.Reasons)-i)
			break
		}
		fmt.Fprintf(&b, "- %s", clip(printable.ASCII(r.What), 400))
		if r.Rule != "" {
			fmt.Fprintf(&b, " (%s)", r.Rule)
		}
		b.WriteString(".\n")
	}
	return b.String()
}

// instead is what the reasons that are listed say to do, "" where they say nothing.
func (a Answer) instead() string {
	var all []string
	for _, r := range a.Reasons[:min(len(a.Reasons), maxReasons)] {
		if r.Instead != "" && !slices.Contains(all, r.Instead) {
			all = append(all, r.Instead)
		}
	}
	return strings.Join(all, " ")
}

// Output is what the hook writes, and its exit code.
type Output struct {
	Stdout string
	Stderr string
	Code   int
}

// refusedCode is the exit code that tools read as a refusal, whatever is written.
const refusedCode = 2

// Render puts an answer into the form of a tool. Where the event isn't known, or the tool
// reads no refusal at it, the words go to standard error and the exit code says no.
func (t Tool) Render(ev Event, a Answer) Output {
	if other, ok := Find(ev.Tool); ok && other.Name != t.Name {
		out := other.Render(ev, a)
		if a.Refused() {
			out.Code = refusedCode // tools read this code as a refusal, also from another tool's hook
		}
		return out
	}
	if !a.Refused() {
		return Output{Stdout: t.pass}
	}
	event, known := t.event(ev.Name)
	if !known {
		event = t.Events[0] // before a tool runs: the answer that refuses most
	}
	words := a.Words(event.Phase)
	out := Output{Stderr: words}
	if !known {
		out.Code = refusedCode
	}
	body := t.refuse(event, strings.TrimSuffix(words, "\n"))
	if body == nil {
		out.Stdout, out.Code = t.pass, refusedCode
		return out
	}
	text, err := json.Marshal(body)
	if err != nil { // texts alone can always be written
		out.Code = refusedCode
		return out
	}
	out.Stdout = string(text) + "\n"
	return out
}
