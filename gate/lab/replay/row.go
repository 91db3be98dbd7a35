package replay

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
)

// Author is the kind of author of a change.
type Author string

// The kinds of authors. What can't be told from a person is a person.
const (
	AuthorAgent  Author = "agent"
	AuthorBot    Author = "bot"
	AuthorPerson Author = "person"
)

// Authors are all kinds, in the order of reports.
func Authors() []Author { return []Author{AuthorAgent, AuthorBot, AuthorPerson} }

// AuthorOf returns the kind of author of a commit. An agent is what the attribution of
// the change says; programs such as Dependabot say in their name that they are.
func AuthorOf(name, email string, marked bool) Author {
	switch {
	case marked:
		return AuthorAgent
	case strings.Contains(name, "[bot]") || strings.Contains(email, "[bot]@"):
		return AuthorBot
	}
	return AuthorPerson
}

// Row is what gate would have said about one change.
type Row struct {
	// Key stands for everything that the row depends on: the change, gate and the options.
	Key      string        `json:"key"`
	Commit   string        `json:"commit"`
	Date     time.Time     `json:"date"` // of the commit, as it was merged
	Subject  string        `json:"subject"`
	Author   Author        `json:"author"`
	Files    int           `json:"files"`
	Verdict  gate.Verdict  `json:"verdict"`
	Decision gate.Decision `json:"decision"`
	Millis   int64         `json:"duration_ms"`
	// Reasons are the findings that decide, and the gaps, each kind once a file.
	Reasons []Reason `json:"reasons"`
	// Usages are the findings as safe usages would see them, where the user asked for
	// proposals, and MoreUsages how many there are besides.
	Usages     []Usage `json:"usages,omitempty"`
	MoreUsages int     `json:"more_usages,omitempty"`
	// Failed says why there is no verdict; the change counts as incomplete.
	Failed string `json:"failed,omitempty"`
}

// Reason is one cause of a verdict that is not SAFE.
type Reason struct {
	Rule     string        `json:"rule"`               // or, of a gap, its layer
	Severity gate.Severity `json:"severity,omitempty"` // unknown for a gap
	Path     string        `json:"path"`
	Gap      string        `json:"gap,omitempty"`
}

// MaxReasons bounds the reasons of one row.
const MaxReasons = 200

// ReasonsOf returns why a result is what it is.
func ReasonsOf(res gate.Result) []Reason {
	var out []Reason
	add := func(r Reason) {
		if len(out) < MaxReasons && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	for _, f := range res.Files {
		for _, found := range f.Findings {
			if !found.InChange || found.Suppressed != nil || found.Severity < gate.SeveritySuspicious {
				continue
			}
			severity := found.Severity
			if found.CorroboratedBy != "" {
				severity = gate.SeverityDangerous
			}
			add(Reason{Rule: found.Rule, Severity: severity, Path: f.Path})
		}
	}
	for _, gap := range res.Incomplete {
		add(Reason{Rule: string(gap.Layer), Path: gap.Path, Gap: gap.Reason})
	}
	slices.SortStableFunc(out, func(a, b Reason) int { return cmp.Compare(b.Severity, a.Severity) })
	return out
}

// outcome is what a change counts as.
type outcome int

const (
	passed outcome = iota
	flagged
	incomplete
	blocked
)

// of a row: what has no verdict is incomplete.
func (r Row) outcome() outcome {
	switch {
	case r.Failed != "":
		return incomplete
	case r.Decision == gate.DecisionBlock:
		return blocked
	case r.Decision == gate.DecisionIncomplete || r.Verdict == gate.VerdictUnknown:
		return incomplete
	case r.Verdict == gate.Safe:
		return passed
	}
	return flagged
}
