package static_test

import (
	"testing"

	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/gate/static/rule"
	"github.com/aigate/gate/gate/static/rules"
	"github.com/aigate/gate/tools/testenv"
)

func TestRulesMatchTheirSamplesAndLeaveTheOthersAlone(t *testing.T) {
	testenv.WithoutRace(t, "one sample at a time through the whole layer")
	report, err := static.TestRules(rule.Source{Name: "rules", FS: rules.FS})
	if err != nil {
		t.Fatal(err)
	}
	if report.Rules == 0 || report.Samples < 2*report.Rules {
		t.Errorf("%d rules with %d samples", report.Rules, report.Samples)
	}
}
