package static_test

import (
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
)

func TestEveryRuleIsEvidenceOfAKindOrOfNone(t *testing.T) {
	scanner, err := static.New(static.Options{Policy: gate.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	none := []string{"workflow", "file", "config"} // see kindOf
	for _, r := range scanner.Rules() {
		f := gate.Finding{Rule: r.ID, Category: r.Category(), Layer: gate.LayerStatic, Severity: gate.SeveritySuspicious, InChange: true}
		if has := len(gate.KindsOf([]gate.Finding{f})) > 0; has == slices.Contains(none, r.Category()) {
			t.Errorf("%s: evidence of a kind: %v", r.ID, has)
		}
	}
}
