package attack

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
)

func issueOf(t *testing.T, res Result, link string) string {
	t.Helper()
	var b strings.Builder
	if err := res.WriteIssue(&b, link); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheIssueSaysWhatIsWorse(t *testing.T) {
	res := world{status: gate.ExecutionExited, boxes: []engine.Container{held("one")}, host: quiet{}}.run(t)
	if err := res.Compare("base.json", &Baseline{SchemaVersion: 1, Layers: res.Layers, Attacks: []Known{{ID: "sample-one", Runtime: "runc", Caught: true, Executed: true, Contained: true}, {ID: "sample-one", Benign: true, Runtime: "runc", Executed: true, Contained: true}}}, true); err != nil {
		t.Fatal(err)
	}
	text := issueOf(t, res, "https://github.com/acme/shop/actions/runs/42")
	for _, want := range []string{"**block**", "Worse than `base.json`", "- `sample-one` on runc: newly missed\n", "[The run](https://github.com/acme/shop/actions/runs/42)", "| runc | 0 of 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("the issue lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "What is wrong") {
		t.Errorf("what the baseline knows is listed as well:\n%s", text)
	}
}

func TestAnIssueIsBoundedAndCarriesNoMarkupOfOthers(t *testing.T) {
	res := Result{Decision: gate.DecisionBlock, Left: []string{"<img src=x>@everyone [a](https://example.com)\n# big `code`"}}
	for i := range 3000 {
		res.Failures = append(res.Failures, Failure{Kind: Uncontained, ID: fmt.Sprint(i), Why: strings.Repeat("é", 5000)})
		res.Incomplete = append(res.Incomplete, strings.Repeat("x", 5000))
	}
	text := issueOf(t, res, "")
	if n := utf8.RuneCountInString(text); n > 65_000 || !strings.Contains(text, "and 2950 more") {
		t.Errorf("%d characters", n)
	}
	for _, bad := range []string{"<img", "@everyone", "[a](", "\n# big"} {
		if strings.Contains(text, bad) {
			t.Errorf("the issue carries %q", bad)
		}
	}
}
