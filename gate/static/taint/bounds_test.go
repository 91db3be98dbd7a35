package taint

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
)

func TestATextThatDefinesMoreThanIsFollowedSaysSo(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		lines      int
		want       bool
	}{
		{"few functions", "def f(): pass\n", 1000, false},
		{"too many functions", "def f(): pass\n", MaxFunctions, true},
		{"few names", "a = 1\n", 1000, false},
		{"too many names", "a = 1\n", MaxDefinitions, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := []byte(strings.Repeat(tt.line, tt.lines))
			split := lex.Scan(gate.LanguagePython, text)
			if g, ok := New(gate.LanguagePython, split.View(text), split); !ok || g.Full() != tt.want {
				t.Errorf("full: %t, want %t", g.Full(), tt.want)
			}
		})
	}
}
