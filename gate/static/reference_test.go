package static_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/gate/static/rule"
	"github.com/aigate/gate/gate/static/rules"
)

var update = flag.Bool("update", false, "write generated files instead of checking them")

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

const literalTable = "rules/literals.txt"

//go:generate go test -run TestTheRulesReferenceOfLiteralsIsCurrent . -update

// The name of the test has that of the other in it: who changes a rule writes both.
func TestTheRulesReferenceOfLiteralsIsCurrent(t *testing.T) {
	set, err := rule.Load(rule.Source{Name: "rules", FS: rules.FS, Checked: true})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := rule.WriteLiteralTable(&b, set); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(literalTable, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if rules.Literals != b.String() {
		t.Errorf("%s is out of date: run go test ./gate/static -run RulesReference -update", literalTable)
	}
}
