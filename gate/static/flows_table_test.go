package static_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/static"
)

const flowsPage = "../../docs/flows.md"

//go:generate go test -run TestTheTableOfFlowsIsCurrent . -update

func TestTheTableOfFlowsIsCurrent(t *testing.T) {
	var b bytes.Buffer
	if err := static.WriteFlows(&b, newScanner(t, nil).Rules()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(flowsPage, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(flowsPage)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s is out of date: run go test ./gate/static -run TableOfFlows -update", flowsPage)
	}
}

func TestRulesThatDifferInTheirLanguageShareARowOfTheTable(t *testing.T) {
	var b bytes.Buffer
	if err := static.WriteFlows(&b, newScanner(t, nil).Rules()); err != nil {
		t.Fatal(err)
	}
	rows := strings.Count(b.String(), "| `exfiltration/environment-flow` |")
	if rows != 1 || !strings.Contains(b.String(), "| `exfiltration/environment-flow` | yes | yes | yes | yes | yes |") {
		t.Errorf("want one row with every language, have %d:\n%s", rows, b.String())
	}
}
