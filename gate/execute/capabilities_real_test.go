package execute_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAPackageOfGoThatCanDoMoreThanBeforeIsFound(t *testing.T) {
	t.Parallel()
	base := map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.21\n",
		"calm/calm.go":   "package calm\n\nimport \"strings\"\n\nfunc Up(s string) string { return strings.ToUpper(s) }\n",
		"loud/loud.go":   "package loud\n\nimport \"os\"\n\nfunc Read(name string) ([]byte, error) { return os.ReadFile(name) }\n",
		"broken/b.go":    "package broken\n\nconst A = 1\n",
		"helper/help.go": "package helper\n\nfunc Nothing() {}\n",
	}
	head := map[string]string{
		"go.mod":       base["go.mod"],
		"calm/calm.go": "package calm\n\nimport (\n\t\"strings\"\n\n\t\"example.com/m/helper\"\n)\n\nfunc Up(s string) string { helper.Nothing(); return strings.ToUpper(s) }\n",
		"loud/loud.go": "package loud\n\nimport \"os\"\n\nfunc Read(name string) ([]byte, error) { return os.ReadFile(name + \".txt\") }\n",
		"broken/b.go":  "package broken\n\nconst A int = \"text\"\n",
		// The change is in helper; calm gains it through the call.
		"helper/help.go": "package helper\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n)\n\nfunc Nothing() { _ = exec.Command(\"true\"); os.Setenv(\"A\", \"b\") }\n",
		"native/n.go":    "package native\n\nimport \"C\"\n\nconst N = 1\n",
	}
	s := sharedStage(t, "runc", 0)
	change := changeOf(mapFS(head), "calm/calm.go", "loud/loud.go", "broken/b.go", "helper/help.go", "native/n.go")
	change.Base = mapFS(base)
	_, found := executions(t, s, change)
	got := map[string][]string{}
	for _, target := range change.Targets {
		for _, f := range found.Of(target.Path) {
			if strings.HasPrefix(f.Rule, "capability/") {
				got[target.Path] = append(got[target.Path], fmt.Sprintf("%s %s %s", f.Severity, f.Rule, f.Evidence))
			}
		}
	}
	want := map[string][]string{
		"calm/calm.go": {
			"suspicious capability/added-exec example.com/m/calm.Up > example.com/m/helper.Nothing > os/exec.Command (calm.go:9)",
			"suspicious capability/added-modify-system-state example.com/m/calm.Up > example.com/m/helper.Nothing > os.Setenv (calm.go:9)",
		},
		"native/n.go": {"suspicious capability/added-cgo example.com/m/native imports C (n.go:3)"},
		"helper/help.go": {
			"suspicious capability/added-exec example.com/m/helper.Nothing > os/exec.Command (help.go:8)",
			"suspicious capability/added-modify-system-state example.com/m/helper.Nothing > os.Setenv (help.go:8)",
		},
	}
	for _, p := range []string{"broken/b.go", "native/n.go"} {
		i := slices.IndexFunc(got[p], func(s string) bool { return strings.HasPrefix(s, "note capability/unknown ") })
		if i < 0 {
			t.Errorf("%s: %q, want a note that nothing is known", p, got[p])
			continue
		}
		if got[p] = slices.Delete(got[p], i, i+1); len(got[p]) == 0 {
			delete(got, p)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
