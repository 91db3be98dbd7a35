package static

import (
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/match"
	"github.com/aigate/gate/gate/static/rule"
)

func TestAFlowThroughAPartOfATextIsOneOfTheWholeText(t *testing.T) {
	set, err := rule.Load(BuiltinRules())
	if err != nil {
		t.Fatal(err)
	}
	x := texts{engine: match.New(set.Rules)}
	flow := gate.Finding{Rule: "dynamic-code/js-decoded-flow", Line: 2, Severity: gate.SeverityDangerous, Flow: []gate.Step{{Line: 1}}}
	plain := gate.Finding{Rule: "download-execute/shell-pipe", Line: 2, Severity: gate.SeverityDangerous}
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"the whole text has it":     {"var a = decodeURIComponent(n);\nFunction(a)();\n", 2},
		"it is in another function": {"function f(n) { var a = decodeURIComponent(n); return 1; }\nfunction g(a) { Function(a)(); }\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			whole := text{language: gate.LanguageJavaScript, content: []byte(tt.text), plainly: true, costs: newCosts(int64(len(tt.text)))}
			got := x.confirmed(whole, []gate.Finding{flow, plain})
			if len(got) != tt.want || got[len(got)-1].Rule != plain.Rule {
				t.Errorf("%d findings, want %d", len(got), tt.want)
			}
		})
	}
}
