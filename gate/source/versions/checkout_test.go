package versions

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestLineEndsOfACheckoutAreUndone(t *testing.T) {
	for _, tt := range []struct {
		name       string
		language   gate.Language
		head, repo string
		want       string
	}{
		{"converted", gate.LanguagePython, "a\r\nb\r\n", "a\nb\n", "a\nb\n"},
		{"converted in part", gate.LanguagePython, "a\r\nb\n", "a\nb\n", "a\nb\n"},
		{"converted, for a shell", gate.LanguageShell, "a\r\nb\r\n", "a\nb\n", "a\nb\n"},
		{"one carriage return that a shell sees", gate.LanguageShell, "exit\r\nb\n", "exit\nb\n", "exit\r\nb\n"},
		{"as the repository has it", gate.LanguagePython, "a\r\nb\r\n", "a\r\n", "a\r\nb\r\n"},
	} {
		if got := string(AsCheckedIn(tt.language, []byte(tt.head), []byte(tt.repo))); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDisplacedIsWhatStoodInAnotherContext(t *testing.T) {
	for _, tt := range []struct {
		name, older, newer string
		line               int
		want               bool
	}{
		{"in the old place", "a\nx\n", "b\nx\n", 2, false},
		{"moved", "x\na\nb\nc\n", "a\nb\nc\nx\n", 4, false},
		{"moved out of a condition", "if false; then\nx\nfi\na\nb\nc\n", "if false; then\n:\nfi\na\nb\nc\nx\n", 7, true},
		{"moved before an exit", "a\nexit\nb\nx\n", "x\na\nexit\nb\n", 1, true},
		{"under another condition", "if false; then\nx\nfi\n", "if true; then\nx\nfi\n", 2, true},
		{"with another value", "U=a\nx $U\n", "U=b\nx $U\n", 2, true},
		{"new", "a\n", "a\nx\n", 2, false},
	} {
		c := Compare(Text{gate.LanguageShell, "a", []byte(tt.older)}, Text{gate.LanguageShell, "a", []byte(tt.newer)})
		if got := c.Displaced(tt.line, tt.line); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
