package execute

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the table of rules into docs/execution.md instead of checking it")

//go:generate go test -run TestTheTableOfRulesIsCurrent . -update

func TestTheTableOfRulesIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "execution.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- rules: generated -->\n", "<!-- /rules -->"
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the markers of the generated table", file)
	}
	var table strings.Builder
	table.WriteString("| Rule | Severity | It … |\n|---|---|---|\n")
	for _, r := range Rules() {
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", r.ID, r.Severity, r.Message)
	}
	want := head + begin + table.String() + end + tail
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s is not current; run `go generate ./gate/execute` (-want +got):\n%s", file, diff)
	}
}
