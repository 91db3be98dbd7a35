package constprop

import (
	"fmt"
	"slices"
)

// Bounds notes which bounds kept something of a text from being worked out. A nil one
// notes nothing.
type Bounds struct{ reached []string }

// Reached returns what is bounded, in words for a report, each once.
func (b *Bounds) Reached() []string {
	if b == nil {
		return nil
	}
	return b.reached
}

// reach notes a bound that was reached.
func (b *Bounds) reach(format string, args ...any) {
	if reason := fmt.Sprintf(format, args...); b != nil && !slices.Contains(b.reached, reason) {
		b.reached = append(b.reached, reason)
	}
}
