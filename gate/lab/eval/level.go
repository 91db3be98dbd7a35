package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// Level is the worst that was said about a sample. The zero value is that
// nothing was.
type Level uint8

// The levels in ascending order.
const (
	Nothing Level = iota
	Note
	Suspicious
	Dangerous
)

// Thresholds are the levels at which a sample counts as found.
func Thresholds() []Level { return []Level{Suspicious, Dangerous} }

func levelNames() []string { return []string{"nothing", "note", "suspicious", "dangerous"} }

// String returns the name that reports use.
func (l Level) String() string {
	if names := levelNames(); int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("level %d", uint8(l))
}

// MarshalText implements encoding.TextMarshaler.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText accepts exactly the names that String returns.
func (l *Level) UnmarshalText(b []byte) error {
	i := slices.Index(levelNames(), string(b))
	if i < 0 {
		return fmt.Errorf("unknown severity %q (allowed: %s)", b, strings.Join(levelNames(), ", "))
	}
	*l = Level(i)
	return nil
}

// levelOf is the level of one finding. A severity that no one set decides as
// the worst.
func levelOf(s gate.Severity) Level {
	switch s {
	case gate.SeverityNote:
		return Note
	case gate.SeveritySuspicious:
		return Suspicious
	default:
		return Dangerous
	}
}

func byName(a, b RuleSeen) int { return strings.Compare(a.Rule, b.Rule) }
