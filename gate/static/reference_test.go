package static_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/static"
)

var update = flag.Bool("update", false, "write docs/rules.md instead of checking it")

const reference = "../../docs/rules.md"

//go:generate go test -run TestTheRulesReferenceIsCurrent . -update

func TestTheRulesReferenceIsCurrent(t *testing.T) {
	var b bytes.Buffer
	if err := static.WriteReference(&b, newScanner(t, nil).Rules()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(reference, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s is out of date: run go test ./gate/static -run RulesReference -update", reference)
	}
}

func TestExplainSaysEverythingAboutARule(t *testing.T) {
	for _, r := range newScanner(t, nil).Rules() {
		if r.ID != "credentials/python-ssh-key" {
			continue
		}
		var b strings.Builder
		if err := static.Explain(&b, r); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{r.ID, "suspicious", r.Why, r.Instead, "T1552.004", "python", "Becomes dangerous", "test: note"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%q is missing in\n%s", want, b.String())
			}
		}
		return
	}
	t.Fatal("the rule is gone")
}
