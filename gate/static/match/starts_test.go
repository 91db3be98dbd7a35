package match

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestOnlyWhatBeginsInAStretchCountsAndConditionsLookAnywhere(t *testing.T) {
	e := engine(t, "rules:\n  - patterns: ['danger\\s+\\w+']\n    all: [{patterns: [elsewhere], within: file}]")
	text := "danger one\nelsewhere\ndanger two\n"
	for _, tt := range []struct {
		name   string
		starts []Stretch
		want   int
	}{
		{"anywhere", nil, 2},
		{"nowhere", []Stretch{}, 0},
		{"the first line", []Stretch{{0, 11}}, 1},
		{"the line of the condition", []Stretch{{11, 21}}, 0},
		{"in the midst of a match", []Stretch{{3, 11}}, 0},
		{"both", []Stretch{{0, 1}, {21, 22}}, 2},
	} {
		if got := e.Run(Text{Language: gate.LanguageText, Content: []byte(text), Starts: tt.starts}); len(got) != tt.want {
			t.Errorf("%s: %d matches, want %d", tt.name, len(got), tt.want)
		}
	}
}
