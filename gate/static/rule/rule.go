package rule

import (
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/strict"
)

// Place says where in a file the match of a pattern must begin. The lexers of
// package lex split a file into code, strings and comments; documentation
// strings count as comments.
type Place string

// The places that a pattern can ask for.
const (
	PlaceSource  Place = "source"  // code or string, the default
	PlaceCode    Place = "code"    // outside strings and comments
	PlaceString  Place = "string"  // inside a string literal
	PlaceComment Place = "comment" // inside a comment or documentation string
	PlaceAny     Place = "any"     // anywhere, also across borders
)

// Effect is what a role makes of a rule: another severity, or silence.
type Effect struct {
	Off      bool
	Severity gate.Severity // meaningful unless Off
}

// MaxLines is the most lines that one match may span.
const MaxLines = 50

// Reaches of a condition that are no number of lines.
const (
	WithinFile  = -1 // the whole file
	WithinFlow  = -2 // what the condition matches flows into what the rule matches
	WithinGuard = -3 // what the condition matches flows into what decides whether the rule's match runs, or with what
)

// Matcher is a set of patterns of which any may match.
type Matcher struct {
	Signal   string   // name of the signal that it comes from, or ""
	Patterns []string // RE2
	Keywords []string // lower case; one of them must be on the lines of a match; may be empty
	Place    Place
	Lines    int // how many lines a match may span, 1..MaxLines
	// Languages limits a signal; empty is every language.
	Languages []gate.Language
	// Whole says that what matches is a table of which one entry, read by its name, is not
	// what the signal is about: a variable of the environment is not the environment.
	Whole   bool
	Source  strict.Position
	Checked bool // that its patterns have words to look for

	table *LiteralTable // of its source; may be nil
}

// Literals returns the [Literals] of each pattern, with references to groups as [Unfilled] has
// them.
func (m *Matcher) Literals() [][][]string {
	out := make([][][]string, len(m.Patterns))
	for i, p := range m.Patterns {
		out[i] = m.table.Of(p)
	}
	return out
}

// Condition is something that must, or must not, be there besides the match.
type Condition struct {
	// OnImport asks that the match runs as soon as its file is loaded: at import, at
	// install time. There is no Matcher then.
	OnImport bool
	// Any are conditions of which one must hold. There is no Matcher then.
	Any     []Condition
	Matcher *Matcher
	// Within is how many lines away from the match it may be: 0 is the same
	// (logical) line, WithinFile anywhere in the file, WithinFlow wherever the
	// value comes from that the match is given, WithinGuard wherever a value comes from that decides about it.
	Within int
	// Captures reports whether a pattern refers to a group of the rule's match
	// as {{1}}.
	Captures bool
	// NewHost asks that the group "host" of a pattern is a host that the base of the
	// change doesn't name. Without a base no host is new.
	NewHost bool
	// NewPackage asks that the group "host" is the name of a package that the base
	// doesn't name, and that few people know. Without a base no package is new.
	NewPackage bool
}

// Apart reports whether any of the conditions is about more than the line of the match.
func Apart(cs []Condition) bool {
	for _, c := range cs {
		if c.Within != 0 || c.OnImport || c.NewHost || c.NewPackage || Apart(c.Any) {
			return true
		}
	}
	return false
}

// Escalation lifts the severity of a finding when more than the rule's own match is
// there.
type Escalation struct {
	To            gate.Severity
	Because       string // continues the message: "…, and the file sends data away"
	LowConfidence bool   // as of a rule
	All           []Condition
	Unless        []Condition
}

// Rule is one thing to look for, with all that is said about it.
type Rule struct {
	gate.Rule
	Pack   string // name of the source that it was loaded from
	Family string // folder that it is in

	Paths       []string             // doublestar globs; empty is every path
	Roles       map[gate.Role]Effect // what other roles than the default make of it
	Check       string               // decided by program code of that name; no matcher then
	Change      *Change              // decided by the difference of base and head; no matcher then
	Match       *Matcher             // what to look for, nil for a Check
	All         []Condition          // all of these must hold
	Unless      []Condition          // none of these may hold
	Escalations []Escalation         // the first that holds decides
	Entropy     float64              // least bits per character of group 1 (or the match); 0 asks for none
	Redact      bool                 // the match is a secret: it is masked in every evidence
	// LowConfidence says that benign programs do that more often than others: alone it is a
	// note, whatever the length of the program, and it counts beside a sign of another
	// kind. What is raised isn't weak.
	LowConfidence bool
	// AsWritten says that the match must be in the file: where only the values of a
	// script's variables make it, it is a note. What is raised counts there, too.
	AsWritten bool
	Source    strict.Position
}

// CanBeLowConfidence reports whether the rule, or one of its raises, is a low-confidence signal; rules call it weak.
func (r *Rule) CanBeLowConfidence() bool {
	return r.LowConfidence || slices.ContainsFunc(r.Escalations, func(e Escalation) bool { return e.LowConfidence })
}

// Captures reports whether the rule asks for text that it finds where it matches, such as the
// name of a variable, somewhere else in the file.
func (r *Rule) Captures() bool {
	var captures func(cs []Condition) bool
	captures = func(cs []Condition) bool {
		return slices.ContainsFunc(cs, func(c Condition) bool { return c.Captures && c.Within != 0 || captures(c.Any) })
	}
	return captures(r.All) || slices.ContainsFunc(r.Escalations, func(e Escalation) bool { return captures(e.All) })
}

// In returns the effect of the rule in a file of that role, before anything
// raises it.
func (r *Rule) In(role gate.Role) Effect {
	if e, ok := r.Roles[role]; ok {
		return e
	}
	return Effect{Severity: r.Severity}
}
