package gate

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is what gate believes about a file or a run, ordered from harmless to
// blocking. The zero value is VerdictUnknown, which is treated as Incomplete
// wherever a decision is made.
type Verdict uint8

// The verdicts in ascending order; the worst one wins.
const (
	VerdictUnknown Verdict = iota
	Safe
	Suspicious
	Incomplete
	Dangerous
)

// Severity is how much one finding says by itself. The zero value is
// SeverityUnknown and decides like SeverityDangerous, so that a finding whose
// severity that was forgotten can never pass.
type Severity uint8

// The severities in ascending order.
const (
	SeverityUnknown Severity = iota
	SeverityNote
	SeveritySuspicious
	SeverityDangerous
)

// Decision is what follows from a verdict under a policy, and thereby the exit
// code of the command.
type Decision uint8

// The decisions. DecisionUnknown is never a pass.
const (
	DecisionUnknown Decision = iota
	DecisionPass
	DecisionIncomplete
	DecisionBlock
)

var (
	verdictNames  = []string{"UNKNOWN", "SAFE", "SUSPICIOUS", "INCOMPLETE", "DANGEROUS"}
	severityNames = []string{"unknown", "note", "suspicious", "dangerous"}
	decisionNames = []string{"unknown", "pass", "incomplete", "block"}
)

// Worst returns the more severe of two verdicts.
func (v Verdict) Worst(o Verdict) Verdict { return max(v, o) }

// String returns the upper-case name that every report shows.
func (v Verdict) String() string { return name(verdictNames, v) }

// String returns the lower-case name of the result document.
func (s Severity) String() string { return name(severityNames, s) }

// String returns the lower-case name of the result document.
func (d Decision) String() string { return name(decisionNames, d) }

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText accepts exactly the names that String returns.
func (v *Verdict) UnmarshalText(b []byte) error { return parseName(v, verdictNames, "verdict", b) }

// MarshalText implements encoding.TextMarshaler.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText accepts exactly the names that String returns.
func (s *Severity) UnmarshalText(b []byte) error { return parseName(s, severityNames, "severity", b) }

// MarshalText implements encoding.TextMarshaler.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText accepts exactly the names that String returns.
func (d *Decision) UnmarshalText(b []byte) error { return parseName(d, decisionNames, "decision", b) }

func name[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return names[0]
}

func parseName[T ~uint8](dst *T, names []string, what string, b []byte) error {
	i := slices.Index(names, string(b))
	if i < 0 {
		return fmt.Errorf("unknown %s %q (want one of %s)", what, b, strings.Join(names[1:], ", "))
	}
	*dst = T(i)
	return nil
}
