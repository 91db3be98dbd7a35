package execute_test

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/sandbox"
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
		// The change is in helper; calm gains it through the call, and all functions on the way are edited.
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
			"suspicious capability/added-modify-system-state example.com/m/calm.Up > example.com/m/helper.Nothing > os.Setenv (calm.go:9)",
			"note capability/added-exec example.com/m/calm.Up > example.com/m/helper.Nothing > os/exec.Command (calm.go:9)",
		},
		"native/n.go": {"suspicious capability/added-cgo example.com/m/native imports C (n.go:3)"},
		"helper/help.go": {
			"suspicious capability/added-modify-system-state example.com/m/helper.Nothing > os.Setenv (help.go:8)",
			"note capability/added-exec example.com/m/helper.Nothing > os/exec.Command (help.go:8)",
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

// samples reads a txtar file with the folders base and head.
func samples(t *testing.T, name string) (base, head map[string]string) {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", "capabilities", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	base, head = map[string]string{}, map[string]string{}
	for _, f := range a.Files {
		if p, ok := strings.CutPrefix(f.Name, "base/"); ok {
			base[p] = string(f.Data)
		} else if p, ok := strings.CutPrefix(f.Name, "head/"); ok {
			head[p] = string(f.Data)
		} else {
			t.Fatalf("%s is in neither base nor head", f.Name)
		}
	}
	return base, head
}

// compared are the findings about capabilities of two trees, by folder. What the
// programs do when they run is left to other tests.
func compared(t *testing.T, base, head map[string]string) map[string][]gate.Finding {
	t.Helper()
	change := changeOf(mapFS(head))
	change.Base = mapFS(base)
	found := gate.NewFindings(change.Targets, nil)
	for _, gap := range sharedStage(t, "runc", 0).Compare(t.Context(), change, found) {
		t.Errorf("gap %+v", gap)
	}
	out := map[string][]gate.Finding{}
	for _, target := range change.Targets {
		dir := path.Dir(target.Path)
		out[dir] = append(out[dir], found.Of(target.Path)...)
	}
	return out
}

func TestOrdinaryGoIsNoAlarmForWhatItCanDo(t *testing.T) {
	t.Parallel()
	base, head := samples(t, "ordinary")
	alarms, dirs := []string{}, compared(t, base, head)
	delete(dirs, ".")
	for dir, findings := range dirs {
		for _, f := range findings {
			if f.Rule == "capability/unknown" {
				t.Errorf("%s: %s", dir, f.Evidence)
			}
			if f.Severity != gate.SeverityNote {
				alarms = append(alarms, fmt.Sprintf("%s: %s %s", dir, f.Rule, f.Evidence))
			}
		}
	}
	if len(dirs) < 20 {
		t.Errorf("only %d samples", len(dirs))
	}
	if len(alarms) > 1 {
		t.Errorf("%d alarms: %s", len(alarms), strings.Join(alarms, "\n"))
	}
}

func TestACapabilityThatIsHiddenFromReadersIsFound(t *testing.T) {
	t.Parallel()
	base, head := samples(t, "hidden")
	rules := map[string]string{
		"arbitrary": "added-arbitrary-execution", "cgo": "added-cgo", "exec": "added-exec", "files": "added-files",
		"modify": "added-modify-system-state", "network": "added-network", "system": "added-system-calls",
	}
	dirs := compared(t, base, head)
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		kind, _, _ := strings.Cut(dir, "-")
		if rules[kind] == "" {
			continue // another package, which these call
		}
		t.Run(dir, func(t *testing.T) {
			var alarms []string
			for _, f := range dirs[dir] {
				if f.Severity != gate.SeverityNote {
					alarms = append(alarms, strings.TrimPrefix(f.Rule, "capability/"))
				}
			}
			if diff := cmp.Diff([]string{rules[kind]}, alarms); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTheBoundaryIsWhatWasReviewed holds that each function of Go's standard library
// has the capabilities that were reviewed. A new Go has new functions: look
// at them, put what is wrong into capabilities_boundary.txt, and update.
func TestTheBoundaryIsWhatWasReviewed(t *testing.T) {
	t.Parallel()
	o := realOptions(t, "runc")
	r, err := o.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	spec := sandbox.Spec{
		Image: o.Images[gate.LanguageGo], Argv: []string{"/usr/local/bin/gate-capabilities", "-boundary"}, Env: job.GoEnv(),
		Limits: sandbox.Limits{Memory: 3 << 30, Stdout: 1 << 20, Timeout: 5 * time.Minute},
	}
	res, err := r.Run(t.Context(), spec)
	if err != nil || res.ExitCode != 0 {
		t.Fatal(err, res.Status, res.Reason, string(res.Stderr.Data))
	}
	golden(t, filepath.Join("testdata", "capabilities", "boundary.golden"), string(res.Stdout.Data))
}
