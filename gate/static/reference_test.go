package static_test

import (
	"bytes"
	"flag"
	"os"
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
