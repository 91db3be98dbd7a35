package attribution

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the table into the documentation")

const (
	page       = "../../docs/attribution.md"
	tableBegin = "<!-- table: go test ./gate/attribution -update -->\n"
	tableEnd   = "<!-- end of table -->\n"
)

//go:generate go test -run TestTheDocumentationHasTheTable . -update

func TestTheDocumentationHasTheTable(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), tableBegin)
	_, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the lines %q and %q", page, tableBegin, tableEnd)
	}
	want := before + tableBegin + "\n" + Reference() + "\nNot taken for AI: `" + strings.Join(NotAI(), "`, `") + "`.\n\n" + tableEnd + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, string(data)); diff != "" && !*update {
		t.Errorf("%s is not up to date; run `go test ./gate/attribution -update`\n%s", page, diff)
	}
}
