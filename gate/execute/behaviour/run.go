package behaviour

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
)

// Rule is a kind of finding; its title is what the program did, behind "it". Its category
// is that of the static rules about the same thing, so that the two layers corroborate
// each other.
type Rule = gate.Rule

// Kind is the way in which a program was started.
type Kind string

// The kinds of runs.
const (
	Script Kind = "script"
	Module Kind = "module"
	Tests  Kind = "tests"
	Hook   Kind = "hook"
	Policy Kind = "policy"
	// Exercise is a module of which functions are called.
	Exercise Kind = "exercise"
)

// Run is one run of a program.
type Run struct {
	Kind     Kind
	Language gate.Language
	// Recipe says that lines of a Dockerfile or a Makefile were run, of which
	// installing and changing the system is the purpose.
	Recipe bool
	// Image says that the recipe is one of an image, whose home folder has no owner.
	Image bool
	// Internet says that names were answered and servers played in the container.
	Internet bool
	// Targets are the absolute paths of the files that it was run for.
	Targets []string
	// Input is how many files there were, and Has whether one of them has an
	// absolute path.
	Input int
	Has   func(path string) bool
	// Literal reports whether one of those files contains code literally.
	Literal func(code []byte) bool
	// NewHost reports whether a host is one that the base of the change doesn't name;
	// nil where there is no base.
	NewHost func(host string) bool
	// NamedHost reports whether the base of the change names a host; nil without a base.
	NamedHost func(host string) bool
	// Starts reports whether the file at an absolute path names a way to start programs;
	// nil where that is not known.
	Starts func(path string) bool
	// Accounts says that the list of the machine's accounts was in the output.
	Accounts bool
	// Printed are canaries that were in the output.
	Printed []string
	// Before is what it did on the base as well.
	Before Before
	// Seen is what it did, canaries replaced and without the baseline.
	Seen sandbox.Behaviour
}

// hit is an event that a rule speaks of.
type hit struct {
	rule     Rule
	severity gate.Severity // of this event
	text     string
	event    sandbox.Event
}

// Findings returns what follows from a run: one finding for each rule, the worst
// first.
func Findings(r Run) []gate.Finding {
	s := newTrace(r)
	byRule := map[string][]comparedHit{}
	for _, check := range checks {
		for _, h := range check(s) {
			byRule[h.rule.ID] = append(byRule[h.rule.ID], s.Before.compare(s.Kind, h))
		}
	}
	var out []gate.Finding
	for _, hits := range byRule {
		out = append(out, s.finding(hits))
	}
	slices.SortFunc(out, func(a, b gate.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Rule, b.Rule))
	})
	return out
}

// checks are all of them. Each looks at the whole trace.
var checks = []func(*trace) []hit{
	leaks, credentials, accounts, metadata, connections, outbound, names, services, listening, egressRefused,
	shells, answersRun, requestsRun, hiddenShell, commands, dropped, written, startCode, wiped, lost, calls, reconnaissance,
}

// finding makes one finding of everything that one rule says: the worst event
// with its count and time, and how many others there are.
func (s *trace) finding(hits []comparedHit) gate.Finding {
	slices.SortStableFunc(hits, func(a, b comparedHit) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(a.event.First, b.event.First), cmp.Compare(a.text, b.text))
	})
	w := hits[0]
	evidence := gate.Clip(visible(w.text), gate.MaxEvidence-80)
	if w.event.Count > 0 {
		evidence += " (" + times(w.event) + ")"
	}
	if more := len(hits) - 1; more > 0 {
		evidence += fmt.Sprintf(", and %d more", more)
	}
	if w.before {
		evidence += "; on the base they do the same"
	}
	return gate.Finding{
		Rule: w.rule.ID, Layer: gate.LayerSandbox, Severity: w.severity,
		Message: s.started() + ", it " + w.rule.Message, Evidence: evidence, Origin: "what it did in the sandbox",
	}
}

func (s *trace) started() string {
	t := "when it was run as " + string(s.Kind)
	if s.Kind == Exercise {
		t = "when its functions were called"
	}
	if n := len(s.Targets) - 1; n == 1 {
		t += " together with another changed file"
	} else if n > 1 {
		t += fmt.Sprintf(" together with %d other changed files", n)
	}
	return t
}

func times(e sandbox.Event) string {
	after := e.First.Round(time.Millisecond).String()
	if e.Count == 1 {
		return "once, after " + after
	}
	return fmt.Sprintf("%d times, first after %s", e.Count, after)
}

// visible returns hostile text on one line.
func visible(t string) string {
	t = strings.ToValidUTF8(t, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, t)
}
