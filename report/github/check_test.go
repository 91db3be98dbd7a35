package github

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAHarmHasOneAnnotation(t *testing.T) {
	at := func(line int, rule string, s gate.Severity) gate.Finding {
		return gate.Finding{Rule: rule, Layer: gate.LayerStatic, Severity: s, Line: line, EndLine: line, Message: "does it", Evidence: "eval(x)", InChange: true}
	}
	notes, left := annotations([]gate.FileResult{{Path: "a.js", Findings: []gate.Finding{
		at(7, "dynamic-code/eval", gate.SeveritySuspicious), at(7, "dynamic-code/decoded", gate.SeverityDangerous), at(7, "obfuscation/long", gate.SeverityNote),
		at(30, "network/fetch", gate.SeveritySuspicious),
	}}})
	if len(notes) != 2 || left != 0 {
		t.Fatalf("%d annotations, %d left out: %v", len(notes), left, notes)
	}
	worst := notes[0]
	if worst.GetStartLine() != 7 || worst.GetAnnotationLevel() != "failure" || !strings.HasPrefix(worst.GetTitle(), "dynamic-code/decoded") ||
		worst.GetMessage() != "Does it\n\neval(x)\n\nAlso: dynamic-code/eval, obfuscation/long" {
		t.Errorf("the worst: %v", worst)
	}
	if notes[1].GetStartLine() != 30 || notes[1].GetAnnotationLevel() != "warning" || strings.Contains(notes[1].GetMessage(), "Also") {
		t.Errorf("the other: %v", notes[1])
	}
}
